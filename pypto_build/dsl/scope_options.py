# SPDX-License-Identifier: Apache-2.0
"""What the headers of scopes have in common: names, task ids, dependencies, optimizations."""

from __future__ import annotations

import ast
import keyword
from dataclasses import dataclass

from pypto_build.dsl.bindings import assign_name
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserError, ParserSyntaxError, ParserTypeError
from pypto_build.dsl.language.kernel import CrossCoreSlot, Split
from pypto_build.ir import SplitAivScopeStmt, SplitMode, Stmt, TensorType, Var, collect


@dataclass(frozen=True, slots=True)
class Optimizations:
    """The `optimizations=[...]` of a scope."""

    split: SplitMode = SplitMode.NONE
    slot_num: int | None = None
    given: bool = False
    splits: ast.expr | None = None  # the place of pl.split(...)

    def attrs(self) -> dict[str, object]:
        """The part that is stored as attributes."""
        return {} if self.slot_num is None else {"slot_num": self.slot_num}


def read_optimizations(context: Context, node: ast.expr, *, where: str) -> Optimizations:
    """`optimizations=[pl.split(...), pl.cross_core_slot(...)]`"""
    if not isinstance(node, ast.List):
        context.fail(ParserSyntaxError, f"{where}(optimizations=...) must be a list literal", node)
    split: SplitMode | None = None
    splits: ast.expr | None = None
    slot_num: int | None = None
    for element in node.elts:
        entry = _entry(context, element, where=where)
        if isinstance(entry, Split):
            if split is not None:
                context.fail(ParserSyntaxError, f"Duplicate 'pl.split' entry in {where}(optimizations=...)", element)
            split, splits = entry.mode, element
        if entry.slot_num is None:
            continue
        if slot_num is not None:
            again = "sets the cross-core slot count twice" if isinstance(entry, Split) or split else ""
            text = again or "Duplicate 'pl.cross_core_slot' entry"
            context.fail(ParserSyntaxError, f"{where}(optimizations=...): {text}", element)
        slot_num = entry.slot_num
    return Optimizations(split or SplitMode.NONE, slot_num, given=True, splits=splits)


def check_split_once(context: Context, optimizations: Optimizations, body: Stmt) -> None:
    """A scope is split by the compiler or by hand: `pl.split(pl.SplitMode.NONE)` says so as well."""
    if optimizations.splits is not None and collect(body, SplitAivScopeStmt):
        context.fail(
            ParserSyntaxError,
            "pl.split(...) and pl.split_aiv(...) are mutually exclusive on one scope",
            optimizations.splits,
            hint="Leave pl.split out; the number of slots is set with pl.cross_core_slot(slot_num=N)",
        )


def _entry(context: Context, node: ast.expr, *, where: str) -> Split | CrossCoreSlot:
    if isinstance(node, ast.Call):
        for given in node.keywords:
            if given.arg not in ("mode", "slot_num"):
                context.fail(
                    ParserSyntaxError,
                    f"Unknown keyword argument '{given.arg}' in {ast.unparse(node.func)}()",
                    given,
                )
        _check_slot_call(context, node)
    value: object = None
    reason = ""
    try:
        value = context.value(node)
    except ParserError as error:
        reason = f" ({error})"
    if not isinstance(value, Split | CrossCoreSlot):
        context.fail(
            ParserSyntaxError,
            f"Unsupported entry in {where}(optimizations=...): {ast.unparse(node)}{reason}",
            node,
            hint="Use pl.split(mode) or pl.cross_core_slot(slot_num=N)",
        )
    return value


def _check_slot_call(context: Context, call: ast.Call) -> None:
    """What the entries may be given, said better than Python does when it calls them."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    slots = next((keyword for keyword in call.keywords if keyword.arg == "slot_num"), None)
    if name == "cross_core_slot" and call.args:
        context.fail(ParserSyntaxError, "pl.cross_core_slot() takes no positional arguments", call)
    if name == "cross_core_slot" and slots is None:
        context.fail(ParserSyntaxError, "pl.cross_core_slot() requires the slot_num= keyword", call)
    if slots is None or name not in ("cross_core_slot", "split"):
        return
    number = context.value(slots.value) if isinstance(slots.value, ast.Constant | ast.Name | ast.Attribute) else None
    if not isinstance(number, int) or isinstance(number, bool):
        context.fail(ParserSyntaxError, "slot_num must be an integer literal", slots)
    if number < 1:
        context.fail(ParserSyntaxError, f"slot_num must be positive, got {number}", slots)


def read_name_hint(context: Context, node: ast.expr) -> str:
    """`name_hint="name"`"""
    value = context.value(node)
    if not isinstance(value, str):
        context.fail(ParserSyntaxError, "name_hint= must be a string literal", node)
    if value and (not value.isidentifier() or keyword.iskeyword(value)):
        context.fail(ParserSyntaxError, f"name_hint= must be a valid non-keyword identifier, got {value!r}", node)
    return value


def read_tensor_names(context: Context, node: ast.expr, *, option: str) -> tuple[Var, ...]:
    """A list of bare names of tensors."""
    if not isinstance(node, ast.List):
        context.fail(ParserTypeError, f"{option}= must be a list literal", node)
    found: list[Var] = []
    for element in node.elts:
        if not isinstance(element, ast.Name):
            context.fail(ParserTypeError, f"{option}= entries must be bare tensor names", element)
        var = context.scope.value(element.id)
        if var is None:
            context.fail(ParserTypeError, f"{option}= refers to an unknown name '{element.id}'", element)
        if not isinstance(var, Var) or not isinstance(var.type, TensorType):
            context.fail(ParserTypeError, f"{option}= entry '{element.id}' is not a tensor", element)
        if any(var is known for known in found):
            context.fail(ParserTypeError, f"{option}= lists '{element.id}' more than once", element)
        found.append(var)
    return tuple(found)


def bind_task_id(context: Context, target: ast.expr, *, place: ast.stmt) -> Var:
    """The variable of `as tid`, invalid until the scope is launched."""
    if not isinstance(target, ast.Name):
        context.fail(ParserSyntaxError, "The target of 'as' must be a plain variable name", target)
    invalid = context.operation("system", "task_invalid")(span=context.span(target))
    waiting, context.pending_comments = context.pending_comments, []
    var = assign_name(context, target, invalid, place=place)
    context.pending_comments = waiting
    return var


def evaluated(context: Context, node: ast.expr, kind: type, *, option: str) -> object:
    """The value of an option that must be a member of an enum."""
    value = context.value(node)
    if not isinstance(value, kind):
        context.fail(ParserSyntaxError, f"{option}= must be a pl.{kind.__name__} value", node)
    return value

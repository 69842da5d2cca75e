# SPDX-License-Identifier: Apache-2.0
"""Calls of operations and functions, and task launches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pypto_build.errors import InternalError
from pypto_build.ir.enums import MemorySpace
from pypto_build.ir.expr import Call, ConstInt, Expr, GlobalVar, Submit, Var
from pypto_build.ir.printing import call_forms as forms
from pypto_build.ir.printing.context import Context
from pypto_build.ir.printing.expressions import dimension, expression, typed_expression
from pypto_build.ir.printing.literals import enum_text
from pypto_build.ir.printing.parts import Part, Parts, bracketed, called, keyword
from pypto_build.ir.printing.scan import ALLOC_WINDOW
from pypto_build.ir.printing.values import attrs_keyword, remaining, value

DEPS = "manual_dep_edges"
DUMPS = "dump_vars"
DUMMY_TASK = "dummy_task"
DEVICE = "device"


def call(ctx: Context, node: Call) -> Parts:
    """A call of a function of the program or of an operation."""
    if isinstance(node.op, GlobalVar):
        return called(_function_name(ctx, node.op), _function_arguments(ctx, node))
    return operation_call(ctx, node)


def operation_call(ctx: Context, node: Call, target: Var | None = None) -> Parts:
    """A call of an operation; `target` is the Var that it is assigned to."""
    name = node.op.name
    kwargs = _shown_kwargs(ctx, node, target)
    spelled = forms.spelled(name, ctx.pl)
    if name == forms.REMOTE_LOAD and node.kwargs.get(forms.TAIL_PADDING) is True:
        spelled = spelled.replace("remote_load", forms.PADDED_REMOTE_LOAD)
    return called(spelled, _operation_arguments(ctx, node, kwargs))


def _operation_arguments(ctx: Context, node: Call, kwargs: Mapping[str, object]) -> Iterator[Part]:
    name = node.op.name
    keywords = {index: forms.argument_keyword(name, node.args, index) for index in range(len(node.args))}
    for index, argument in enumerate(node.args):
        if keywords[index] is None:
            yield _argument(ctx, node, index, argument)
    by_keyword = [(word, node.args[index]) for index, word in keywords.items() if word is not None]
    attributes_first = name in forms.ATTRIBUTES_FIRST or name == forms.SYNC_ALL
    if attributes_first:
        yield from _keywords(ctx, name, kwargs)
    for word, argument in by_keyword:
        yield keyword(word, dimension(ctx, argument) if name == forms.SYNC_ALL else expression(ctx, argument))
    if name == forms.SYNC_ALL and len(node.args) == 1:
        yield forms.ALL_CORES
    if not attributes_first:
        yield from _keywords(ctx, name, kwargs)
    yield from _operation_attributes(ctx, node)


def _argument(ctx: Context, node: Call, index: int, argument: Expr) -> Part:
    if node.op.name in forms.ALLOCATIONS and isinstance(argument, ConstInt):
        return enum_text(MemorySpace(argument.value), ctx.pl) if index == 0 else dimension(ctx, argument)
    return expression(ctx, argument)


def _keywords(ctx: Context, name: str, kwargs: Mapping[str, object]) -> Iterator[Part]:
    for word, given in kwargs.items():
        yield keyword(word, value(ctx, forms.named_choice(name, word, given)))


def _shown_kwargs(ctx: Context, node: Call, target: Var | None) -> dict[str, object]:
    """The attributes of the operation's schema that the text around does not already say."""
    name, kwargs = node.op.name, dict(node.kwargs)
    if name in forms.SPLIT_BY_REGION and ctx.split is not None and kwargs.get("split") == ctx.split.value:
        del kwargs["split"]
    elif name == ALLOC_WINDOW and target is not None and kwargs.get("name") == ctx.names.of(target):
        del kwargs["name"]
    elif name == forms.REMOTE_LOAD and kwargs.get(forms.TAIL_PADDING) is True:
        del kwargs[forms.TAIL_PADDING]
    elif name == forms.SYNC_ALL:
        mode = kwargs.pop("mode", "hard")
        return kwargs if mode == "hard" else {"mode": mode, **kwargs}
    return kwargs


def _operation_attributes(ctx: Context, node: Call) -> Iterator[Part]:
    if node.op.name == forms.TASK_DUMMY:
        yield keyword("deps", value(ctx, node.attrs.get(DEPS, ())))
        yield from attrs_keyword(ctx, remaining(node.attrs, (DEPS, DUMMY_TASK)))
        return
    for name in (DEPS, DUMMY_TASK):
        if name in node.attrs:
            raise InternalError(f"{name} on {node.op.name} has no text: only {forms.TASK_DUMMY} has it", node.span)
    yield from attrs_keyword(ctx, node.attrs)


def _function_name(ctx: Context, handle: GlobalVar) -> str:
    return f"self.{handle.name}" if ctx.in_program else handle.name


def _function_arguments(ctx: Context, node: Call) -> Iterator[Part]:
    for argument in node.args:
        yield expression(ctx, argument)
    yield from _keywords(ctx, node.op.name, node.kwargs)
    shown: tuple[str, ...] = ()
    device = node.attrs.get(DEVICE)
    if isinstance(device, Expr):
        shown = (DEVICE,)
        yield keyword(DEVICE, expression(ctx, device))
    yield from attrs_keyword(ctx, remaining(node.attrs, shown))


def submit(ctx: Context, node: Submit) -> Parts:
    """A task launch, on one core or on several."""
    name = "submit" if node.core_num is None else "spmd_submit"
    return called(f"{ctx.pl}.{name}", _submit_arguments(ctx, node))


def _submit_arguments(ctx: Context, node: Submit) -> Iterator[Part]:
    yield _function_name(ctx, node.op) if isinstance(node.op, GlobalVar) else forms.spelled(node.op.name, ctx.pl)
    for argument in node.args:
        yield expression(ctx, argument)
    yield from _keywords(ctx, node.op.name, node.kwargs)
    if node.deps:
        yield keyword("deps", bracketed(typed_expression(ctx, dep) for dep in node.deps))
    if DUMPS in node.attrs:
        yield keyword("dumps", value(ctx, node.attrs[DUMPS]))
    if node.core_num is not None:
        yield keyword("core_num", expression(ctx, node.core_num))
    if node.sync_start:
        yield "sync_start=True"
    if node.allow_early_resolve:
        yield "allow_early_resolve=True"
    if node.predicate is not None:
        yield keyword("predicate", predicate(ctx, node.predicate))
    yield from attrs_keyword(ctx, remaining(node.attrs, (DUMPS,)))


def predicate(ctx: Context, condition: Expr) -> Parts:
    """A dispatch predicate; the parentheses show that it is not evaluated here."""
    yield "("
    yield expression(ctx, condition)
    yield ")"

# SPDX-License-Identifier: Apache-2.0
"""Task launches: `out, tid = pl.submit(self.kernel, ...)` and `pl.spmd_submit`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from pypto_build.dsl.arguments import dotted
from pypto_build.dsl.bindings import assign_name
from pypto_build.dsl.call_types import substituted
from pypto_build.dsl.callees import Signature
from pypto_build.dsl.context import Context
from pypto_build.dsl.deps import read_deps
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError
from pypto_build.dsl.dumps import dumped
from pypto_build.dsl.kernels import find_signature, read_attrs, read_kernel_arguments
from pypto_build.dsl.predicates import check_producer, launched, produced, read_predicate
from pypto_build.ir import (
    EMPTY_MAP,
    AssignStmt,
    ConstInt,
    DataType,
    Expr,
    Function,
    GlobalVar,
    ScalarType,
    Submit,
    TupleGetItemExpr,
    TupleType,
    Type,
    Var,
    frozen_map,
    scalar_type,
)

_SUBMITS: Final[Mapping[tuple[str, ...], bool]] = {("pl", "submit"): False, ("pl", "spmd_submit"): True}


def is_submit(path: tuple[str, ...]) -> bool:
    """Whether a dotted name launches a task."""
    return path in _SUBMITS


@dataclass(slots=True)
class _Options:
    deps: tuple[Expr, ...] = ()
    attrs: dict[str, object] = field(default_factory=dict)
    dumps: ast.expr | None = None
    core_num: Expr | None = None
    sync_start: bool = False
    allow_early_resolve: bool = False
    predicate: Expr | None = None
    predicate_node: ast.expr | None = None
    given: list[str] = field(default_factory=list)


def assign_submit(
    context: Context, target: ast.expr, call: ast.Call, *, path: tuple[str, ...], place: ast.stmt
) -> None:
    """`targets = pl.submit(...)`"""
    spmd = _SUBMITS[path]
    submit = _read_submit(context, call, spmd=spmd)
    if isinstance(target, ast.Name):
        assign_name(context, target, submit, place=place)
        return
    names = _targets(context, target)
    kinds = cast("TupleType", submit.type).types
    if len(names) != len(kinds):
        context.fail(
            ParserTypeError,
            f"pl.{path[1]}() gives {len(kinds)} value(s), task id included, but {len(names)} name(s) are assigned",
            target,
        )
    span = context.span(place)
    temporary = Var("_submit_tmp", submit.type, span)
    context.emit(AssignStmt(temporary, submit, span))
    made = [
        assign_name(context, name, TupleGetItemExpr(temporary, number, span), place=place)
        for number, name in enumerate(names)
    ]
    launched(context, made[-1])
    for var in made[:-1]:
        produced(context, var, made[-1])


def _targets(context: Context, target: ast.expr) -> list[ast.Name]:
    """The assigned names; the results may be grouped: `(a, b), tid = ...`."""
    if not isinstance(target, ast.Tuple | ast.List):
        context.fail(ParserSyntaxError, "pl.submit() must be assigned to names: out, tid = pl.submit(...)", target)
    flat: list[ast.expr] = []
    for number, element in enumerate(target.elts):
        nested = number == 0 and len(target.elts) == 2 and isinstance(element, ast.Tuple | ast.List)
        flat.extend(element.elts if nested and isinstance(element, ast.Tuple | ast.List) else [element])
    for element in flat:
        if not isinstance(element, ast.Name):
            context.fail(ParserSyntaxError, "pl.submit() target must be a plain variable name", element)
    return cast("list[ast.Name]", flat)


def _read_submit(context: Context, call: ast.Call, *, spmd: bool) -> Submit:
    name = "spmd_submit" if spmd else "submit"
    signature = _kernel(context, call, name=name)
    options = _options(context, call, spmd=spmd)
    arguments, no_dep = read_kernel_arguments(context, call.args[1:], signature=signature, call=call)
    if spmd and options.core_num is None:
        context.fail(ParserSyntaxError, "pl.spmd_submit() requires the core_num= keyword", call)
    if options.predicate is not None and options.predicate_node is not None:
        check_producer(context, options.predicate_node, options.predicate, deps=options.deps)
    _check_cluster(context, call, options, name=name)
    attrs = {**no_dep, **options.attrs, **_dump_attrs(context, options, arguments)}
    return Submit(
        GlobalVar(signature.name),
        arguments,
        options.deps,
        EMPTY_MAP,
        frozen_map(attrs),
        _result_type(context, call, signature, arguments=arguments),
        context.span(call),
        core_num=options.core_num,
        sync_start=options.sync_start,
        allow_early_resolve=options.allow_early_resolve,
        predicate=options.predicate,
    )


def _kernel(context: Context, call: ast.Call, *, name: str) -> Signature:
    if not call.args:
        context.fail(ParserSyntaxError, f"pl.{name}() requires a kernel as its first argument: self.kernel", call)
    kernel = call.args[0]
    parts = dotted(kernel)
    if parts is not None and len(parts) == 2 and parts[0] == context.facts.self_name:
        return find_signature(context, kernel, parts[1])
    if parts is not None and len(parts) == 1:
        target = context.closure.get(parts[0])
        if isinstance(target, Function):
            return find_signature(context, kernel, context.callees.add_external(target, context, call))
    context.fail(ParserSyntaxError, f"pl.{name}() first argument must be a kernel: self.kernel", kernel)


def _options(context: Context, call: ast.Call, *, spmd: bool) -> _Options:
    options = _Options()
    for keyword in call.keywords:
        name, node = keyword.arg or "**", keyword.value
        options.given.append(name)
        if name == "deps":
            options.deps = read_deps(context, node)
        elif name == "attrs":
            options.attrs = read_attrs(context, node, count=len(call.args) - 1)
        elif name == "dumps":
            options.dumps = node
        elif name == "allow_early_resolve":
            options.allow_early_resolve = boolean_literal(context, node, name=name)
        elif name == "predicate":
            options.predicate, options.predicate_node = read_predicate(context, node), node
        elif name == "core_num" and spmd:
            options.core_num = positive_integer(context, node, name="core_num")
        elif name == "sync_start" and spmd:
            options.sync_start = boolean_literal(context, node, name=name)
        else:
            where = "pl.spmd_submit" if spmd else "pl.submit"
            hint = "Use pl.spmd_submit() for a launch on several cores" if name in ("core_num", "sync_start") else None
            context.fail(ParserTypeError, f"{where}() got an unexpected keyword argument '{name}'", keyword, hint=hint)
    return options


def boolean_literal(context: Context, node: ast.expr, *, name: str) -> bool:
    """True or False, written out."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, bool):
        context.fail(ParserSyntaxError, f"{name} must be a boolean literal", node)
    return node.value


def positive_integer(context: Context, node: ast.expr, *, name: str) -> Expr:
    """An integer scalar that is not known to be zero or less."""
    value = context.expr(node)
    if not isinstance(value.type, ScalarType) or not value.type.dtype.is_int():
        context.fail(ParserSyntaxError, f"{name} must be an integer expression, got {value.type}", node)
    if isinstance(value, ConstInt) and value.value < 1:
        context.fail(ParserSyntaxError, f"{name} must be a positive integer, got {value.value}", node)
    return value


def _check_cluster(context: Context, call: ast.Call, options: _Options, *, name: str) -> None:
    """Inside a cluster the launches become one task, so none of them can say something of its own."""
    own = [
        word for word in ("deps", "allow_early_resolve", "predicate", "core_num", "sync_start") if word in options.given
    ]
    if own and context.inside("cluster"):
        context.fail(
            ParserSyntaxError,
            f"pl.{name}() inside pl.cluster() cannot carry per-task dispatch metadata: {', '.join(own)}",
            call,
        )


def _dump_attrs(context: Context, options: _Options, arguments: tuple[Expr, ...]) -> dict[str, object]:
    attrs = dumped(context, arguments)
    if options.dumps is None:
        return attrs
    listed = list(cast("tuple[Expr, ...]", attrs.get("dump_vars", ())))
    if not isinstance(options.dumps, ast.List | ast.Tuple):
        context.fail(ParserTypeError, "dumps= must be a list literal", options.dumps)
    for node in options.dumps.elts:
        value = context.expr(node)
        if not any(value is argument for argument in arguments):
            context.fail(ParserTypeError, f"dumps= entry '{ast.unparse(node)}' is not an argument of this submit", node)
        if not any(value is known for known in listed):
            listed.append(value)
    return {"dump_vars": tuple(listed)} if listed else {}


def _result_type(context: Context, call: ast.Call, signature: Signature, *, arguments: tuple[Expr, ...]) -> TupleType:
    try:
        types: tuple[Type, ...] = substituted(signature, arguments, signature.return_types)
    except ValueError as error:
        context.fail(ParserSyntaxError, str(error), call)
    return TupleType((*types, scalar_type(DataType.TASK_ID)))

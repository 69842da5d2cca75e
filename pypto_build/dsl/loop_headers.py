# SPDX-License-Identifier: Apache-2.0
"""What the header of a loop says: bounds, carried values, options."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pypto_build.dsl.arguments import frozen
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError
from pypto_build.dsl.tasks import boolean_literal
from pypto_build.ir import ConstInt, DataType, Expr, IterArg, ScalarType, const_index, scalar_type


@dataclass(frozen=True, slots=True)
class Header:
    """What a loop header says besides its bounds."""

    init_values: tuple[Expr, ...]
    attrs: Mapping[str, object]
    unroll: bool = False  # `pl.range(..., init_values=..., unroll=True)`, as loops to unroll are printed in SSA form


def read_header(context: Context, call: ast.Call, *, name: str) -> Header:
    init_values: tuple[Expr, ...] = ()
    attrs: dict[str, object] = {}
    unroll = False
    for keyword in call.keywords:
        if keyword.arg == "init_values":
            if name == "unroll":
                context.fail(ParserSyntaxError, "pl.unroll() cannot be combined with init_values", keyword)
            init_values = read_init_values(context, keyword.value)
        elif keyword.arg == "attrs":
            attrs.update(_loop_attrs(context, keyword.value))
        elif keyword.arg == "unroll" and name == "range":
            unroll = boolean_literal(context, keyword.value, name="unroll")
        elif keyword.arg == "stage" and name == "pipeline":
            attrs["pipeline_stages"] = _stage(context, keyword.value)
        elif keyword.arg == "stage":
            context.fail(ParserSyntaxError, "stage= is only supported on pl.pipeline()", keyword)
        else:
            context.fail(ParserSyntaxError, f"pl.{name}() does not accept '{keyword.arg}='", keyword)
    if name == "pipeline" and "pipeline_stages" not in attrs:
        context.fail(ParserSyntaxError, "pl.pipeline() requires stage= (positive integer)", call)
    return Header(init_values, attrs, unroll)


def read_init_values(context: Context, node: ast.expr) -> tuple[Expr, ...]:
    """The values that the first iteration starts with."""
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(_init_value(context, element) for element in node.elts)
    value = context.value(node)
    if not isinstance(value, list | tuple):
        context.fail(ParserSyntaxError, "init_values must be a list or tuple", node)
    items = cast("list[object]", value)
    return tuple(item if isinstance(item, Expr) else context.expr(node) for item in items)


def _init_value(context: Context, node: ast.expr) -> Expr:
    if isinstance(node, ast.Constant) and node.value is None:
        return context.operation("system", "task_invalid")(span=context.span(node))
    return context.expr(node)


def _loop_attrs(context: Context, node: ast.expr) -> dict[str, object]:
    value = context.value(node)
    if not isinstance(value, dict):
        context.fail(ParserSyntaxError, "Loop attrs= must be a dict literal", node)
    result: dict[str, object] = {}
    for key, item in cast("dict[object, object]", value).items():
        if not isinstance(key, str):
            context.fail(ParserSyntaxError, "Loop attrs= keys must be strings", node)
        result[key] = frozen(item)
    return result


def _stage(context: Context, node: ast.expr) -> int:
    value = context.value(node)
    value = value.value if isinstance(value, ConstInt) else value
    if isinstance(value, Expr):
        context.fail(ParserSyntaxError, "pl.pipeline() stage must be a compile-time constant", node)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        context.fail(ParserSyntaxError, "pl.pipeline() stage must be >= 1 and an integer", node)
    return value


def read_targets(context: Context, loop: ast.For, header: Header) -> tuple[ast.Name, list[ast.Name]]:
    """The loop variable and the names of the carried values."""
    target = loop.target
    if isinstance(target, ast.Name):
        if header.init_values:
            context.fail(
                ParserSyntaxError,
                "For loop target must be a tuple when init_values are given: for i, (a, b) in pl.range(...)",
                target,
            )
        return target, []
    if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
        context.fail(ParserSyntaxError, "For loop target must be a name or (name, (carried, ...))", target)
    variable, carried = target.elts
    if not isinstance(variable, ast.Name) or not isinstance(carried, ast.Tuple | ast.List):
        context.fail(ParserSyntaxError, "For loop target must be a name or (name, (carried, ...))", target)
    return variable, carried_names(context, carried.elts, header.init_values, place=target)


def carried_names(
    context: Context, nodes: Sequence[ast.expr], init_values: Sequence[Expr], *, place: ast.expr
) -> list[ast.Name]:
    """The names of the carried values, one per initial value."""
    names: list[ast.Name] = []
    for node in nodes:
        if not isinstance(node, ast.Name):
            context.fail(ParserSyntaxError, "Carried values target must be variable names", node)
        names.append(node)
    if len(names) != len(init_values):
        context.fail(
            ParserSyntaxError,
            f"Mismatch: {len(names)} iter_args but {len(init_values)} init_values",
            place,
            hint="Each carried value needs exactly one initial value",
        )
    return names


def make_iter_args(context: Context, names: Sequence[ast.Name], init_values: Sequence[Expr]) -> tuple[IterArg, ...]:
    pairs = zip(names, init_values, strict=True)
    return tuple(IterArg(name.id, value.type, context.span(name), value) for name, value in pairs)


def read_bounds(context: Context, call: ast.Call, *, name: str) -> tuple[Expr, Expr, Expr]:
    if not 1 <= len(call.args) <= 3:
        context.fail(ParserSyntaxError, f"pl.{name}() takes 1 to 3 positional arguments, got {len(call.args)}", call)
    given = [_bound(context, argument, name=name) for argument in call.args]
    span = context.span(call)
    if len(given) == 1:
        return const_index(0, span), given[0], const_index(1, span)
    return given[0], given[1], given[2] if len(given) == 3 else const_index(1, span)


def _bound(context: Context, node: ast.expr, *, name: str) -> Expr:
    value = context.expr(node)
    if not isinstance(value.type, ScalarType) or not value.type.dtype.is_int():
        context.fail(ParserTypeError, f"pl.{name}() bound must be an integer scalar, got {value.type}", node)
    return value


def check_constant(context: Context, call: ast.Call, bounds: Sequence[Expr]) -> None:
    if not all(isinstance(bound, ConstInt) for bound in bounds):
        context.fail(ParserSyntaxError, "pl.unroll() requires compile-time constant integer bounds", call)


def loop_type(*bounds: Expr) -> ScalarType:
    wide = any(isinstance(bound.type, ScalarType) and bound.type.dtype is DataType.INT64 for bound in bounds)
    return scalar_type(DataType.INT64 if wide else DataType.INDEX)

# SPDX-License-Identifier: Apache-2.0
"""Functions: decorator, signature, the prologue of attributes, body."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_build.ir.enums import FunctionType, ParamDirection, Role, SplitMode
from pypto_build.ir.expr import Var
from pypto_build.ir.printing.context import INDENT, Context, Place
from pypto_build.ir.printing.literals import enum_text, string_text
from pypto_build.ir.printing.parts import Part, Parts, called
from pypto_build.ir.printing.statements import block, body_of, comments
from pypto_build.ir.printing.types import type_text
from pypto_build.ir.printing.values import mapping
from pypto_build.ir.program import Function
from pypto_build.ir.types import Type

LINE_LENGTH = 200
AUTO_SCOPE = "auto_scope"
EXTERNAL_SOURCE = "external_source"
SPLIT = "split"
_WRAPPERS = {ParamDirection.Out: "Out", ParamDirection.InOut: "InOut"}


def function_text(ctx: Context, function: Function, depth: int = 0) -> Parts:
    """A function definition."""
    place = Place(depth)
    yield comments(function.leading_comments, place)
    yield f"{place.pad}@"
    arguments = list(_decorator_arguments(ctx, function))
    yield called(f"{ctx.pl}.function", arguments) if arguments else f"{ctx.pl}.function"
    yield "\n"
    yield _signature(ctx.for_signature(), function, place)
    yield _body(ctx, function, Place(depth + 1, returns=True))


def _decorator_arguments(ctx: Context, function: Function) -> Iterator[Part]:
    if function.func_type is not FunctionType.Opaque:
        yield f"type={enum_text(function.func_type, ctx.pl)}"
    if function.level is not None:
        yield f"level={enum_text(function.level, ctx.pl)}"
    if function.role is not None:
        yield f"role={enum_text(function.role, ctx.pl)}"
    if AUTO_SCOPE in function.attrs:
        yield f"auto_scope={function.attrs[AUTO_SCOPE]}"
    if EXTERNAL_SOURCE in function.attrs:
        yield f"external_source={string_text(str(function.attrs[EXTERNAL_SOURCE]))}"


def _signature(ctx: Context, function: Function, place: Place) -> str:
    """The line with `def`; one parameter per line when it would be too long to read."""
    takes_self = ctx.in_program and function.role is not Role.SubWorker
    parameters = ["self"] if takes_self else []
    for var, direction in zip(function.params, function.param_directions, strict=True):
        parameters.append(_parameter(ctx, var, direction))
    results = _results(ctx, function.return_types)
    line = f"{place.pad}def {function.name}({', '.join(parameters)}){results}:\n"
    if len(line) <= LINE_LENGTH or not ctx.style.format or not parameters:
        return line
    inner = "".join(f"{place.pad}{INDENT}{parameter},\n" for parameter in parameters)
    return f"{place.pad}def {function.name}(\n{inner}{place.pad}){results}:\n"


def _parameter(ctx: Context, var: Var, direction: ParamDirection) -> str:
    annotation = type_text(ctx, var.type)
    wrapper = _WRAPPERS.get(direction)
    return f"{ctx.names.of(var)}: {f'{ctx.pl}.{wrapper}[{annotation}]' if wrapper else annotation}"


def _results(ctx: Context, types: tuple[Type, ...]) -> str:
    if not types:
        return ""
    texts = [type_text(ctx, one) for one in types]
    return f" -> {texts[0]}" if len(texts) == 1 else f" -> tuple[{', '.join(texts)}]"


def _body(ctx: Context, function: Function, place: Place) -> Parts:
    attrs = _prologue(function)
    if attrs:
        yield place.pad
        yield called(f"{ctx.pl}.func_attr", [mapping(ctx, attrs)])
        yield "\n"
    stmts = body_of(function.body)
    if not stmts and (function.requires_runtime_binding or EXTERNAL_SOURCE in function.attrs):
        yield f"{place.pad}...\n"
    elif stmts or not attrs:
        yield block(ctx, stmts, place)


def _prologue(function: Function) -> dict[str, object]:
    """The attributes that the decorator does not take; a split mode by name, no split not at all."""
    attrs = {name: given for name, given in function.attrs.items() if name not in (AUTO_SCOPE, EXTERNAL_SOURCE)}
    mode = attrs.get(SPLIT)
    if isinstance(mode, int) and not isinstance(mode, bool) and mode in (0, 1, 2):
        attrs[SPLIT] = SplitMode(mode)
    if attrs.get(SPLIT) is SplitMode.NONE:
        del attrs[SPLIT]
    return attrs

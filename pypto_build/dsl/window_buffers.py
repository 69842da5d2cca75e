# SPDX-License-Identifier: Apache-2.0
"""`buf = pld.alloc_window_buffer(...)`: communication buffers, named after the variable they are assigned to."""

from __future__ import annotations

import ast
from typing import Final, cast

from pypto_build.dsl.bindings import assign_name
from pypto_build.dsl.built import built
from pypto_build.dsl.comm_domains import bind_slot
from pypto_build.dsl.constants import to_expr
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.host_only import check_host
from pypto_build.ir import ConstInt, DataType, Expr, Type
from pypto_build.ir.scalar import binary, cast_to, dtype_of

_ALLOCATIONS: Final = (("pld", "alloc_window_buffer"), ("pld", "tensor", "alloc_window_buffer"))


def is_allocation(path: tuple[str, ...]) -> bool:
    """Whether a dotted name allocates a window buffer."""
    return path in _ALLOCATIONS


def refuse_unassigned(context: Context, call: ast.Call) -> object:
    """Say that an allocation stands where it gets no name."""
    return context.fail(
        ParserSyntaxError,
        "pld.alloc_window_buffer() must appear as the RHS of a simple assignment: buf = pld.alloc_window_buffer(...)",
        call,
        hint="The variable names the buffer",
    )


def assign_allocation(
    context: Context, target: ast.expr, call: ast.Call, *, place: ast.stmt, declared: Type | None
) -> None:
    """`name = pld.alloc_window_buffer(size)` or `(shape, dtype=...)`"""
    if not isinstance(target, ast.Name):
        refuse_unassigned(context, call)
        return
    check_host(context, call, "pld.alloc_window_buffer")
    options = {keyword.arg or "**": keyword.value for keyword in call.keywords}
    name = _name(context, target, options.pop("name", None))
    size = _size(context, call, options)
    made = built(context, call, ("pld", "tensor", "alloc_window_buffer"), size, options={"name": name})
    var = assign_name(context, target, made, declared=declared, place=place)
    bind_slot(context, var, size)


def _name(context: Context, target: ast.Name, given: ast.expr | None) -> str:
    """The name of the buffer: that of the variable, without the version that a pass may have added."""
    name = target.id
    if given is not None:
        wanted = context.value(given)
        if not isinstance(wanted, str) or not name.startswith(f"{wanted}__"):
            context.fail(
                ParserSyntaxError, "'name' kwarg cannot be passed explicitly to pld.alloc_window_buffer()", given
            )
        name = wanted
    known = context.callees.window_buffers
    if name in known:
        context.fail(ParserSyntaxError, f"Window buffer '{name}' is already declared in this program", target)
    known.add(name)
    return name


def _size(context: Context, call: ast.Call, options: dict[str, ast.expr]) -> Expr:
    dtype_node = options.pop("dtype", None)
    if options or len(call.args) != 1:
        unknown = ", ".join(options)
        text = f"got an unexpected keyword argument '{unknown}'" if options else "takes one positional argument"
        if not options and not call.args:
            text = "missing 1 required positional argument: 'size'"
        context.fail(ParserSyntaxError, f"pld.alloc_window_buffer() {text}", call)
    node = call.args[0]
    value = context.value(node)
    dtype = None if dtype_node is None else context.value(dtype_node)
    if not isinstance(value, list | tuple):
        if dtype_node is not None:
            context.fail(ParserSyntaxError, "dtype= is only valid when the first argument is a shape", dtype_node)
        return to_expr(context, value, node)
    if dtype_node is None:
        context.fail(ParserSyntaxError, "pld.alloc_window_buffer(shape) requires dtype=", call)
    if not isinstance(dtype, DataType):
        context.fail(ParserSyntaxError, "pld.alloc_window_buffer() dtype must be a DataType", dtype_node)
    return _bytes(context, node, cast("list[object]", value), dtype=dtype)


def _bytes(context: Context, node: ast.expr, shape: list[object], *, dtype: DataType) -> Expr:
    """The size of a shape in bytes: a number when all extents are."""
    if not shape:
        context.fail(ParserSyntaxError, "pld.alloc_window_buffer(): shape must be non-empty", node)
    if any(isinstance(extent, int) and extent <= 0 for extent in shape):
        context.fail(ParserSyntaxError, "pld.alloc_window_buffer(): all dimensions must be positive", node)
    span = context.span(node)
    known = 1
    unknown: list[Expr] = []
    for extent in shape:
        if isinstance(extent, int):
            known *= extent
        else:
            unknown.append(to_expr(context, extent, node))
    if not unknown:
        return ConstInt((known * dtype.get_bit() + 7) // 8, DataType.INT64, span)
    total: Expr = ConstInt(known * dtype.get_byte(), DataType.INT64, span)
    for extent in unknown:
        wide = extent if dtype_of(extent) in (DataType.INT64, DataType.INDEX) else cast_to(extent, DataType.INT64, span)
        total = binary("mul", total, wide, span)
    return total

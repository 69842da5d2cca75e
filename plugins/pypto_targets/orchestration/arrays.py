# SPDX-License-Identifier: Apache-2.0
"""Arrays on the stack of the orchestration: numbers, and ids of tasks. A write happens in place."""

from __future__ import annotations

from pypto_build.errors import InternalError
from pypto_build.ir import ArrayType, Call, DataType, Expr, Var, as_int
from pypto_targets.orchestration.cpp import scalar_type
from pypto_targets.orchestration.values import Array, hint
from pypto_targets.orchestration.writer import INVALID_TASK, Writer


def declare_array(writer: Writer, var: Var, *, dtype: DataType, size: int, start: str = "") -> Array:
    """An array; ids of tasks begin as `start` or as no task, which is not zero."""
    depth = min(writer.plan.hoisted.get(var, writer.source.depth), writer.source.depth)
    name = writer.source.name(hint(var), depth=depth, var=var)
    kind = scalar_type(dtype, var.span)
    if dtype is DataType.TASK_ID:
        writer.source.emit(f"{kind} {name}[{size}];", depth=depth)
        fill(writer, name.text, size=size, value=start or INVALID_TASK, depth=depth)
    else:
        writer.source.emit(f"{kind} {name}[{size}] = {{0}};", depth=depth)
    array = Array(name, size)
    writer.values[var] = array
    return array


def fill(writer: Writer, array: str, *, size: int, value: str, depth: int | None = None) -> None:
    """Every slot of an array is given a value; the value may name the index, `__init_i`."""
    head = f"for (int64_t __init_i = 0; __init_i < {size}; ++__init_i)"
    writer.source.emit(f"{head} {array}[__init_i] = {value};", depth=depth)


def emit_create(writer: Writer, call: Call, var: Var) -> None:
    """A new array."""
    if not isinstance(var.type, ArrayType):
        raise InternalError("a created array has no array type", call.span)
    declare_array(writer, var, dtype=var.type.dtype, size=as_int(var.type.extent) or 0)


def emit_get_element(writer: Writer, call: Call, var: Var) -> None:
    """One slot as it is now; a later write does not change what was read."""
    writer.declare(var, f"{_name(writer, call.args[0])}[{writer.scalar(call.args[1])}]")


def emit_update_element(writer: Writer, call: Call, var: Var) -> None:
    """Write one slot."""
    value = writer.scalar(call.args[2])
    writer.source.emit(f"{_name(writer, call.args[0])}[{writer.scalar(call.args[1])}] = {value};")
    writer.values[var] = writer.value(call.args[0])


def emit_is_valid(writer: Writer, call: Call, var: Var) -> None:
    """Whether an id names a task."""
    writer.declare(var, f"{writer.scalar(call.args[0])}.is_valid()")


def _name(writer: Writer, expr: Expr) -> str:
    return writer.text(writer.value(expr), expr)

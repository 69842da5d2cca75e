# SPDX-License-Identifier: Apache-2.0
"""Builders of operations that create tensors, and of access to single elements and extents."""

from __future__ import annotations

import math

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr, MemorySpace, TensorLayout, constant_value
from pypto_build.ops.build.normal import Indices, Number, call, dtype_of_operand, scalar_for, untyped_as
from pypto_build.ops.build.normal import index as as_index
from pypto_build.ops.build.normal import indices as extents

_EXACT = 2**53  # integers beyond it do not survive the double that carries them


def create(
    shape: Indices,
    dtype: DataType,
    layout: TensorLayout = TensorLayout.ND,
    manual_dep: bool = False,
    init_value: float | None = None,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A tensor in global memory; init_value fills it, manual_dep leaves its dependencies to the program.

    Raises:
        ValueError: an init_value that is not finite, or an integer that a double cannot carry.
    """
    fill = None if init_value is None else _initial(init_value)
    kwargs = {"dtype": dtype, "layout": layout, "manual_dep": manual_dep or None, "init_value": fill}
    return call("tensor.create", (extents(shape, span),), kwargs, span)


create_tensor = create


def _initial(value: object) -> float:
    given = constant_value(value) if isinstance(value, Expr) else value
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeError(f"init_value must be a number, got {type(given).__name__}")
    if isinstance(given, int) and abs(given) > _EXACT:
        raise ValueError(f"init_value {given} is beyond the exactly-representable integers of a double (2**53)")
    if not math.isfinite(given):
        raise ValueError(f"init_value must be finite, got {given}")
    return float(given)


def create_l1(shape: Indices, dtype: DataType, transpose: bool = False, *, span: Span = UNKNOWN_SPAN) -> Call:
    """A tensor in the first-level buffer of the cube core, laid out for a transposed operand if asked for."""
    return call("tensor.create_l1", (extents(shape, span),), {"dtype": dtype, "transpose": transpose}, span)


def full(shape: Indices, dtype: DataType, value: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """A tensor with one value everywhere."""
    filler = untyped_as(value, dtype, span)
    return call("tensor.full", (extents(shape, span), filler), {"dtype": dtype}, span)


def ci(
    start: Number,
    shape: Indices,
    dtype: DataType = DataType.INT32,
    descending: bool = False,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Consecutive integers from start, up or down."""
    first = untyped_as(start, dtype, span)
    return call("tensor.ci", (first, extents(shape, span)), {"dtype": dtype, "descending": descending}, span)


arange = ci


def random(  # noqa: PLR0917  # the signature that programs call
    key0: Number,
    key1: Number,
    counter0: Number,
    counter1: Number,
    counter2: Number,
    counter3: Number,
    shape: Indices,
    dtype: DataType = DataType.UINT32,
    rounds: int = 10,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Random integers from two key words and four counter words."""
    words = (key0, key1, counter0, counter1, counter2, counter3)
    operands = (untyped_as(word, DataType.INT32, span) for word in words)
    return call("tensor.random", (*operands, extents(shape, span)), {"dtype": dtype, "rounds": rounds}, span)


def alloc(memory_space: MemorySpace | Number, size: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """An allocation of a size in bytes."""
    space = memory_space.value if isinstance(memory_space, MemorySpace) else memory_space
    return call("tensor.alloc", (as_index(space, span), as_index(size, span)), None, span)


def dim(tensor: Expr, axis: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The extent of a tensor along an axis, which may count from the end."""
    return call("tensor.dim", (tensor, as_index(axis, span)), None, span)


def read(tensor: Expr, indices: Indices | int, *, span: Span = UNKNOWN_SPAN) -> Call:
    """One element."""
    return call("tensor.read", (tensor, extents(indices, span)), None, span)


def write(tensor: Expr, indices: Indices | int, value: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The tensor after one element was stored; an untyped number takes the element type."""
    constant = not isinstance(value, Expr) or constant_value(value) is not None
    stored = scalar_for(tensor, value, span) if constant and dtype_of_operand(tensor) else as_index(value, span)
    return call("tensor.write", (tensor, extents(indices, span), stored), None, span)


def get_block_idx(*, span: Span = UNKNOWN_SPAN) -> Call:
    """The number of this block in the launch."""
    return call("tensor.get_block_idx", (), None, span)


def get_block_num(*, span: Span = UNKNOWN_SPAN) -> Call:
    """How many blocks were launched."""
    return call("tensor.get_block_num", (), None, span)


def get_subblock_idx(*, span: Span = UNKNOWN_SPAN) -> Call:
    """The number of this vector core in its block."""
    return call("tensor.get_subblock_idx", (), None, span)

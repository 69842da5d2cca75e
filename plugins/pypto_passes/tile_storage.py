# SPDX-License-Identifier: Apache-2.0
"""How many bytes a tile or tensor takes, and at which byte of its source a view starts."""

from __future__ import annotations

from math import prod

from pypto_build.errors import InternalError, Span, UserError
from pypto_build.ir import (
    Call,
    ConstInt,
    DataType,
    Expr,
    Function,
    FunctionType,
    MakeTuple,
    MemorySpace,
    ShapedType,
    TileType,
    as_int,
)
from pypto_build.ops.arithmetic import plus, scaled
from pypto_build.ops.definition import AccessEvidence, FromInput, OpDef
from pypto_build.passes import HardwareDescription

_ACC_ROWS = 16  # an accumulator is made of whole blocks of so many rows
_ACC_INT32_ROWS = 32  # of so many for INT32 on a2a3 (public memory model of that chip)


_CORE_FUNCTIONS = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)


def is_core_function(function: Function) -> bool:
    """Whether a function runs on a cube or vector core, so that its tiles live in on-chip memory."""
    return function.func_type in _CORE_FUNCTIONS


def static_shape(kind: ShapedType) -> tuple[int, ...] | None:
    """The extents when all are constants."""
    extents = tuple(as_int(dim) for dim in kind.shape)
    return None if None in extents else extents  # type: ignore[return-value]  # no None among them


def packed_bytes(elements: int, dtype: DataType) -> int:
    """Bytes of so many elements; elements of less than a byte are packed."""
    return (elements * dtype.get_bit() + 7) // 8


def storage_bytes(kind: ShapedType, hardware: HardwareDescription, span: Span) -> int:
    """Bytes that a value of its own takes; 0 for a tensor of unknown extent.

    The rows of an accumulator are counted in whole blocks.

    Raises:
        InternalError: a tile's extent is not constant.
    """
    shape = static_shape(kind)
    if shape is None:
        if isinstance(kind, TileType):
            raise InternalError("InitMemRef requires static shape: a tile's extents must be constants", span)
        return 0
    if isinstance(kind, TileType) and kind.memory_space is MemorySpace.Acc and len(shape) == 2:
        block = _ACC_INT32_ROWS if kind.dtype is DataType.INT32 and hardware.arch == "a2a3" else _ACC_ROWS
        shape = (-(-shape[0] // block) * block, shape[1])
    return packed_bytes(prod(shape), kind.dtype)


def row_strides(kind: ShapedType) -> tuple[int, ...] | None:
    """Elements from one index to the next in each dimension of a packed value."""
    shape = static_shape(kind)
    return None if shape is None else tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))


def slice_offset(call: Call, strides: tuple[int, ...] | None) -> Expr:
    """The byte at which a slice starts, from the start of its source with these strides.

    Raises:
        UserError: the slice of a packed 4-bit tile starts within a byte.
    """
    source = call.args[0].type
    offsets = call.args[2]
    if not isinstance(source, ShapedType) or not isinstance(offsets, MakeTuple) or strides is None:
        raise InternalError(f"{call.op.name} without constant strides", call.span)
    elements: Expr = ConstInt(0, DataType.INT64)
    for offset, stride in zip(offsets.elements, strides, strict=True):
        elements = plus(elements, scaled(offset, stride))
    bits = source.dtype.get_bit()
    constant = as_int(elements)
    if bits < 8 and (constant is None or constant * bits % 8):
        raise _not_byte_aligned(call)
    if constant is not None:
        return ConstInt(constant * bits // 8, DataType.INT64)
    return scaled(elements, bits // 8)


def _not_byte_aligned(call: Call) -> UserError:
    return UserError(
        "MEM001",
        "Packed 4-bit slice origins must be byte-aligned",
        call.span,
        help="start the slice at an even constant element",
    )


def shared_argument(call: Call, definition: OpDef) -> int | None:
    """The argument whose buffer the result lives in, or None.

    What is assembled in Mat lives in its target, because no move leads from Mat to Mat.
    """
    if definition.name == "tile.assemble" and isinstance(call.type, TileType):
        return 0 if call.type.memory_space is MemorySpace.Mat else None
    if definition.reuses_input is not None:
        return definition.reuses_input
    spec = definition.memory
    if spec is None or not isinstance(spec.output, FromInput):
        return None
    return 0 if definition.access is AccessEvidence.NO_ACCESS or definition.category == "TensorOp" else None

# SPDX-License-Identifier: Apache-2.0
"""Rows of global memory gathered into an on-chip accumulator: one window at a time, or through a page table."""

from __future__ import annotations

from pypto_build.ir import DataType, MemorySpace, ScalarType, TensorType, as_int, const_index
from pypto_build.ops.deduce_tensor import fresh_tensor, require
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_above, provably_negative
from pypto_build.ops.regions import Region


def row_gathered(operands: Operands) -> TensorType:
    """The accumulator after a window of the source was copied into it."""
    acc, source = operands.tensor(0), operands.tensor(1)
    same = acc.dtype is source.dtype
    operands.check(same, f"requires acc and src to share dtype, but got {acc.dtype} and {source.dtype}")
    check_row_window(operands, acc.shape, source.shape)
    return acc


def check_row_window(operands: Operands, acc: Region, source: Region) -> None:
    """The rules about offsets, the static window and the part of it that is copied (arguments 2 to 5).

    Raises:
        ValueError: one of them is broken.
    """
    window = operands.elements(4)
    for what, index, rank in (("dst_offset", 2, len(acc)), ("src_offset", 3, len(source))):
        count = len(operands.elements(index))
        require(operands, count == rank, "requires {} {} elements, but got {}", rank, what, count)
    require(operands, len(window) == len(source), "requires shapes of the rank of src, but got {}", window)
    for axis, dim in enumerate(window):
        extent = as_int(dim)
        static = extent is not None and extent > 0
        text = f"requires shapes[{axis}] to be a positive compile-time ConstInt, because it sizes the copied window. "
        operands.check(static, text + "Pass a dynamic row count through valid_shape instead")
    if operands.has(5):
        _check_copied_part(operands, window)


def _check_copied_part(operands: Operands, window: Region) -> None:
    valid = operands.elements(5)
    same_rank = len(valid) == len(window)
    require(operands, same_rank, "requires valid_shape to have the same rank as shapes, got {} for {}", valid, window)
    for axis, (extent, bound) in enumerate(zip(valid, window, strict=True)):
        integer = isinstance(extent.type, ScalarType) and extent.type.dtype.is_int()
        operands.check(integer, f"requires valid_shape[{axis}] to be an integer extent")
        within = not (provably_above(extent, bound) or provably_negative(extent))
        text = "valid_shape[{}] = {} provably exceeds physical shape extent {} or is negative"
        require(operands, within, text, axis, extent, bound)
        dynamic = as_int(extent) is None and operands.value("transpose", False)
        operands.check(not dynamic, "does not support a dynamic valid_shape together with transpose=True")


def page_gathered(operands: Operands) -> TensorType:
    """Rows that a list of indices names, found through a page table."""
    source, indices, table = operands.tensor(0), operands.tensor(1), operands.tensor(2)
    require(operands, len(source.shape) == 2, "requires a 2D src, but got {}", source.shape)
    for what, tensor in (("indices", indices), ("block_table", table)):
        operands.check(tensor.dtype is DataType.INT32, f"requires {what} dtype INT32, but got {tensor.dtype}")
        operands.check(len(tensor.shape) >= 1, f"requires {what} with at least 1 dimension")
    for name in ("block_size", "size", "max_indices"):
        value = operands.value(name, 0)
        operands.check(value > 0, f"requires a positive {name}, but got {value}")
    shape = (const_index(operands.value("max_indices", 0)), const_index(operands.value("size", 0)))
    return fresh_tensor(shape[::-1] if operands.value("is_trans", False) else shape, source.dtype)


_SHAPE = "tuple of ScalarType"

OPS = (
    OpDef(
        name="tensor.gather_row",
        category="TensorOp",
        args=(
            ArgDef("acc", "TensorType"),
            ArgDef("src", "TensorType"),
            ArgDef("dst_offset", _SHAPE),
            ArgDef("src_offset", _SHAPE),
            ArgDef("shapes", "tuple of ConstInt"),
            ArgDef("valid_shape", _SHAPE, optional=True),
        ),
        kwargs=(KwargDef("transpose", bool, default=False),),
        deduce=row_gathered,
        description="a window of the source copied into an on-chip accumulator",
    ),
    OpDef(
        name="tensor.paged_gather",
        category="TensorOp",
        args=(ArgDef("src", "TensorType"), ArgDef("indices", "TensorType"), ArgDef("block_table", "TensorType")),
        kwargs=(
            KwargDef("block_size", int, required=True),
            KwargDef("size", int, required=True),
            KwargDef("col_off", int, default=0),
            KwargDef("max_indices", int, required=True),
            KwargDef("is_trans", bool, default=False),
            KwargDef("is_b_matrix", bool, default=False),
            KwargDef("space", MemorySpace, default=MemorySpace.Mat),
        ),
        deduce=page_gathered,
        description="rows that indices name, found through a page table",
    ),
)

# SPDX-License-Identifier: Apache-2.0
"""Other shapes and other element types over the memory of a tensor: reshape, transpose, reinterpret_view."""

from __future__ import annotations

from pypto_build.ir import DataType, PadValue, TensorLayout, TensorType, TensorView, as_int
from pypto_build.ops.deduce import is_fully_valid
from pypto_build.ops.deduce_tensor import (
    axis_of,
    checked_valid,
    is_packed,
    layout_of,
    pad_of,
    refuse_mx,
    require,
    strides_of,
    tensor_type,
)
from pypto_build.ops.definition import INHERIT, ArgDef, KwargDef, MemorySpec, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import product, provably_above, provably_at_most, provably_equal, same_dimensions
from pypto_build.ops.regions import Region
from pypto_build.ops.reinterpret import check_types, reinterpreted_region, reinterpreted_shape
from pypto_build.ops.reshaping import reshaped_region
from pypto_build.ops.tensor_layout import packed_strides

_FLIPPED = {TensorLayout.ND: TensorLayout.DN, TensorLayout.DN: TensorLayout.ND}


def reshaped(operands: Operands) -> TensorType:
    """The same elements in the same order in another shape."""
    source, shape = operands.tensor(0), operands.elements(1)
    refuse_mx(operands, source)
    have, want = product(source.shape), product(shape)
    same = have is None or want is None or have == want
    require(operands, same, "requires the same number of elements, got {} and {}", source.shape, shape)
    valid = checked_valid(operands, source)
    row_major = layout_of(source) is TensorLayout.ND and is_packed(source)
    region = reshaped_region(operands, source.shape, valid, target=shape, row_major=row_major)
    if operands.has(2):
        region = _narrowed(operands, region, operands.elements(2), shape)
    pad = pad_of(source) if not same_dimensions(region, shape) else PadValue.null
    return tensor_type(shape, source.dtype, TensorView(valid_shape=region, pad=pad), kind_of=source)


def _narrowed(operands: Operands, region: Region, wanted: Region, shape: Region) -> Region:
    text = "valid_shape rank ({}) must match the rank of {}"
    require(operands, len(wanted) == len(shape), text, len(wanted), shape)
    for axis, (limit, extent) in enumerate(zip(region, wanted, strict=True)):
        number = as_int(extent)
        text = f"valid_shape extent {{}} of dimension {axis}"
        require(operands, number is None or number >= 0, f"{text} must be provably >= 0", extent)
        believed = number is None and provably_equal(limit, shape[axis])
        within = believed or provably_at_most(extent, limit)
        require(operands, within, f"{text} is not provably within the source-derived extent {{}}", extent, limit)
    return wanted


def transposed(operands: Operands) -> TensorType:
    """Two axes swapped by swapping their strides; swapping the last two is what the layout tag tells."""
    source = operands.tensor(0)
    refuse_mx(operands, source)
    operands.check(layout_of(source) in _FLIPPED, f"does not support {layout_of(source).name} layout")
    rank = len(source.shape)
    first, second = (_constant_axis(operands, index, rank) for index in (1, 2))
    shape = _swapped(source.shape, first, second)
    stride = _swapped(strides_of(source) or packed_strides(source.shape, layout_of(source)), first, second)
    layout = layout_of(source)
    if {first, second} == {rank - 2, rank - 1} and first != second:
        layout = _FLIPPED[layout]
    if operands.has(3):
        valid = operands.elements(3)
        operands.check(len(valid) == rank, f"valid_shape rank ({len(valid)}) must match the rank {rank} of the result")
        exceeds = any(map(provably_above, valid, shape))
        require(operands, not exceeds, "valid_shape {} exceeds the shape {}", valid, shape)
    else:
        valid = _swapped(checked_valid(operands, source), first, second)
    if layout is TensorLayout.ND and same_dimensions(stride, packed_strides(shape, layout)):
        stride = ()
    return tensor_type(shape, source.dtype, TensorView(stride, layout, valid, pad_of(source)), kind_of=source)


def _constant_axis(operands: Operands, index: int, rank: int) -> int:
    axis = as_int(operands.args[index])
    if axis is None:
        raise operands.error("requires compile-time ConstInt axes")
    return axis_of(operands, axis, rank, "axis")


def _swapped(values: Region, first: int, second: int) -> Region:
    result = list(values)
    result[first], result[second] = values[second], values[first]
    return tuple(result)


def reinterpreted(operands: Operands) -> TensorType:
    """The same bytes as elements of another type; the axis that is contiguous in memory is scaled."""
    source, dtype = operands.tensor(0), operands.dtype("dtype")
    refuse_mx(operands, source)
    layout, types = layout_of(source), (source.dtype, dtype)
    check_types(operands, types)
    operands.check(len(source.shape) > 0, "requires at least 1 dimension")
    operands.check(layout in _FLIPPED and is_packed(source), "only supports packed tensors")
    axis = len(source.shape) - (2 if layout is TensorLayout.DN else 1)
    partial = not is_fully_valid(source)
    asked = operands.elements(1) if operands.has(1) else None
    shape = reinterpreted_shape(operands, source.shape, types, axis=axis, asked=asked, partial=partial)
    valid = reinterpreted_region(operands, checked_valid(operands, source), types, axis=axis) if partial else shape
    stride = packed_strides(shape, layout) if strides_of(source) else ()
    kept = pad_of(source) is PadValue.zero  # the largest and the smallest value depend on the type
    view = TensorView(stride, layout, valid, PadValue.zero if kept else PadValue.null)
    return tensor_type(shape, dtype, view, kind_of=source)


_INPUT = ArgDef("input", "TensorType")
_SHAPE = "tuple of ScalarType"
_VALID = ArgDef("valid_shape", _SHAPE, optional=True)

OPS = (
    OpDef(
        name="tensor.reshape",
        category="TensorOp",
        args=(_INPUT, ArgDef("shape", _SHAPE), _VALID),
        deduce=reshaped,
        memory=MemorySpec(output=INHERIT),
        description="another shape of the same elements",
    ),
    OpDef(
        name="tensor.transpose",
        category="TensorOp",
        args=(_INPUT, ArgDef("axis1", "ConstInt"), ArgDef("axis2", "ConstInt"), _VALID),
        deduce=transposed,
        description="two axes swapped",
    ),
    OpDef(
        name="tensor.reinterpret_view",
        category="TensorOp",
        args=(ArgDef("data", "TensorType"), ArgDef("shape", _SHAPE, optional=True)),
        kwargs=(KwargDef("dtype", DataType, required=True),),
        deduce=reinterpreted,
        memory=MemorySpec(output=INHERIT),
        description="the same bytes as elements of another type",
    ),
)

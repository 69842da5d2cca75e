# SPDX-License-Identifier: Apache-2.0
"""tensor.view: another layout tag, another shape, or both, over the same memory, with strides spelled out.

Flipping between ND and DN swaps the last two dimensions, so the elements stay where they are. A new shape needs a
packed source, and a partly valid one only goes where its region stays a box.
"""

from __future__ import annotations

from pypto_build.ir import PadValue, TensorLayout, TensorType, TensorView, as_int
from pypto_build.ops.deduce import is_fully_valid
from pypto_build.ops.deduce_tensor import (
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
from pypto_build.ops.proof import product, provably_above, same_dimensions
from pypto_build.ops.regions import Region
from pypto_build.ops.reshaping import leading_collapse, prefix_collapse
from pypto_build.ops.tensor_layout import canonical_problem, packed_strides

_FLAT_LAYOUTS = (TensorLayout.ND, TensorLayout.DN)


def viewed(operands: Operands) -> TensorType:
    """A view in another layout or shape."""
    source = operands.tensor(0)
    refuse_mx(operands, source)
    layout = operands.kwargs.get("layout", layout_of(source))
    assert isinstance(layout, TensorLayout)
    for what in (layout, layout_of(source)):
        operands.check(what in _FLAT_LAYOUTS, f"cannot view: {what.name} layout is not allowed on a tensor")
    return _in_shape(operands, source, layout) if operands.has(1) else _in_layout(operands, source, layout)


def _in_layout(operands: Operands, source: TensorType, layout: TensorLayout) -> TensorType:
    own = layout_of(source)
    stride = strides_of(source) or packed_strides(source.shape, own)
    shape, valid = source.shape, checked_valid(operands, source)
    if layout is not own:
        require(operands, len(shape) >= 2, "requires rank >= 2 to flip the layout, but got {}", shape)
        problem = canonical_problem(shape, stride, own)
        operands.check(problem is None, f"cannot flip a source view that is not canonical: {problem}")
        shape, stride, valid = _flipped(shape), _flipped(stride), _flipped(valid)
    return tensor_type(shape, source.dtype, TensorView(stride, layout, valid, pad_of(source)), kind_of=source)


def _flipped(values: Region) -> Region:
    return (*values[:-2], values[-1], values[-2])


def _in_shape(operands: Operands, source: TensorType, layout: TensorLayout) -> TensorType:
    shape = operands.elements(1)
    operands.check(len(shape) >= 1, "target shape must have rank >= 1")
    for dim in shape:
        extent = as_int(dim)
        require(operands, extent is None or extent > 0, "target extents must be positive, but got {}", shape)
    operands.check(is_packed(source), "requires a packed source to change the shape")
    have, want = product(source.shape), product(shape)
    same = have is None or want is None or have == want
    require(operands, same, "cannot reinterpret {} as {}: other element count", source.shape, shape)
    partial = not is_fully_valid(source)
    if operands.has(2):
        valid = _stated_region(operands, source, shape, partial=partial)
    else:
        operands.check(not partial, "cannot map a partial valid_shape: state the valid_shape of the target")
        valid = shape
    pad = pad_of(source) if partial else PadValue.null
    view = TensorView(packed_strides(shape, layout), layout, valid, pad)
    return tensor_type(shape, source.dtype, view, kind_of=source)


def _stated_region(operands: Operands, source: TensorType, shape: Region, *, partial: bool) -> Region:
    valid = operands.elements(2)
    same_rank = len(valid) == len(shape)
    require(operands, same_rank, "valid_shape rank must match the target shape, but got {} for {}", valid, shape)
    exceeds = any(map(provably_above, valid, shape))
    require(operands, not exceeds, "valid_shape exceeds target shape: {} for {}", valid, shape)
    if partial:
        _check_collapse(operands, source, shape, valid=valid)
    return valid


def _check_collapse(operands: Operands, source: TensorType, shape: Region, *, valid: Region) -> None:
    operands.check(layout_of(source) is TensorLayout.ND, "with a partial valid_shape only supports ND layout")
    region = checked_valid(operands, source)
    allowed = any(
        same_dimensions(shape, target) and same_dimensions(valid, box)
        for target, box in (leading_collapse(source.shape, region), prefix_collapse(source.shape, region))
    )
    text = (
        "maps a partial valid_shape only through a leading-dimension collapse to two dimensions or a collapse of a "
        "contiguous prefix to one row, but got {} of {} as {} of {}"
    )
    require(operands, allowed, text, region, source.shape, valid, shape)


_SHAPE = "tuple of ScalarType"

OPS = (
    OpDef(
        name="tensor.view",
        category="TensorOp",
        args=(
            ArgDef("input", "TensorType"),
            ArgDef("shape", _SHAPE, optional=True),
            ArgDef("valid_shape", _SHAPE, optional=True),
        ),
        kwargs=(KwargDef("layout", TensorLayout),),
        deduce=viewed,
        memory=MemorySpec(output=INHERIT),
        description="another layout or shape over the same memory",
    ),
)

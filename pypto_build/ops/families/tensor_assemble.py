# SPDX-License-Identifier: Apache-2.0
"""Tensor operations that put tensors together or fill what is not valid."""

from __future__ import annotations

from pypto_build.ir import AtomicType, DataType, PadValue, TensorType, TensorView, WriteChannel, as_int
from pypto_build.ops.arithmetic import plus, smaller
from pypto_build.ops.deduce import names_of, valid_shape_of
from pypto_build.ops.deduce_tensor import (
    checked_valid,
    fresh_tensor,
    layout_of,
    pad_of,
    require,
    strides_of,
    tensor_type,
)
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.effects import write_unless_atomic
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_above, provably_different
from pypto_build.ops.regions import Region, RegionWrite, written_region

ATOMIC_ADD_DTYPES = (
    *(DataType.FP32, DataType.BF16, DataType.FP16),
    *(DataType.INT32, DataType.INT16, DataType.INT8),
)


def check_atomic(operands: Operands, dtype: DataType) -> None:
    """ValueError unless `atomic` is a mode that exists, and the hardware adds elements of this type."""
    atomic = operands.value("atomic", int(AtomicType.None_))
    allowed = " or ".join(f"AtomicType.{mode.name}" for mode in AtomicType)
    operands.check(atomic in tuple(AtomicType), f"atomic must be {allowed}, but got {atomic}")
    if atomic == AtomicType.Add:
        listed = f"the hardware atomic-add dtypes ({names_of(ATOMIC_ADD_DTYPES)})"
        operands.check(dtype in ATOMIC_ADD_DTYPES, f"can add atomically only {listed}, but got {dtype}")


def assembled(operands: Operands) -> TensorType:
    """The target after a source was written into it at an offset."""
    target, source, offsets = operands.tensor(0), operands.tensor(1), operands.elements(2)
    rank = len(target.shape)
    units = len(offsets) == len(source.shape) > rank and all(as_int(dim) == 1 for dim in source.shape[:-rank])
    fits = units or len(offsets) == rank  # one for each dimension of a source that has units in front counts too
    require(operands, fits, "requires {} offsets for the target, but got {}", rank, len(offsets))
    check_atomic(operands, target.dtype)
    if len(source.shape) != rank:
        return target  # a write of another rank reinterprets the target: its box says nothing about these axes
    valid = checked_valid(operands, target)
    write = RegionWrite(target.shape, valid, valid_shape_of(source), offsets)
    region = _within(written_region(operands, write), valid, target.shape)
    if region is valid:
        return target
    view = TensorView(strides_of(target), layout_of(target), region, pad_of(target))
    return tensor_type(target.shape, target.dtype, view, kind_of=target, memref=target.memref)


def _within(region: Region, before: Region, shape: Region) -> Region:
    """The region with what grew cut at the end of the target, which a symbolic sum cannot be proven to respect."""
    if region is before:
        return region
    rows = zip(region, before, shape, strict=True)
    return tuple(extent if extent is old else smaller(extent, bound) for extent, old, bound in rows)


def concatenated(operands: Operands) -> TensorType:
    """Two tensors side by side."""
    left, right = operands.tensor(0), operands.tensor(1)
    for tensor in (left, right):
        require(operands, len(tensor.shape) == 2, "requires 2D tensors, but got {}", tensor.shape)
    require(operands, left.dtype is right.dtype, "requires the same dtype, but got {} and {}", left.dtype, right.dtype)
    same_rows = not provably_different(left.shape[0], right.shape[0])
    require(operands, same_rows, "row count must match, but got {} and {}", left.shape, right.shape)
    return fresh_tensor((left.shape[0], plus(left.shape[1], right.shape[1])), left.dtype)


def filled_up(operands: Operands) -> TensorType:
    """A tensor that is valid everywhere, with a pad value where the source is not."""
    source = operands.tensor(0)
    checked_valid(operands, source)
    return fresh_tensor(source.shape, source.dtype)


def filled_and_grown(operands: Operands) -> TensorType:
    """A larger tensor that is valid everywhere, with a pad value around the source."""
    source, shape = operands.tensor(0), operands.elements(1)
    shapes = (source.shape, shape)
    require(
        operands, len(shape) == len(source.shape), "requires a shape of the rank of the source, got {} and {}", *shapes
    )
    for axis, (have, want) in enumerate(zip(source.shape, shape, strict=True)):
        fits = not provably_above(have, want)
        require(operands, fits, f"shape dimension {axis} must be >= source dimension, got {{}} for {{}}", want, have)
    pad = operands.kwargs.get("pad_value", PadValue.null)
    assert isinstance(pad, PadValue)
    return tensor_type(shape, source.dtype, TensorView(pad=pad))


_SHAPE = "tuple of ScalarType"
_PAD = (KwargDef("pad_value", PadValue, default=PadValue.null),)

OPS = (
    OpDef(
        name="tensor.assemble",
        category="TensorOp",
        args=(ArgDef("target", "TensorType"), ArgDef("source", "TensorType"), ArgDef("offset", _SHAPE)),
        kwargs=(KwargDef("atomic", int, default=int(AtomicType.None_)),),
        deduce=assembled,
        effects={0: write_unless_atomic},
        write_channel=WriteChannel.Dma,
        reuses_input=0,
        description="a source written into a target, or added to it",
    ),
    OpDef(
        name="tensor.concat",
        category="TensorOp",
        args=(ArgDef("src0", "TensorType"), ArgDef("src1", "TensorType")),
        deduce=concatenated,
        description="two tensors side by side",
    ),
    OpDef(
        name="tensor.fillpad",
        category="TensorOp",
        args=(ArgDef("tensor", "TensorType"),),
        kwargs=_PAD,
        deduce=filled_up,
        description="a pad value in what is not valid",
    ),
    OpDef(
        name="tensor.fillpad_expand",
        category="TensorOp",
        args=(ArgDef("tensor", "TensorType"), ArgDef("shape", _SHAPE)),
        kwargs=_PAD,
        deduce=filled_and_grown,
        description="a pad value around a tensor, up to a larger shape",
    ),
)

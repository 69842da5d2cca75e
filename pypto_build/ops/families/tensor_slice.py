# SPDX-License-Identifier: Apache-2.0
"""Rectangular reads of a tensor without moving data, and the statement of which part of a tensor is valid."""

from __future__ import annotations

from pypto_build.ir import Expr, PadValue, TensorLayout, TensorType, TensorView, as_int
from pypto_build.ops.deduce import valid_shape_of
from pypto_build.ops.deduce_tensor import layout_of, pad_of, refuse_mx, require, strides_of, tensor_type
from pypto_build.ops.definition import INHERIT, ArgDef, KwargDef, MemorySpec, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_above, provably_equal, provably_negative
from pypto_build.ops.regions import Region, WindowRead, read_region

_CLAMP_HINT = "; pass clamp=True to cut the window at the end of its source"


def sliced(operands: Operands) -> TensorType:
    """A window of the source; with drop_dims, axes of extent 1 are left out of the result."""
    source, window, offsets = operands.tensor(0), operands.elements(1), operands.elements(2)
    refuse_mx(operands, source)
    rank = len(source.shape)
    operands.check(
        len(offsets) == rank and 0 < len(window) <= rank,
        f"requires {rank} offsets and a shape of at most {rank} dimensions, got {len(offsets)} and {len(window)}",
    )
    requested = operands.elements(3) if operands.has(3) else ()
    read = WindowRead(
        shape=source.shape,
        valid=valid_shape_of(source),
        window=window,
        offsets=offsets,
        requested=requested or None,
        clamp=operands.value("clamp", False),
        hint=_CLAMP_HINT,
    )
    valid = read_region(operands, read)
    dropped = _dropped_axes(operands, window, valid) if operands.has(4) else ()
    kept = [axis for axis in range(len(window)) if axis not in dropped]
    layout = layout_of(source) if len(kept) == rank else TensorLayout.ND
    stated = operands.kwargs.get("pad_value")
    pad = stated if isinstance(stated, PadValue) else pad_of(source)
    view = TensorView((), layout, tuple(valid[axis] for axis in kept), pad)
    return tensor_type([window[axis] for axis in kept], source.dtype, view, kind_of=source)


def _dropped_axes(operands: Operands, window: Region, valid: Region) -> tuple[int, ...]:
    axes: list[int] = []
    for value in operands.elements(4):
        axis = as_int(value)
        if axis is None:
            raise operands.error("requires drop_dims to be compile-time axis numbers")
        require(operands, 0 <= axis < len(window), "drop_dims axis {} is out of range for {}", axis, window)
        operands.check(axis not in axes, f"drop_dims names axis {axis} twice")
        text = "can only drop a static unit dimension, but dimension {} of {} is not"
        require(operands, as_int(window[axis]) == 1, text, axis, window)
        text = "cannot drop dimension {}: its valid extent {} is not provably 1"
        require(operands, as_int(valid[axis]) == 1, text, axis, valid[axis])
        axes.append(axis)
    require(operands, len(axes) < len(window), "drop_dims cannot erase every dimension of {}", window)
    return tuple(axes)


def with_valid_shape(operands: Operands) -> TensorType:
    """The same tensor with another valid region."""
    tensor = operands.tensor(0)
    require(operands, len(tensor.shape) == 2, "requires a 2D tensor, but got {}", tensor.shape)
    valid: list[Expr] = []
    for axis, what in enumerate(("valid_rows", "valid_cols")):
        kind, extent = operands.scalar(axis + 1), operands.args[axis + 1]
        operands.check(kind.dtype.is_int(), f"requires an integer {what}, but got {kind.dtype}")
        require(operands, not provably_negative(extent), f"{what} must be >= 0, but got {{}}", extent)
        bound = tensor.shape[axis]
        require(operands, not provably_above(extent, bound), f"{what} {{}} exceeds tensor bound {{}}", extent, bound)
        valid.append(bound if provably_equal(extent, bound) else extent)
    view = TensorView(strides_of(tensor), layout_of(tensor), tuple(valid), pad_of(tensor))
    return tensor_type(tensor.shape, tensor.dtype, view, kind_of=tensor, memref=tensor.memref)


_SHAPE = "tuple of ScalarType"

OPS = (
    OpDef(
        name="tensor.slice",
        category="TensorOp",
        args=(
            ArgDef("input", "TensorType"),
            ArgDef("shape", _SHAPE),
            ArgDef("offset", _SHAPE),
            ArgDef("valid_shape", _SHAPE, optional=True),
            ArgDef("drop_dims", "tuple of ConstInt", optional=True),
        ),
        kwargs=(KwargDef("pad_value", PadValue), KwargDef("clamp", bool, default=False)),
        deduce=sliced,
        memory=MemorySpec(output=INHERIT),
        description="a window of a tensor",
    ),
    OpDef(
        name="tensor.set_validshape",
        category="TensorOp",
        args=(
            ArgDef("tensor", "TensorType"),
            ArgDef("valid_rows", "ScalarType"),
            ArgDef("valid_cols", "ScalarType"),
        ),
        deduce=with_valid_shape,
        memory=MemorySpec(output=INHERIT),
        reuses_input=0,
        no_arg_writes=True,
        description="the same tensor with another valid region",
    ),
)

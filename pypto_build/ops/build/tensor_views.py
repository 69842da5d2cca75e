# SPDX-License-Identifier: Apache-2.0
"""Builders of operations that look at the memory of a tensor in another way, or put tensors together."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import AtomicType, Call, DataType, Expr, MakeTuple, PadValue, TensorLayout
from pypto_build.ops.build.normal import Indices, Number, atomicity, call
from pypto_build.ops.build.normal import index as as_index
from pypto_build.ops.build.normal import indices as extents
from pypto_build.ops.build.normal import pad_value as pad_value_of
from pypto_build.ops.build.notices import warn_unused_pad

Pad = PadValue | int | float


def slice(  # noqa: PLR0917  # the signature that programs call
    tensor: Expr,
    shape: Indices,
    offset: Indices,
    valid_shape: Indices | None = None,
    drop_dims: Sequence[int] | MakeTuple | None = None,
    pad_value: Pad | None = None,
    clamp: bool = False,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A window; valid_shape narrows it, drop_dims leaves axes of extent 1 out, clamp cuts it at the source's end."""
    stated = () if valid_shape is None else (valid_shape,)
    if drop_dims is not None and (isinstance(drop_dims, MakeTuple) or drop_dims):
        stated = (() if valid_shape is None else valid_shape, drop_dims)
    pad = None if pad_value is None else pad_value_of(pad_value)
    given = _given(span, shape, offset, *stated)
    made = call("tensor.slice", (tensor, *given), {"pad_value": pad, "clamp": clamp or None}, span)
    if pad is not None:
        warn_unused_pad(made)
    return made


def reshape(tensor: Expr, shape: Indices, valid_shape: Indices | None = None, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The same elements in another shape; valid_shape may narrow the valid region that follows from the source."""
    return call("tensor.reshape", (tensor, *_given(span, shape, valid_shape)), None, span)


def transpose(
    tensor: Expr,
    axis1: Number,
    axis2: Number,
    valid_shape: Indices | None = None,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Two axes swapped; valid_shape is in the order of the result."""
    axes = (as_index(axis1, span), as_index(axis2, span))
    return call("tensor.transpose", (tensor, *axes, *_given(span, valid_shape)), None, span)


def view(
    tensor: Expr,
    shape: Indices | None = None,
    valid_shape: Indices | None = None,
    *,
    layout: TensorLayout | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Another layout, another shape, or both, over the same memory.

    Raises:
        ValueError: neither is given, or a valid_shape without a shape.
    """
    if shape is None and layout is None:
        raise ValueError("tensor.view requires a shape or a layout")
    if shape is None and valid_shape is not None:
        raise ValueError("tensor.view takes valid_shape only together with shape")
    return call("tensor.view", (tensor, *_given(span, shape, valid_shape)), {"layout": layout}, span)


def reinterpret_view(data: Expr, dtype: DataType, *, shape: Indices | None = None, span: Span = UNKNOWN_SPAN) -> Call:
    """The same bytes as elements of another type."""
    return call("tensor.reinterpret_view", (data, *_given(span, shape)), {"dtype": dtype}, span)


def set_validshape(tensor: Expr, valid_rows: Number, valid_cols: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The same tensor, valid in its first rows and columns."""
    return call("tensor.set_validshape", (tensor, as_index(valid_rows, span), as_index(valid_cols, span)), None, span)


def assemble(
    target: Expr,
    source: Expr,
    offset: Indices,
    *,
    atomic: AtomicType | int = AtomicType.None_,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """The target with a source written into it at an offset, or added to what is there."""
    return call("tensor.assemble", (target, source, extents(offset, span)), {"atomic": atomicity(atomic)}, span)


def concat(src0: Expr, src1: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """Two tensors side by side."""
    return call("tensor.concat", (src0, src1), None, span)


def fillpad(tensor: Expr, pad_value: Pad = PadValue.zero, *, span: Span = UNKNOWN_SPAN) -> Call:
    """A pad value in what is not valid."""
    return call("tensor.fillpad", (tensor,), {"pad_value": pad_value_of(pad_value)}, span)


def fillpad_expand(tensor: Expr, shape: Indices, pad_value: Pad = PadValue.zero, *, span: Span = UNKNOWN_SPAN) -> Call:
    """A larger tensor with a pad value around the source."""
    pad = pad_value_of(pad_value)
    return call("tensor.fillpad_expand", (tensor, extents(shape, span)), {"pad_value": pad}, span)


def aiv_shard(tensor: Expr, *, split: int, span: Span = UNKNOWN_SPAN) -> Call:
    """From the cube core to its vector cores, each of which gets a half: rows with split 1, columns with 2."""
    return call("tensor.aiv_shard", (tensor,), {"split": split}, span)


def aic_gather(tensor: Expr, *, split: int, span: Span = UNKNOWN_SPAN) -> Call:
    """From the vector cores to their cube core, which gets both halves."""
    return call("tensor.aic_gather", (tensor,), {"split": split}, span)


def no_dep(tensor: Expr, *, span: Span = UNKNOWN_SPAN) -> Expr:
    """The tensor itself; around an argument of a kernel the front end reads it as: do not wait for this one."""
    del span
    return tensor


def dump_tag(tensor: Expr, *, span: Span = UNKNOWN_SPAN) -> Expr:
    """The tensor itself; as a statement the front end reads it as: write this tensor out whenever a task uses it."""
    del span
    return tensor


def _given(span: Span, *shapes: Indices | None) -> tuple[Expr, ...]:
    return tuple(extents(shape, span) for shape in shapes if shape is not None)

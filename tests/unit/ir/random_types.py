# SPDX-License-Identifier: Apache-2.0
"""Random types that a parameter may have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from hypothesis import strategies as st

from pypto_build import ir
from pypto_build.ir import DATA_TYPES, CompactMode, DataType, MemorySpace, PadValue, TensorLayout, TileLayout
from tests.unit.ir.build import FP32, INDEX, number, scalar

Draw: TypeAlias = Callable[[Any], Any]
N, M = scalar("N"), scalar("M")
EXTENTS = st.one_of(
    st.integers(1, 512).map(number),
    st.sampled_from([N, M, ir.Mul(N, number(2), INDEX), ir.Add(number(32), number(32), INDEX)]),
)
TENSOR = ir.TensorType(ir.dims((16, 16)), FP32)
_ELEMENTS = [dtype for dtype in DATA_TYPES if dtype is not DataType.TASK_ID]
_HANDLES = (ir.PtrType, ir.CommCtxType, ir.PrefetchAsyncContextType, ir.AsyncEventType, ir.AsyncSessionType)


def types() -> st.SearchStrategy[ir.Type]:
    """A type that the text of a parameter can state."""
    return st.one_of(
        scalars(), tensors(), distributed_tensors(), tiles(), tuples(), st.sampled_from(_HANDLES).map(_made)
    )


def _made(cls: type[ir.Type]) -> ir.Type:
    return cls()


def scalars() -> st.SearchStrategy[ir.Type]:
    """A scalar type."""
    return st.sampled_from(DATA_TYPES).map(ir.scalar_type)


def tuples() -> st.SearchStrategy[ir.Type]:
    """A tuple of scalars and tensors."""
    return st.lists(st.one_of(scalars(), tensors()), max_size=3).map(lambda listed: ir.TupleType(tuple(listed)))


@st.composite
def tensors(draw: Draw) -> ir.Type:
    """A tensor, with or without a view and a place in memory."""
    shape = _shape(draw)
    return ir.TensorType(shape, draw(st.sampled_from(_ELEMENTS)), _memref(draw), _tensor_view(draw, shape))


@st.composite
def distributed_tensors(draw: Draw) -> ir.Type:
    """A slice of a window."""
    return ir.DistributedTensorType(_shape(draw), draw(st.sampled_from(_ELEMENTS)))


@st.composite
def tiles(draw: Draw) -> ir.Type:
    """A tile with every combination of place, space and view; a place needs a space."""
    shape, space = _shape(draw), draw(st.sampled_from([None, *MemorySpace]))
    memref = _memref(draw) if space is not None else None
    return ir.TileType(shape, draw(st.sampled_from(_ELEMENTS)), memref, _tile_view(draw, shape), space)


def _shape(draw: Draw) -> tuple[ir.Expr, ...]:
    return tuple(draw(st.lists(EXTENTS, min_size=1, max_size=3)))


def _extents(draw: Draw, like: Sequence[ir.Expr]) -> tuple[ir.Expr, ...]:
    return tuple(draw(EXTENTS) for _ in like) if draw(st.booleans()) else ()


def _tensor_view(draw: Draw, shape: Sequence[ir.Expr]) -> ir.TensorView | None:
    layout = draw(st.sampled_from([None, *TensorLayout]))
    if layout is None:
        return None
    view = ir.TensorView(_extents(draw, shape), layout, _extents(draw, shape), draw(st.sampled_from(list(PadValue))))
    full = ir.same_value(view.valid_shape, tuple(shape))  # the front end leaves out what says nothing
    view = view.replace(valid_shape=()) if full else view
    return None if view == ir.TensorView() else view


def _tile_view(draw: Draw, shape: Sequence[ir.Expr]) -> ir.TileView | None:
    if draw(st.booleans()):
        return None
    return ir.TileView(
        _extents(draw, shape),
        _extents(draw, shape),
        draw(st.one_of(st.none(), EXTENTS)),
        draw(st.sampled_from(list(TileLayout))),
        draw(st.sampled_from(list(TileLayout))),
        draw(st.sampled_from([32, 512, 1024])),
        draw(st.sampled_from(list(PadValue))),
        draw(st.sampled_from(list(CompactMode))),
    )


def _memref(draw: Draw) -> ir.MemRef | None:
    if draw(st.booleans()):
        return None
    base = ir.Var(draw(st.sampled_from(["mem_vec_0", "mem"])), ir.PTR_TYPE)
    return ir.MemRef(base.name_hint, base=base, byte_offset=number(64), size=1024)

# SPDX-License-Identifier: Apache-2.0
"""Types and views as annotations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pypto_build.errors import InternalError
from pypto_build.ir import types as t
from pypto_build.ir.enums import CompactMode, PadValue
from pypto_build.ir.printing.context import Context
from pypto_build.ir.printing.explicit_layout import stated_layout, window_buffer_mark
from pypto_build.ir.printing.expressions import dimension, dimensions
from pypto_build.ir.printing.literals import DISTRIBUTED, dtype_text, enum_text
from pypto_build.ir.printing.memrefs import memref
from pypto_build.ir.printing.parts import Part, Parts, called, joined, keyword, separated
from pypto_build.ir.types import TensorView, TileType, TileView, Type

_DEFAULT_TENSOR_VIEW = TensorView()


def type_text(ctx: Context, kind: Type) -> str:
    """The annotation of a type; made once per type object, because many Vars share one."""
    known = ctx.type_texts.get(id(kind))
    if known is None:
        known = (kind, joined(_type(ctx, kind)))
        ctx.type_texts[id(kind)] = known
    return known[1]


def _type(ctx: Context, kind: Type) -> Part:
    rule = _RULES.get(type(kind))
    if rule is None:
        raise InternalError(f"no text for a type of class {type(kind).__name__}")
    return rule(ctx, kind)


def _subscripted(name: str, parts: Iterator[Part]) -> Parts:
    yield f"{name}["
    yield separated(parts)
    yield "]"


def _scalar(ctx: Context, kind: t.ScalarType) -> str:
    return f"{ctx.pl}.Scalar[{dtype_text(kind.dtype, ctx.pl)}]"


def _tensor(ctx: Context, kind: t.TensorType) -> Parts:
    return _subscripted(f"{ctx.pl}.Tensor", _tensor_fields(ctx, kind))


def _distributed_tensor(ctx: Context, kind: t.DistributedTensorType) -> Parts:
    return _subscripted(f"{DISTRIBUTED}.DistributedTensor", _distributed_fields(ctx, kind))


def _tensor_fields(ctx: Context, kind: t.TensorType) -> Iterator[Part]:
    yield dimensions(ctx, kind.shape)
    yield dtype_text(kind.dtype, ctx.pl)
    if kind.tensor_view is not None:
        yield called(f"{ctx.pl}.TensorView", _tensor_view_fields(ctx, kind.tensor_view))
    if kind.memref is not None:
        yield memref(ctx, kind.memref)


def _distributed_fields(ctx: Context, kind: t.DistributedTensorType) -> Iterator[Part]:
    yield from _tensor_fields(ctx, kind)
    if ctx.style.explicit_layout and kind.window_buffer is not None:
        yield window_buffer_mark(ctx, kind.window_buffer)


def _tensor_view_fields(ctx: Context, view: TensorView) -> Iterator[Part]:
    if view == _DEFAULT_TENSOR_VIEW:
        return
    yield keyword("stride", dimensions(ctx, view.stride))
    yield keyword("layout", enum_text(view.layout, ctx.pl))
    if view.valid_shape:
        yield keyword("valid_shape", dimensions(ctx, view.valid_shape))
    if view.pad is not PadValue.null:
        yield keyword("pad", enum_text(view.pad, ctx.pl))


def _tile(ctx: Context, kind: TileType) -> Parts:
    return _subscripted(f"{ctx.pl}.Tile", _tile_fields(ctx, kind))


def _tile_fields(ctx: Context, kind: TileType) -> Iterator[Part]:
    yield dimensions(ctx, kind.shape)
    yield dtype_text(kind.dtype, ctx.pl)
    if kind.memref is not None:
        yield memref(ctx, kind.memref)
    if kind.memory_space is not None:
        yield enum_text(kind.memory_space, ctx.pl)
    fields = list(_tile_view_fields(ctx, kind))
    if fields:
        yield called(f"{ctx.pl}.TileView", fields)


def _tile_view_fields(ctx: Context, kind: TileType) -> Iterator[Part]:
    """The fields that the shape and the memory space do not imply; all of the layout when it is asked for."""
    implied = t.implicit_tile_view(kind.shape, kind.memory_space)
    view = kind.tile_view or implied
    if view.valid_shape:
        yield keyword("valid_shape", dimensions(ctx, view.valid_shape))
    if view.stride:
        yield keyword("stride", dimensions(ctx, view.stride))
    if view.start_offset is not None:
        yield keyword("start_offset", dimension(ctx, view.start_offset))
    yield from stated_layout(ctx, view, implied)
    yield from _tile_padding(ctx, view)


def _tile_padding(ctx: Context, view: TileView) -> Iterator[Part]:
    if view.pad is not PadValue.null:
        yield keyword("pad", enum_text(view.pad, ctx.pl))
    if view.compact is not CompactMode.null:
        yield keyword("compact", enum_text(view.compact, ctx.pl))


def _array(ctx: Context, kind: t.ArrayType) -> Parts:
    return _subscripted(f"{ctx.pl}.Array", iter((dimension(ctx, kind.extent), dtype_text(kind.dtype, ctx.pl))))


def _tuple(ctx: Context, kind: t.TupleType) -> Parts:
    inner = [_type(ctx, one) for one in kind.types]
    return _subscripted(f"{ctx.pl}.Tuple", iter(inner or ["()"]))


def _marker(module: str, name: str) -> Callable[[Context, Any], str]:
    def text(ctx: Context, _kind: Any) -> str:
        return f"{module or ctx.pl}.{name}"

    return text


_RULES: dict[type[Type], Callable[[Context, Any], Part]] = {
    t.ScalarType: _scalar,
    t.TensorType: _tensor,
    t.DistributedTensorType: _distributed_tensor,
    t.TileType: _tile,
    t.ArrayType: _array,
    t.TupleType: _tuple,
    t.UnknownType: _marker("", "UnknownType"),
    t.PtrType: _marker("", "Ptr"),
    t.MemRefType: _marker("", "MemRefType"),
    t.WindowBufferType: _marker(DISTRIBUTED, "WindowBufferType"),
    t.CommCtxType: _marker(DISTRIBUTED, "CommCtx"),
    t.PrefetchAsyncContextType: _marker("", "PrefetchAsyncContext"),
    t.AsyncEventType: _marker("", "AsyncEvent"),
    t.AsyncSessionType: _marker("", "AsyncSession"),
}

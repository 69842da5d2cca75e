# SPDX-License-Identifier: Apache-2.0
"""The window that a subscript such as `x[i, a:b]` means: where it begins, how large it is, which axes it drops."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError, UnsupportedFeatureError
from pypto_build.ir import DataType, Expr, ScalarType, ShapedType, TensorType, TileType, as_int, const_index
from pypto_build.ir.scalar import binary
from pypto_build.ops.proof import difference


@dataclass(frozen=True, slots=True)
class Window:
    """A full-rank window; `valid` is None when all of it is valid, `scalar` when every axis is a single index."""

    offset: tuple[Expr, ...]
    shape: tuple[Expr, ...]
    valid: tuple[Expr, ...] | None
    dropped: tuple[int, ...]
    scalar: bool


@dataclass(frozen=True, slots=True)
class _Axis:
    offset: Expr
    extent: Expr
    valid: Expr | None = None  # None: all of the extent
    dropped: bool = False


def index_nodes(node: ast.Subscript) -> list[ast.expr]:
    """The indices between the brackets."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def read_window(context: Context, node: ast.Subscript, kind: ShapedType) -> Window:
    """The window of a tensor or tile that a subscript means; missing trailing indices are full."""
    indices = index_nodes(node)
    what = "tile" if isinstance(kind, TileType) else "tensor"
    rank = len(kind.shape)
    if len(indices) > rank:
        context.fail(ParserTypeError, f"Subscript has {len(indices)} indices but the {what} is {rank}D", node)
    valid = _valid_shape(kind)
    axes: list[_Axis] = []
    for number, extent in enumerate(kind.shape):
        if number >= len(indices):
            axes.append(_full(extent, valid[number]))
        elif isinstance(indices[number], ast.Slice):
            axes.append(_slice(context, indices[number], extent, valid=valid[number], tile=what == "tile"))
        else:
            axes.append(_single(context, indices[number], number=number))
    narrowed = any(axis.valid is not None for axis in axes)
    return Window(
        offset=tuple(axis.offset for axis in axes),
        shape=tuple(axis.extent for axis in axes),
        valid=tuple(axis.valid or axis.extent for axis in axes) if narrowed and what == "tile" else None,
        dropped=tuple(number for number, axis in enumerate(axes) if axis.dropped),
        scalar=all(axis.dropped for axis in axes),
    )


def _valid_shape(kind: ShapedType) -> Sequence[Expr | None]:
    """Per axis what is valid, None for all of it."""
    view = kind.tile_view if isinstance(kind, TileType) else kind.tensor_view if isinstance(kind, TensorType) else None
    if view is None or not view.valid_shape:
        return [None] * len(kind.shape)
    return [None if difference(a, b) == 0 else a for a, b in zip(view.valid_shape, kind.shape, strict=True)]


def _full(extent: Expr, valid: Expr | None) -> _Axis:
    return _Axis(const_index(0), extent, valid)


def _single(context: Context, node: ast.expr, *, number: int) -> _Axis:
    if isinstance(node, ast.Constant) and (node.value is None or node.value is Ellipsis):
        context.fail(UnsupportedFeatureError, f"Unsupported index: {ast.unparse(node)}", node)
    index = context.expr(node)
    if not isinstance(index.type, ScalarType) or not index.type.dtype.is_int():
        message = f"Subscript index element {number} must be ScalarType of an integer, got {index.type}"
        context.fail(ParserSyntaxError, message, node)
    value = as_int(index)
    if value is not None and value < 0:
        context.fail(ParserTypeError, f"Subscript index must be non-negative, got {value}", node)
    return _Axis(index, const_index(1), dropped=True)


def _slice(context: Context, node: ast.expr, extent: Expr, *, valid: Expr | None, tile: bool) -> _Axis:
    assert isinstance(node, ast.Slice)
    if node.step is not None:
        context.fail(UnsupportedFeatureError, "Slice step is not supported in subscripts", node)
    lower = const_index(0) if node.lower is None else _bound(context, node.lower)
    upper = None if node.upper is None else _bound(context, node.upper)
    if not tile:
        return _Axis(lower, _distance(extent if upper is None else upper, lower))
    return _tile_slice(context, node, extent, bounds=(lower, upper), valid=valid)


def _bound(context: Context, node: ast.expr) -> Expr:
    value = context.expr(node)
    if not isinstance(value.type, ScalarType) or not value.type.dtype.is_int():
        context.fail(ParserTypeError, f"Slice bound must be an integer scalar, got {value.type}", node)
    return value


def _distance(upper: Expr, lower: Expr) -> Expr:
    """upper - lower, as a number where that can be proved."""
    if as_int(lower) == 0:
        return upper
    known = difference(upper, lower)
    return const_index(known) if known is not None else binary("sub", upper, lower, upper.span)


def _tile_slice(
    context: Context, node: ast.Slice, extent: Expr, *, bounds: tuple[Expr, Expr | None], valid: Expr | None
) -> _Axis:
    """A slice of a tile: its size is fixed, an upper bound known at run time only narrows what is valid."""
    lower, upper = bounds
    begin, end = as_int(lower), as_int(extent)
    if begin is None:
        context.fail(
            UnsupportedFeatureError,
            "Dynamic lower bounds are not supported in tile subscripts",
            node,
            hint="Use pl.slice(tile, shape, offset), which takes a runtime offset",
        )
    stop = end if upper is None else as_int(upper)
    if end is None:
        return _Axis(lower, _distance(upper or extent, lower), valid)
    narrow: Expr | None = None
    if stop is None:
        stop, narrow = end, upper
    size = min(stop, end) - begin
    if size <= 0:
        context.fail(UnsupportedFeatureError, "Tile slices need a positive static extent", node)
    return _Axis(lower, const_index(size), _valid_extent(narrow, valid, begin=begin, size=size, cut=stop < end))


def _valid_extent(narrow: Expr | None, valid: Expr | None, *, begin: int, size: int, cut: bool) -> Expr | None:
    """What is valid of a slice that a runtime bound, the source's validity or a constant bound cuts short."""
    if narrow is None and valid is None:
        return None
    values = [value for value in (narrow, valid) if value is not None]
    limits = [_distance(value, const_index(begin)) for value in values]
    if cut or valid is None:
        limits.append(const_index(size))
    result = limits[0]
    for limit in limits[1:]:
        result = binary("min_", result, limit)
    return result


def checked_index(context: Context, node: ast.expr) -> Expr:
    """The one index of an array."""
    value = context.expr(node)
    if not isinstance(value.type, ScalarType) or not (value.type.dtype.is_int() or value.type.dtype is DataType.INDEX):
        context.fail(ParserTypeError, f"Array index must be an integer scalar, got {value.type}", node)
    return value

# SPDX-License-Identifier: Apache-2.0
"""Assignments to subscripts: `x[i, a:b] = value` writes a window and gives the name the new value."""

from __future__ import annotations

import ast

from pypto_build.dsl.bindings import assign_name
from pypto_build.dsl.built import built
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserTypeError, UndefinedVariableError, UnsupportedFeatureError
from pypto_build.dsl.windows import Window, checked_index, index_nodes, read_window
from pypto_build.ir import ArrayType, DataType, Expr, ShapedType, TensorType, TileType, as_int
from pypto_build.ops.proof import difference


def write_subscript(context: Context, target: ast.Subscript, value_node: ast.expr, *, place: ast.stmt) -> None:
    """`name[...] = value`"""
    name = target.value
    if not isinstance(name, ast.Name):
        context.fail(UnsupportedFeatureError, "Only a variable can be written by subscript, not a chain", target)
    if context.scope.strict:
        context.fail(
            UnsupportedFeatureError,
            "Subscript assignment rebinds its variable and is only available before SSA conversion",
            target,
            hint="Write out = pl.assemble(out, value, offset) with a new name, or drop strict_ssa=True",
        )
    base = context.scope.value(name.id)
    if base is None:
        context.fail(UndefinedVariableError, f"Undefined variable '{name.id}'", name)
    written = _written(context, target, base, value_node=value_node)
    assign_name(context, name, written, place=place)


def _element(context: Context, node: ast.expr, kind: ArrayType) -> object:
    """What is written into an array; None among task ids is the task that does not exist."""
    value = context.value(node)
    if value is None and kind.dtype is DataType.TASK_ID:
        return context.operation("system", "task_invalid")(span=context.span(node))
    return value


def _written(context: Context, target: ast.Subscript, base: Expr, *, value_node: ast.expr) -> Expr:
    kind = base.type
    if isinstance(kind, ArrayType):
        indices = index_nodes(target)
        if len(indices) != 1 or isinstance(indices[0], ast.Slice):
            context.fail(UnsupportedFeatureError, "An Array takes a single index", target)
        index, value = checked_index(context, indices[0]), _element(context, value_node, kind)
        return built(context, target, ("array", "update_element"), base, index, value)
    if not isinstance(kind, TensorType | TileType):
        context.fail(ParserTypeError, f"Subscript requires Tuple, Tensor, Tile, or Array type, got {kind}", target)
    window = read_window(context, target, kind)
    namespace = "tile" if isinstance(kind, TileType) else "tensor"
    if window.scalar:
        context.fail(
            UnsupportedFeatureError,
            "Element-write by subscript is not supported",
            target,
            hint=f"Use pl.{namespace}.write(...)",
        )
    source = context.expr(value_node)
    if not isinstance(source.type, TensorType | TileType):
        context.fail(
            ParserTypeError, f"Only a tensor or tile can be written to a window, got {source.type}", value_node
        )
    lifted = _lifted(context, target, source, window=window)
    return built(context, target, ("assemble",), base, lifted, list(window.offset))


def _lifted(context: Context, target: ast.Subscript, source: Expr, *, window: Window) -> Expr:
    """The source with the axes that the subscript drops put back."""
    kind = source.type
    assert isinstance(kind, TensorType | TileType)
    kept = [axis for axis in range(len(window.shape)) if axis not in window.dropped]
    units = _leading_units(kind, len(kept))
    if len(kind.shape) - units != len(kept):
        context.fail(
            ParserTypeError,
            f"The value written must be {len(kept)}D to match the window of '{ast.unparse(target)}', "
            f"got {len(kind.shape)}D",
            target,
        )
    valid = _valid(kind)
    for number, axis in enumerate(kept):
        _check_extent(context, target, window.shape[axis], source=(kind.shape, valid), axis=number + units)
    if len(kind.shape) == len(window.shape):
        return source
    return _reshaped(context, target, source, window=window, units=units)


def _leading_units(kind: ShapedType, wanted: int) -> int:
    """How many leading axes of size 1 a tile has only because tiles are 2D."""
    extra = len(kind.shape) - wanted
    if isinstance(kind, TileType) and extra > 0 and all(as_int(dim) == 1 for dim in kind.shape[:extra]):
        return extra
    return 0


def _valid(kind: TensorType | TileType) -> tuple[Expr, ...]:
    view = kind.tile_view if isinstance(kind, TileType) else kind.tensor_view
    return view.valid_shape if view is not None and view.valid_shape else kind.shape


def _check_extent(
    context: Context,
    target: ast.Subscript,
    wanted: Expr,
    *,
    source: tuple[tuple[Expr, ...], tuple[Expr, ...]],
    axis: int,
) -> None:
    """Refuse a source whose size provably differs, in storage and in validity."""
    distances = [difference(wanted, extents[axis]) for extents in source]
    if all(distance is not None and distance != 0 for distance in distances):
        context.fail(
            ParserTypeError,
            f"'{ast.unparse(target)}': shape mismatch on source axis {axis}: "
            f"the window has {wanted}, the value {source[0][axis]}",
            target,
        )


def _reshaped(context: Context, target: ast.Subscript, source: Expr, *, window: Window, units: int) -> Expr:
    kind = source.type
    assert isinstance(kind, TensorType | TileType)
    shape = _with_units(kind.shape[units:], window)
    namespace = "tile" if isinstance(kind, TileType) else "tensor"
    valid = _valid(kind)
    arguments: list[object] = [source, shape]
    if namespace == "tensor" and valid is not kind.shape:
        arguments.append(_with_units(valid[units:], window))
    return built(context, target, (namespace, "reshape"), *arguments)


def _with_units(extents: tuple[Expr, ...], window: Window) -> list[Expr]:
    remaining = iter(extents)
    return [window.shape[axis] if axis in window.dropped else next(remaining) for axis in range(len(window.shape))]

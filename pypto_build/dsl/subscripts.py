# SPDX-License-Identifier: Apache-2.0
"""Subscripts: elements of tuples and arrays, elements and windows of tensors and tiles."""

from __future__ import annotations

import ast
from typing import cast

from pypto_build.dsl.built import built
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError, UnsupportedFeatureError
from pypto_build.dsl.windows import checked_index, index_nodes, read_window
from pypto_build.ir import (
    ArrayType,
    ConstInt,
    Expr,
    ShapedType,
    TensorType,
    TileType,
    TupleGetItemExpr,
    TupleType,
)
from pypto_build.ops.build.notices import warn_at


def read_subscript(context: Context, node: ast.expr) -> object:
    """`value[index]`"""
    subscript = cast("ast.Subscript", node)
    base = context.value(subscript.value)
    if isinstance(base, type):
        return context.annotations.resolve(subscript)  # a type, as attributes may hold it
    if not isinstance(base, Expr):
        return _python_element(context, subscript, base)
    kind = base.type
    if isinstance(kind, TupleType):
        return _tuple_element(context, subscript, base)
    if isinstance(kind, ArrayType):
        return _array_element(context, subscript, base)
    if isinstance(kind, TensorType | TileType):
        return _window(context, subscript, base)
    context.fail(ParserTypeError, f"Subscript requires Tuple, Tensor, Tile, or Array type, got {kind}", node)


def _python_element(context: Context, node: ast.Subscript, base: object) -> object:
    if not isinstance(base, list | tuple | dict | str):
        context.fail(
            ParserTypeError, f"Subscript requires Tuple, Tensor, Tile, or Array type, got {type(base).__name__}", node
        )
    if isinstance(node.slice, ast.Slice):
        parts = [node.slice.lower, node.slice.upper, node.slice.step]
        index: object = slice(*(None if part is None else _constant(context, part) for part in parts))
    else:
        index = _constant(context, node.slice)
    try:
        return cast("list[object]", base)[cast("int", index)]
    except (IndexError, KeyError, TypeError) as error:
        context.fail(ParserTypeError, f"Failed to evaluate expression '{ast.unparse(node)}': {error}", node)


def _constant(context: Context, node: ast.expr) -> object:
    value = context.value(node)
    if isinstance(value, ConstInt):
        return value.value
    if isinstance(value, Expr):
        context.fail(ParserSyntaxError, "The index of a tuple must be a compile-time integer constant", node)
    return value


def _tuple_element(context: Context, node: ast.Subscript, base: Expr) -> Expr:
    index = _constant(context, node.slice)
    count = len(cast("TupleType", base.type).types)
    if not isinstance(index, int):
        context.fail(ParserSyntaxError, "The index of a tuple must be a compile-time integer constant", node)
    if not 0 <= index < count:
        context.fail(ParserTypeError, f"Tuple index {index} is out of range for a tuple of {count}", node)
    return TupleGetItemExpr(base, index, context.span(node))


def _array_element(context: Context, node: ast.Subscript, base: Expr) -> object:
    indices = index_nodes(node)
    if len(indices) != 1 or isinstance(indices[0], ast.Slice):
        context.fail(UnsupportedFeatureError, "An Array takes a single index", node)
    index = checked_index(context, indices[0])
    return built(context, node, ("array", "get_element"), base, index)


def _window(context: Context, node: ast.Subscript, base: Expr) -> Expr:
    kind = cast("ShapedType", base.type)
    window = read_window(context, node, kind)
    namespace = "tile" if isinstance(kind, TileType) else "tensor"
    if window.scalar:
        return built(context, node, (namespace, "read"), base, list(window.offset))
    options: dict[str, object] = {}
    if window.valid is not None:
        options["valid_shape"] = list(window.valid)
    if window.dropped:
        options["drop_dims"] = list(window.dropped)
    made = built(context, node, (namespace, "slice"), base, list(window.shape), list(window.offset), options=options)
    if namespace == "tile" and len(kind.shape) - len(window.dropped) < 2:
        _warn_promoted(node, made)
    return made


def _warn_promoted(node: ast.Subscript, made: Expr) -> None:
    shape = ", ".join(str(dim) for dim in cast("ShapedType", made.type).shape)
    warn_at(
        f"'{ast.unparse(node)}' has fewer than two dimensions and tiles are 2D: auto-promoting to 2D shape [{shape}]; "
        "use pl.tile.reshape() for another shape",
        made.span,
    )

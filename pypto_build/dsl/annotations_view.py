# SPDX-License-Identifier: Apache-2.0
"""Shapes, element types, layouts and views inside annotations."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from enum import Enum
from typing import Final, cast

from pypto_build.dsl.annotations_names import MISSING, Names, as_expr, as_index, known_int, terminal_name
from pypto_build.ir import (
    CompactMode,
    DataType,
    Expr,
    PadValue,
    TensorLayout,
    TensorView,
    TileLayout,
    TileView,
    same_value,
)

_ENUM_FIELDS: Final[dict[str, tuple[type[Enum], str]]] = {
    "blayout": (TileLayout, "pl.TileLayout"),
    "slayout": (TileLayout, "pl.TileLayout"),
    "pad": (PadValue, "pl.PadValue"),
    "compact": (CompactMode, "pl.CompactMode"),
}
_EXTENT_FIELDS: Final = ("valid_shape", "stride")

_LARGEST: Final = (1 << 63) - 1


def read_shape(names: Names, node: ast.expr) -> list[Expr | int]:
    """The extents of a shape: a list or tuple of index expressions, or a closure name of one."""
    if isinstance(node, ast.List | ast.Tuple):
        return [_checked(names, names.index(element, "Shape dimension"), element) for element in node.elts]
    found = names.value(node)
    if found is MISSING:
        if isinstance(node, ast.Name):
            raise names.error(f"Unknown shape variable '{node.id}'", node, "A shape is a list such as [64, 128]")
        found = names.evaluate(node)  # raises, and says why
    return shape_of(names, found, node)


def shape_of(names: Names, value: object, node: ast.AST | None) -> list[Expr | int]:
    """A Python value as a shape."""
    if not isinstance(value, list | tuple):
        raise names.error(f"Shape must be a list or tuple, got {type(value).__name__}", node)
    extents: list[Expr | int] = []
    for position, element in enumerate(cast("Sequence[object]", value)):
        extent = as_index(element)
        if extent is None:
            kind = type(element).__name__
            raise names.error(f"Shape element {position} must be int or pl.dynamic(), got {kind}", node)
        extents.append(_checked(names, extent, node))
    return extents


def _checked(names: Names, extent: Expr | int, node: ast.AST | None) -> Expr | int:
    number = known_int(extent)
    if number is not None and not 0 <= number <= _LARGEST:
        message = f"An extent is a number from 0 to 2**63 - 1, got {number:#x}"
        raise names.error(message, node, "Use pl.dynamic('N') for one that is not known")
    return extent


def read_dtype(names: Names, node: ast.expr) -> DataType:
    """An element type: `pl.FP32`, `DataType.FP32`, or a closure name of one."""
    name = terminal_name(node)
    if isinstance(node, ast.Name) and node.id in names.closure:
        found = names.closure[node.id]
        if not isinstance(found, DataType):
            raise names.error(f"dtype variable '{name}' must be a DataType, got {type(found).__name__}", node)
        return found
    known = getattr(DataType, name, None) if name else None
    if isinstance(known, DataType):
        return known
    found = names.value(node)
    if isinstance(found, DataType):
        return found
    raise names.error(f"Unknown dtype: {ast.unparse(node)}", node, "Use a dtype such as pl.FP32, pl.INT32 or pl.BF16")


def read_layout(names: Names, node: ast.expr, *, in_view: bool) -> TensorLayout:
    """A tensor layout; DN is offered only where it may stand, inside a pl.TensorView."""
    found = names.member(TensorLayout, node)
    if found is not None:
        return found
    value = names.value(node)
    if value is not MISSING and isinstance(node, ast.Name):
        raise names.error(f"Layout variable '{node.id}' must be a TensorLayout, got {type(value).__name__}", node)
    offered = [f"pl.{layout.name}" for layout in TensorLayout if in_view or layout is not TensorLayout.DN]
    raise names.error(f"Unknown layout: {ast.unparse(node)}", node, f"Use one of {', '.join(offered)}")


def read_tensor_view(names: Names, node: ast.Call) -> TensorView:
    """`pl.TensorView(stride=, layout=, valid_shape=, pad=)`."""
    fields: dict[str, object] = {}
    for keyword in _keywords(names, node, "TensorView", ("stride", "layout", "valid_shape", "pad")):
        if keyword.arg == "layout":
            fields["layout"] = read_layout(names, keyword.value, in_view=True)
        else:
            fields[str(keyword.arg)] = _field(names, str(keyword.arg), keyword.value)
    return TensorView(**fields)  # type: ignore[arg-type]  # each field was read by its own kind


def read_tile_view(names: Names, node: ast.Call, implied: TileView) -> TileView:
    """`pl.TileView(valid_shape=, stride=, start_offset=, blayout=, slayout=, fractal=, pad=, compact=)`.

    What is not given is as the memory space implies.
    """
    known = ("valid_shape", "stride", "start_offset", "blayout", "slayout", "fractal", "pad", "compact")
    keywords = _keywords(names, node, "TileView", known)
    fields = {str(keyword.arg): _field(names, str(keyword.arg), keyword.value) for keyword in keywords}
    return implied.replace(**fields)


def _keywords(names: Names, node: ast.Call, kind: str, known: Sequence[str]) -> list[ast.keyword]:
    if node.args:
        raise names.error(f"pl.{kind} does not accept positional arguments", node, f"Name them: {', '.join(known)}")
    for keyword in node.keywords:
        if keyword.arg not in known:
            raise names.error(f"Unknown {kind} keyword '{keyword.arg}'", keyword.value, f"Known: {', '.join(known)}")
    return node.keywords


def _field(names: Names, field: str, node: ast.expr) -> object:
    what = f"Field '{field}'"
    if field in _ENUM_FIELDS:
        enum, spelled = _ENUM_FIELDS[field]
        found = names.member(enum, node)
        if found is None:
            members = ", ".join(f"{spelled}.{name}" for name in enum.__members__)
            raise names.error(f"{what} cannot be {ast.unparse(node)}", node, f"Use one of {members}")
        return found
    if field == "fractal":
        number = known_int(names.index(node, what))
        if number is None:
            raise names.error(f"{what} must be an integer constant", node)
        return number
    if field in _EXTENT_FIELDS:
        return _extents(names, node, what)
    if isinstance(node, ast.Constant) and node.value is None:
        return None
    return as_expr(names.index(node, what, free=True), names.span_of(node))


def _extents(names: Names, node: ast.expr, what: str) -> tuple[Expr, ...]:
    if isinstance(node, ast.List | ast.Tuple):
        return tuple(as_expr(names.index(item, what, free=True), names.span_of(item)) for item in node.elts)
    return tuple(as_expr(extent) for extent in shape_of(names, names.value(node), node))


def canonical_tensor_view(shape: tuple[Expr, ...], view: TensorView | None) -> TensorView | None:
    """The view as types store it: without a valid_shape that is the shape, None when it says nothing at all."""
    if view is None:
        return None
    if view.valid_shape and same_value(view.valid_shape, shape):
        view = view.replace(valid_shape=())
    return None if view == _PLAIN else view


_PLAIN = TensorView()

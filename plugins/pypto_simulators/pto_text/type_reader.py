# SPDX-License-Identifier: Apache-2.0
"""Reading types and attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pypto_build.ir import DataType
from pypto_simulators.pto_text.cursor import Cursor
from pypto_simulators.pto_text.lexer import Kind
from pypto_simulators.pto_text.module import Attribute
from pypto_simulators.pto_text.types import (
    ELEMENTS,
    Handle,
    LocalArray,
    MultiTileBuffer,
    Pointer,
    Scalar,
    TensorView,
    TileBuffer,
    Type,
    Vector,
)

_TILE_KEYS: Final = ("loc", "dtype", "rows", "cols", "v_row", "v_col", "blayout", "slayout", "fractal", "pad")
_LOCATIONS: Final = ("gm", "vec", "mat", "left", "right", "acc", "bias", "scaling")
_LAYOUTS: Final = ("none_box", "row_major", "col_major")


def read_type(cursor: Cursor) -> Type:
    """A type."""
    found = _CONSTRUCTED.get(cursor.token.text)
    if found is not None:
        cursor.take()
        return found(cursor)
    if cursor.token.kind is Kind.TYPE and cursor.token.text not in ELEMENTS:
        return Handle(cursor.take().text)
    return Scalar(_element(cursor))


def _element(cursor: Cursor) -> DataType:
    dtype = ELEMENTS.get(cursor.token.text)
    if dtype is None:
        raise cursor.error("expected a type")
    cursor.take()
    return dtype


def _pointer(cursor: Cursor) -> Pointer:
    cursor.expect("<")
    dtype = _element(cursor)
    cursor.expect(">")
    return Pointer(dtype)


def _dimensions(cursor: Cursor) -> tuple[tuple[int | None, ...], DataType]:
    cursor.expect("<")
    text = cursor.expect_kind(Kind.DIMENSIONS, "dimensions").text
    dtype = _element(cursor)
    cursor.expect(">")
    return tuple(None if part == "?" else int(part) for part in text.split("x")[:-1]), dtype


def _tensor_view(cursor: Cursor) -> TensorView:
    extents, dtype = _dimensions(cursor)
    return TensorView(extents, dtype)


def _partition(cursor: Cursor) -> TensorView:
    extents, dtype = _dimensions(cursor)
    return TensorView(extents, dtype, partition=True)


def _counted(cursor: Cursor) -> tuple[int, DataType]:
    token = cursor.token
    extents, dtype = _dimensions(cursor)
    if len(extents) != 1 or extents[0] is None:
        raise cursor.error("this type has one dimension, and its extent is constant", token)
    return extents[0], dtype


def _local_array(cursor: Cursor) -> LocalArray:
    return LocalArray(*_counted(cursor))


def _vector(cursor: Cursor) -> Vector:
    return Vector(*_counted(cursor))


def _multi_tile_buffer(cursor: Cursor) -> MultiTileBuffer:
    cursor.expect("<")
    cursor.expect("!pto.tile_buf")
    tile = _tile_buffer(cursor)
    cursor.expect(",")
    cursor.expect("count")
    cursor.expect("=")
    count = cursor.integer("the number of tiles")
    cursor.expect(">")
    return MultiTileBuffer(tile, count)


def _tile_buffer(cursor: Cursor) -> TileBuffer:
    cursor.expect("<")
    loc = _keyed_word(cursor, "loc", _LOCATIONS)
    cursor.expect("dtype")
    cursor.expect("=")
    dtype = _element(cursor)
    cursor.expect(",")
    rows, columns = _keyed_integer(cursor, "rows"), _keyed_integer(cursor, "cols")
    valid = (_keyed_extent(cursor, "v_row"), _keyed_extent(cursor, "v_col"))
    blayout, slayout = _keyed_word(cursor, "blayout", _LAYOUTS), _keyed_word(cursor, "slayout", _LAYOUTS)
    fractal = _keyed_integer(cursor, "fractal")
    pad = _keyed_integer(cursor, "pad", last=True)
    compact = _keyed_integer(cursor, "compact", last=True) if cursor.accept(",") else 0
    cursor.expect(">")
    return TileBuffer(loc, dtype, (rows, columns), valid, blayout, slayout, fractal, pad, compact)


def _keyed_word(cursor: Cursor, key: str, allowed: tuple[str, ...]) -> str:
    cursor.expect(key)
    cursor.expect("=")
    if not cursor.at(*allowed):
        raise cursor.error(f"expected one of {', '.join(allowed)}")
    word = cursor.take().text
    cursor.expect(",")
    return word


def _keyed_integer(cursor: Cursor, key: str, *, last: bool = False) -> int:
    cursor.expect(key)
    cursor.expect("=")
    number = cursor.integer(f"the number {key}")
    if not last:
        cursor.expect(",")
    return number


def _keyed_extent(cursor: Cursor, key: str) -> int | None:
    cursor.expect(key)
    cursor.expect("=")
    extent = None if cursor.accept("?") else cursor.integer("an extent or ?")
    cursor.expect(",")
    return extent


_CONSTRUCTED: Final[dict[str, Callable[[Cursor], Type]]] = {
    "!pto.ptr": _pointer,
    "!pto.tensor_view": _tensor_view,
    "!pto.partition_tensor_view": _partition,
    "!pto.tile_buf": _tile_buffer,
    "!pto.multi_tile_buf": _multi_tile_buffer,
    "!pto.local_array": _local_array,
    "vector": _vector,
}


def read_attributes(cursor: Cursor) -> dict[str, Attribute]:
    """`{name = value, ...}`."""
    found: dict[str, Attribute] = {}
    cursor.expect("{")
    while not cursor.accept("}"):
        name = cursor.expect_kind(Kind.WORD, "the name of an attribute").text
        found[name] = read_attribute(cursor) if cursor.accept("=") else True
        if not cursor.at("}"):
            cursor.expect(",")
    return found


def read_attribute(cursor: Cursor) -> Attribute:
    """A number, truth value, string or symbol; of `#pto<cmp eq>` and `#pto.layout<nd>` the last word."""
    kind = cursor.token.kind
    if kind is Kind.STRING:
        return cursor.string()
    if kind is Kind.SYMBOL:
        return cursor.take().text[1:]
    if cursor.at("true", "false"):
        return cursor.take().text == "true"
    if kind is Kind.ATTRIBUTE:
        return _enumerator(cursor)
    value = cursor.number(bits=0)
    if cursor.accept(":"):
        read_type(cursor)
    return value


def _enumerator(cursor: Cursor) -> str:
    """The word that the angle brackets of an attribute end with."""
    cursor.expect_kind(Kind.ATTRIBUTE, "an attribute")
    cursor.expect("<")
    word = cursor.expect_kind(Kind.WORD, "the name of a value").text
    while not cursor.accept(">"):
        word = cursor.expect_kind(Kind.WORD, "the name of a value").text
    return word

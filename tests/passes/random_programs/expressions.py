# SPDX-License-Identifier: Apache-2.0
"""Random expressions of each kind over the names that are bound; operations stand in each other's arguments."""

from __future__ import annotations

from collections.abc import Callable

from tests.passes.random_programs.writer import Kind, Writer

DEEP = 2  # how deep expressions are nested at most
ROWS, COLUMNS = 4, 8
_BINARY = ("add", "sub", "maximum", "minimum")


def expression(writer: Writer, kind: Kind, depth: int = DEEP) -> str:
    """An expression of a kind."""
    return _EXPRESSIONS[kind](writer, depth)


def name(writer: Writer, kind: Kind) -> str:
    """A name of a kind, or the simplest expression where none is bound."""
    names = writer.readable(kind)
    return writer.pick(names) if names else _SIMPLEST[kind]


_SIMPLEST = {
    Kind.TENSOR: "pl.full([4, 8], dtype=pl.FP32, value=1.0)",
    Kind.WIDE: "pl.full([8, 8], dtype=pl.FP32, value=2.0)",
    Kind.INDEX: "2",
    Kind.REAL: "0.5",
    Kind.FLAG: "pl.const(True, pl.BOOL)",
    Kind.TILE: "pl.tile.full([4, 8], dtype=pl.FP32, value=1.0)",
}


def _index(writer: Writer, depth: int) -> str:
    """A small integer: products and differences are taken back into a range."""
    form = writer.number(-2, 6) if depth else writer.number(-2, 1)
    if form <= 0:
        return name(writer, Kind.INDEX)
    if form == 1:
        return str(writer.number(0, 3))
    left, right = _index(writer, depth - 1), _index(writer, depth - 1)
    forms = ("({} + {}) % 7", "({} - {}) % 5", "({} * {}) % 11", "pl.min({}, {})", "pl.max({}, {}) // 2")
    return forms[form - 2].format(left, right)


def _real(writer: Writer, depth: int) -> str:
    form = writer.number(-2, 4) if depth else writer.number(-2, 1)
    if form <= 0:
        return name(writer, Kind.REAL)
    if form == 1:
        return f"{writer.number(0, 3)}.5"
    if form == 2:
        writer.note("read of an element")
        return element(writer, name(writer, Kind.TENSOR), rows=ROWS)
    return f"({_real(writer, depth - 1)} {'+' if form == 3 else '-'} {_real(writer, depth - 1)})"


def element(writer: Writer, tensor: str, *, rows: int) -> str:
    """An element of a tensor."""
    return f"pl.read({tensor}, [{writer.number(0, rows - 1)}, {writer.number(0, COLUMNS - 1)}])"


def _flag(writer: Writer, depth: int) -> str:
    form = writer.number(0, 5) if depth else 0
    if form <= 2:
        return f"({_index(writer, max(depth - 1, 0))} {writer.pick(('<', '==', '>='))} {writer.number(0, 4)})"
    if form == 3 and writer.readable(Kind.FLAG):
        return name(writer, Kind.FLAG)
    if form == 3:
        return f"({_real(writer, depth - 1)} > {writer.number(0, 3)}.0)"
    if form == 4:
        return f"(not {_flag(writer, depth - 1)})"
    return f"({_flag(writer, depth - 1)} {writer.pick(('and', 'or'))} {_flag(writer, depth - 1)})"


def _tensor(writer: Writer, depth: int) -> str:
    form = writer.number(0, 4) if depth else 0
    if form == 0:
        return name(writer, Kind.TENSOR)
    if form == 4:
        writer.note("slice")
        return f"pl.slice({name(writer, Kind.WIDE)}, [4, 8], [{_index(writer, 0)} % 4, 0])"
    return _elementwise(writer, Kind.TENSOR, depth)


def _wide(writer: Writer, depth: int) -> str:
    return name(writer, Kind.WIDE) if not depth or writer.chance(30) else _elementwise(writer, Kind.WIDE, depth)


def _tile(writer: Writer, depth: int) -> str:
    if depth and not (writer.readable(Kind.TILE) and writer.chance(80)):
        source = name(writer, Kind.TENSOR)
        return f"pl.load({source}, [0, 0], [4, 8])"
    return name(writer, Kind.TILE) if not depth else _elementwise(writer, Kind.TILE, depth)


def _elementwise(writer: Writer, kind: Kind, depth: int) -> str:
    """An operation that keeps the size of what it computes: sums and differences grow, halves shrink."""
    form = writer.number(0, 2)
    left = _EXPRESSIONS[kind](writer, depth - 1)
    if form == 0:
        return f"pl.add({left}, {_real(writer, 0)})"
    if form == 1:
        return f"pl.mul({left}, 0.5)"
    return f"pl.{writer.pick(_BINARY)}({left}, {_EXPRESSIONS[kind](writer, depth - 1)})"


_EXPRESSIONS: dict[Kind, Callable[[Writer, int], str]] = {
    Kind.TENSOR: _tensor,
    Kind.WIDE: _wide,
    Kind.INDEX: _index,
    Kind.REAL: _real,
    Kind.FLAG: _flag,
    Kind.TILE: _tile,
}

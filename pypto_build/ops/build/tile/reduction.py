# SPDX-License-Identifier: Apache-2.0
"""Builders of reductions and of their opposite, the repetition of vectors and scalars."""

from __future__ import annotations

from typing import Protocol

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, Expr
from pypto_build.ops.build.normal import Number, call, scalar_for


class WithScratch(Protocol):
    """A reduction that needs a scratch tile."""

    def __call__(self, tile: Expr, tmp_tile: Expr, *, span: Span = UNKNOWN_SPAN) -> Call: ...


class WithoutScratch(Protocol):
    """A reduction that needs none."""

    def __call__(self, tile: Expr, *, span: Span = UNKNOWN_SPAN) -> Call: ...


class AlongRows(Protocol):
    """A function of a tile and a column vector."""

    def __call__(self, tile: Expr, row_vec: Expr, *, span: Span = UNKNOWN_SPAN) -> Call: ...


class AlongColumns(Protocol):
    """A function of a tile and a row vector."""

    def __call__(self, tile: Expr, col_vec: Expr, *, span: Span = UNKNOWN_SPAN) -> Call: ...


def _with_scratch(name: str) -> WithScratch:
    def build(tile: Expr, tmp_tile: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
        return call(name, (tile, tmp_tile), None, span)

    return build


def _without_scratch(name: str) -> WithoutScratch:
    def build(tile: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
        return call(name, (tile,), None, span)

    return build


def _along_rows(name: str) -> AlongRows:
    def build(tile: Expr, row_vec: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
        return call(name, (tile, row_vec), None, span)

    return build


def _along_columns(name: str) -> AlongColumns:
    def build(tile: Expr, col_vec: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
        return call(name, (tile, col_vec), None, span)

    return build


row_sum = _with_scratch("tile.row_sum")
row_max = _with_scratch("tile.row_max")
row_min = _with_scratch("tile.row_min")
row_prod = _with_scratch("tile.row_prod")
row_argmax = _with_scratch("tile.row_argmax")
row_argmin = _with_scratch("tile.row_argmin")
col_argmax = _with_scratch("tile.col_argmax")
col_argmin = _with_scratch("tile.col_argmin")
col_max = _without_scratch("tile.col_max")
col_min = _without_scratch("tile.col_min")
col_prod = _without_scratch("tile.col_prod")

row_expand_sub = _along_rows("tile.row_expand_sub")
row_expand_mul = _along_rows("tile.row_expand_mul")
row_expand_div = _along_rows("tile.row_expand_div")
row_expand_max = _along_rows("tile.row_expand_max")
row_expand_min = _along_rows("tile.row_expand_min")
row_expand_expdif = _along_rows("tile.row_expand_expdif")

col_expand_add = _along_columns("tile.col_expand_add")
col_expand_sub = _along_columns("tile.col_expand_sub")
col_expand_mul = _along_columns("tile.col_expand_mul")
col_expand_div = _along_columns("tile.col_expand_div")
col_expand_max = _along_columns("tile.col_expand_max")
col_expand_min = _along_columns("tile.col_expand_min")
col_expand_expdif = _along_columns("tile.col_expand_expdif")


def col_sum(tile: Expr, tmp_tile: Expr | None = None, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The sum of each column; with a scratch tile as a binary tree."""
    scratch = () if tmp_tile is None else (tmp_tile,)
    return call("tile.col_sum", (tile, *scratch), None, span)


def row_expand(target: Expr, row_vec: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """A column vector repeated along each row of a tile like target."""
    return call("tile.row_expand", (target, row_vec), None, span)


def row_expand_add(tile: Expr, row_vec: Expr, tmp: Expr | None = None, *, span: Span = UNKNOWN_SPAN) -> Call:
    """tile + a column vector, repeated along each row."""
    scratch = () if tmp is None else (tmp,)
    return call("tile.row_expand_add", (tile, row_vec, *scratch), None, span)


def col_expand(target: Expr, col_vec: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """A row vector repeated along each column of a tile like target."""
    return call("tile.col_expand", (target, col_vec), None, span)


def expands(target: Expr, scalar: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
    """A scalar in every element of a tile like target."""
    return call("tile.expands", (target, scalar_for(target, scalar, span)), None, span)

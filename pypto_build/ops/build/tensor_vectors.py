# SPDX-License-Identifier: Apache-2.0
"""Builders of tensor operations along rows and columns: reductions and expansions."""

from __future__ import annotations

from typing import Protocol

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, Expr
from pypto_build.ops.build.normal import call


class Reduction(Protocol):
    """A function that folds one axis of a tensor."""

    def __call__(self, input: Expr, *, span: Span = UNKNOWN_SPAN) -> Call: ...


class OverRows(Protocol):
    """A function of a tensor and one value per row."""

    def __call__(self, tensor: Expr, row_vec: Expr, *, span: Span = UNKNOWN_SPAN) -> Call: ...


class OverColumns(Protocol):
    """A function of a tensor and one value per column."""

    def __call__(self, tensor: Expr, col_vec: Expr, *, span: Span = UNKNOWN_SPAN) -> Call: ...


def _reduction(name: str) -> Reduction:
    def build(input: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
        return call(f"tensor.{name}", (input,), None, span)

    return build


def _over_rows(name: str) -> OverRows:
    def build(tensor: Expr, row_vec: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
        return call(f"tensor.{name}", (tensor, row_vec), None, span)

    return build


def _over_columns(name: str) -> OverColumns:
    def build(tensor: Expr, col_vec: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
        return call(f"tensor.{name}", (tensor, col_vec), None, span)

    return build


row_sum = _reduction("row_sum")
row_prod = _reduction("row_prod")
row_max = _reduction("row_max")
row_min = _reduction("row_min")
row_argmax = _reduction("row_argmax")
row_argmin = _reduction("row_argmin")
col_sum = _reduction("col_sum")
col_prod = _reduction("col_prod")
col_max = _reduction("col_max")
col_min = _reduction("col_min")
col_argmax = _reduction("col_argmax")
col_argmin = _reduction("col_argmin")

row_expand_add = _over_rows("row_expand_add")
row_expand_sub = _over_rows("row_expand_sub")
row_expand_mul = _over_rows("row_expand_mul")
row_expand_div = _over_rows("row_expand_div")
row_expand_max = _over_rows("row_expand_max")
row_expand_min = _over_rows("row_expand_min")
row_expand_expdif = _over_rows("row_expand_expdif")

col_expand = _over_columns("col_expand")
col_expand_add = _over_columns("col_expand_add")
col_expand_sub = _over_columns("col_expand_sub")
col_expand_mul = _over_columns("col_expand_mul")
col_expand_div = _over_columns("col_expand_div")
col_expand_max = _over_columns("col_expand_max")
col_expand_min = _over_columns("col_expand_min")
col_expand_expdif = _over_columns("col_expand_expdif")


def row_expand(target: Expr, row_vec: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """One value per row in every element of the row."""
    return call("tensor.row_expand", (target, row_vec), None, span)


def expand_clone(src: Expr, target: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """The source repeated along extents of 1 to the shape of the target."""
    return call("tensor.expand_clone", (src, target), None, span)

# SPDX-License-Identifier: Apache-2.0
"""Makers of the builders that tiles and tensors have in common: an operand, and another one or a number."""

from __future__ import annotations

from typing import Protocol

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, Expr
from pypto_build.ops.build.normal import Number, call, is_scalar, scalar_for


class Binary(Protocol):
    """A function of a tile or tensor and another one or a scalar."""

    def __call__(self, lhs: Expr, rhs: Number, *, span: Span = UNKNOWN_SPAN) -> Call: ...


def of_two(name: str) -> Binary:
    """The builder of one operation."""

    def build(lhs: Expr, rhs: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
        return call(name, (lhs, scalar_for(lhs, rhs, span)), None, span)

    return build


def of_either(name: str, scalar_name: str) -> Binary:
    """The builder of an operation that has another form for a scalar on the right."""

    def build(lhs: Expr, rhs: Number, *, span: Span = UNKNOWN_SPAN) -> Call:
        chosen = scalar_name if is_scalar(rhs) else name
        return call(chosen, (lhs, scalar_for(lhs, rhs, span)), None, span)

    return build

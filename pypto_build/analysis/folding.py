# SPDX-License-Identifier: Apache-2.0
"""Algebraic rewriting of scalar expressions: constants are computed, neutral elements go, questions are answered.

An operator is replaced only by something with fewer nodes, so folding ends and a second run finds nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pypto_build.analysis.bounds import COMPARISONS
from pypto_build.analysis.integer_rules import BITWISE, bits, extreme, linear, power, quotient, remainder
from pypto_build.analysis.shorter_forms import ShorterForms, constant
from pypto_build.ir import (
    Abs,
    Add,
    And,
    BinaryExpr,
    BitNot,
    Cast,
    ConstBool,
    ConstFloat,
    Expr,
    FloorDiv,
    FloorMod,
    Max,
    Min,
    Mul,
    Neg,
    Not,
    Or,
    Pow,
    Sub,
    UnaryExpr,
    as_int,
    dtype_of,
)


class Folder(ShorterForms):
    """Folds operators whose operands are folded already, with what is known at this place of a walk."""

    def fold(self, expr: Expr) -> Expr:
        """The expression in a smaller form; the same object when there is none."""
        rule = _RULES.get(type(expr))
        if rule is None:
            return expr
        found = rule(self, expr)
        return expr if found is None else found


# -- questions ---------------------------------------------------------------------------------------------------------


def _comparison(folder: Folder, expr: BinaryExpr) -> Expr | None:
    if not folder.is_droppable(expr):
        return None
    answer = folder.bounds.decides(expr)
    return None if answer is None else ConstBool(answer, expr.span)


def _both(folder: Folder, expr: BinaryExpr) -> Expr | None:
    return _joined(folder, expr, neutral=True)


def _either(folder: Folder, expr: BinaryExpr) -> Expr | None:
    return _joined(folder, expr, neutral=False)


def _joined(folder: Folder, expr: BinaryExpr, *, neutral: bool) -> Expr | None:
    """`and` (neutral True) and `or` (neutral False): a neutral side goes, the opposite decides."""
    for side, other in ((expr.left, expr.right), (expr.right, expr.left)):
        if isinstance(side, ConstBool):
            if side.value is neutral:
                return other
            return side if folder.is_droppable(other) else None
    return expr.left if folder.are_same(expr.left, expr.right) else None


def _not(folder: Folder, expr: UnaryExpr) -> Expr | None:
    del folder
    if isinstance(expr.operand, ConstBool):
        return ConstBool(not expr.operand.value, expr.span)
    return expr.operand.operand if isinstance(expr.operand, Not) else None


# -- one operand -------------------------------------------------------------------------------------------------------


def _negated(folder: Folder, expr: UnaryExpr) -> Expr | None:
    assert isinstance(expr, Neg)
    if isinstance(expr.operand, ConstFloat):
        return ConstFloat(-expr.operand.value, expr.dtype, expr.span)
    return linear(folder, expr)


def _absolute(folder: Folder, expr: UnaryExpr) -> Expr | None:
    if not expr.dtype.is_int() or not folder.is_droppable(expr):
        return None
    value = as_int(expr.operand)
    if value is not None:
        return constant(abs(value), expr)
    low = folder.bounds.of(expr.operand).low
    return expr.operand if low is not None and low >= 0 else None


def _inverted(folder: Folder, expr: UnaryExpr) -> Expr | None:
    del folder
    value = as_int(expr.operand)
    return None if value is None else constant(~value, expr)


def _cast(folder: Folder, expr: UnaryExpr) -> Expr | None:
    """A cast to the type that the operand has already, and a constant that the new type holds."""
    del folder
    if dtype_of(expr.operand) is expr.dtype:
        return expr.operand
    value = as_int(expr.operand)
    return constant(value, expr) if value is not None else None


_Rule = Callable[[Folder, Any], Expr | None]  # Any: each rule is asked about its own classes only
_RULES: dict[type[Expr], _Rule] = {
    **dict.fromkeys((Add, Sub, Mul), linear),
    FloorDiv: quotient,
    FloorMod: remainder,
    Min: extreme,
    Max: extreme,
    Pow: power,
    **dict.fromkeys(BITWISE, bits),
    **dict.fromkeys(COMPARISONS, _comparison),
    And: _both,
    Or: _either,
    Not: _not,
    Neg: _negated,
    Abs: _absolute,
    BitNot: _inverted,
    Cast: _cast,
}

# SPDX-License-Identifier: Apache-2.0
"""Algebraic rewriting of scalar expressions: constants are computed, neutral elements go, questions are answered.

An operator is replaced only by something with fewer nodes, so folding ends and a second run finds nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pypto_build.analysis.comparisons import COMPARISONS
from pypto_build.analysis.integer_rules import BITWISE, bits, extreme, linear, power, quotient, remainder
from pypto_build.analysis.rewrite_rules import SHORTER
from pypto_build.analysis.rewriting import rewritten
from pypto_build.analysis.shorter_forms import ShorterForms, constant
from pypto_build.analysis.truth_rules import both, comparison, either, exclusive, negation
from pypto_build.ir import (
    Abs,
    Add,
    And,
    BinaryExpr,
    BitNot,
    Cast,
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
    Rewriter,
    Sub,
    UnaryExpr,
    Var,
    Xor,
    as_int,
    dtype_of,
)


class Folder(ShorterForms):
    """Folds operators whose operands are folded already, with what is known at this place of a walk."""

    def fold(self, expr: Expr) -> Expr:
        """The expression in a smaller form; the same object when there is none."""
        while True:
            found = self._step(expr)
            if found is None:
                return expr
            expr = found

    def _step(self, expr: Expr) -> Expr | None:
        rule = _RULES.get(type(expr))
        found = rule(self, expr) if rule is not None else None
        return rewritten(self, expr, SHORTER) if found is None else found


class FoldEverything(Rewriter):
    """Folds every operator of an expression, from its leaves up."""

    def __init__(self, folder: ShorterForms, substitution: Mapping[Var, Expr] | None = None) -> None:
        super().__init__(substitution)
        self.folder = folder

    def visit_binary_expr(self, expr: BinaryExpr) -> Expr:
        """An operator with two operands."""
        return self.folder.fold(self.visit_node(expr))

    def visit_unary_expr(self, expr: UnaryExpr) -> Expr:
        """An operator with one operand."""
        return self.folder.fold(self.visit_node(expr))


def _negated(forms: ShorterForms, expr: UnaryExpr) -> Expr | None:
    assert isinstance(expr, Neg)
    if isinstance(expr.operand, ConstFloat):
        return ConstFloat(-expr.operand.value, expr.dtype, expr.span)
    return linear(forms, expr)


def _absolute(forms: ShorterForms, expr: UnaryExpr) -> Expr | None:
    if not expr.dtype.is_int() or not forms.is_droppable(expr):
        return None
    value = as_int(expr.operand)
    if value is not None:
        return constant(abs(value), expr)
    low = forms.bounds.of(expr.operand).low
    return expr.operand if low is not None and low >= 0 else None


def _inverted(forms: ShorterForms, expr: UnaryExpr) -> Expr | None:
    del forms
    value = as_int(expr.operand)
    return None if value is None else constant(~value, expr)


def _cast(forms: ShorterForms, expr: UnaryExpr) -> Expr | None:
    """A cast to the type that the operand has already, and a constant that the new type holds."""
    del forms
    if dtype_of(expr.operand) is expr.dtype:
        return expr.operand
    value = as_int(expr.operand)
    return constant(value, expr) if value is not None else None


_Rule = Callable[[ShorterForms, Any], Expr | None]  # Any: each rule is asked about its own classes only
_RULES: dict[type[Expr], _Rule] = {
    **dict.fromkeys((Add, Sub, Mul), linear),
    FloorDiv: quotient,
    FloorMod: remainder,
    Min: extreme,
    Max: extreme,
    Pow: power,
    **dict.fromkeys(BITWISE, bits),
    **dict.fromkeys(COMPARISONS, comparison),
    And: both,
    Or: either,
    Xor: exclusive,
    Not: negation,
    Neg: _negated,
    Abs: _absolute,
    BitNot: _inverted,
    Cast: _cast,
}

# SPDX-License-Identifier: Apache-2.0
"""Integer expressions that stand for a linear form, when they are shorter than what is there.

Nothing that contains a call may be dropped, because a call may do more than yield a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.interval import range_of
from pypto_build.analysis.linear_forms import LinearForm
from pypto_build.ir import Add, BinaryExpr, ConstInt, DataType, Expr, Mul, Neg, Span, Sub, UnaryExpr


class ShorterForms(ABC):
    """Renders linear forms as expressions, and says which expressions may go."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.atoms = bounds.atoms
        self._sizes: dict[Expr, int] = {}

    @abstractmethod
    def fold(self, expr: Expr) -> Expr:
        """The expression in a better form, its operands being in their best; the same object when there is none."""

    def size(self, expr: Expr) -> int:
        """How many nodes an expression has; what is not an operator counts as one."""
        known = self._sizes.get(expr)
        if known is None:
            match expr:
                case BinaryExpr():
                    known = 1 + self.size(expr.left) + self.size(expr.right)
                case UnaryExpr():
                    known = 1 + self.size(expr.operand)
                case _:
                    known = 1
            self._sizes[expr] = known
        return known

    def size_of_form(self, form: LinearForm) -> int:
        """How many nodes the expression of a form has."""
        if not form.terms:
            return 1
        parts = sum(self.size(self.atoms.expr(atom)) + 1 + 2 * (abs(c) != 1) for atom, c in form.terms)
        negative = all(c < 0 for _, c in form.terms) and form.constant <= 0
        return parts + 2 * bool(form.constant) - 1 + negative

    def is_better(self, new: Expr, old: Expr) -> bool:
        """Whether an expression may replace an equal one: it is smaller."""
        return self.size(new) < self.size(old)

    def better(self, form: LinearForm, expr: BinaryExpr | UnaryExpr) -> Expr | None:
        """The form as an expression of the type of another one, if it may replace that."""
        if self.size_of_form(form) >= self.size(expr) or not can_be_written(form, expr.dtype):
            return None
        return self.rendered(form, expr.dtype, span=expr.span)

    def rendered(self, form: LinearForm, dtype: DataType, *, span: Span) -> Expr:
        """The form as an expression: what is subtracted comes last; to a sum that starts with -x numbers are added."""
        terms = sorted(form.terms, key=lambda term: term[1] < 0)  # stable
        result: Expr | None = None
        rest = form.constant
        if not terms or (terms[0][1] < 0 and rest > 0):
            result, rest = ConstInt(rest, dtype, span), 0
        for atom, coefficient in terms:
            count = abs(coefficient)
            expr = self.atoms.expr(atom)
            term = expr if count == 1 else Mul(expr, ConstInt(count, dtype, span), dtype, span)
            if result is None:
                result = term if coefficient > 0 else Neg(term, dtype, span)
            else:
                result = (Add if coefficient > 0 else Sub)(result, term, dtype, span)
        assert result is not None
        if rest < 0 < terms[0][1]:
            return Sub(result, ConstInt(-rest, dtype, span), dtype, span)
        return Add(result, ConstInt(rest, dtype, span), dtype, span) if rest else result

    def is_droppable(self, *parts: Expr) -> bool:
        """Whether nothing is lost when these are not evaluated."""
        return not any(self.atoms.has_call(part) for part in parts)

    def are_same(self, left: Expr, right: Expr) -> bool:
        """Whether both always have the same value, and either may stand for the other."""
        if not self.is_droppable(left, right):
            return False
        return left is right or self.atoms.form(left).key() == self.atoms.form(right).key()


def fits(value: int, dtype: DataType) -> bool:
    """Whether an integer type holds a number."""
    interval = range_of(dtype)
    return dtype.is_int() and (interval.low or 0) <= value <= (interval.high or 0)


def can_be_written(form: LinearForm, dtype: DataType) -> bool:
    """Whether an integer type holds every number in the expression of a form."""
    if not form.terms:
        return fits(form.constant, dtype)
    return fits(abs(form.constant), dtype) and all(fits(abs(coefficient), dtype) for _, coefficient in form.terms)


def constant(value: int, like: BinaryExpr | UnaryExpr) -> Expr | None:
    """A number of the type of an operator; None when that does not hold it."""
    return ConstInt(value, like.dtype, like.span) if fits(value, like.dtype) else None

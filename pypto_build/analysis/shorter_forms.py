# SPDX-License-Identifier: Apache-2.0
"""Integer expressions that stand for a linear form, when they are shorter than what is there.

Nothing that contains a call may be dropped, because a call may do more than yield a value.
"""

from __future__ import annotations

from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.interval import range_of
from pypto_build.analysis.linear_forms import LinearForm
from pypto_build.ir import Add, BinaryExpr, ConstInt, DataType, Expr, Mul, Neg, Sub, UnaryExpr


class ShorterForms:
    """Renders linear forms as expressions, and says which expressions may go."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.atoms = bounds.atoms
        self._sizes: dict[Expr, int] = {}

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

    def smaller(self, form: LinearForm, expr: BinaryExpr | UnaryExpr) -> Expr | None:
        """The form as an expression of the type of another one, if it is smaller than that."""
        parts = [self.size(self.atoms.expr(atom)) + 1 + 2 * (abs(c) != 1) for atom, c in form.terms]
        negative = bool(form.terms) and all(c < 0 for _, c in form.terms) and form.constant <= 0
        size = sum(parts) + 2 * bool(form.constant) - 1 + negative if parts else 1
        if size >= self.size(expr) or not fits(form.constant, expr.dtype):
            return None
        return self._render(form, expr)

    def _render(self, form: LinearForm, like: BinaryExpr | UnaryExpr) -> Expr:
        terms = sorted(form.terms, key=lambda term: term[1] < 0)  # stable: what is subtracted comes last
        result: Expr | None = None
        rest = form.constant
        if not terms or (terms[0][1] < 0 and rest > 0):
            result, rest = ConstInt(rest, like.dtype, like.span), 0
        for atom, coefficient in terms:
            result = self._with_term(result, self.atoms.expr(atom), coefficient, like=like)
        assert result is not None
        if rest:
            operator = Add if rest > 0 else Sub
            result = operator(result, ConstInt(abs(rest), like.dtype, like.span), like.dtype, like.span)
        return result

    def _with_term(self, sum_: Expr | None, atom: Expr, coefficient: int, *, like: BinaryExpr | UnaryExpr) -> Expr:
        count = abs(coefficient)
        term = atom if count == 1 else Mul(atom, ConstInt(count, like.dtype, like.span), like.dtype, like.span)
        if sum_ is None:
            return term if coefficient > 0 else Neg(term, like.dtype, like.span)
        return (Add if coefficient > 0 else Sub)(sum_, term, like.dtype, like.span)

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


def constant(value: int, like: BinaryExpr | UnaryExpr) -> Expr | None:
    """A number of the type of an operator; None when that does not hold it."""
    return ConstInt(value, like.dtype, like.span) if fits(value, like.dtype) else None

# SPDX-License-Identifier: Apache-2.0
"""What is known of integer expressions at one place: between which numbers they lie, which remainder they leave.

Facts are intervals of linear combinations, so `i < n` bounds `n - i` even where neither is known, and `i < n`, `n < m`
bound `m - i`. They are added when a walk enters a loop or a branch and taken back when it leaves.
"""

from __future__ import annotations

from pypto_build.analysis.comparisons import COMPARISONS, NEGATED, WANTED, Relation, decided
from pypto_build.analysis.form_bounds import FormBounds
from pypto_build.analysis.interval import NON_NEGATIVE, Interval
from pypto_build.analysis.linear_forms import LinearForm
from pypto_build.analysis.residue import Residue
from pypto_build.analysis.type_ranges import is_integer, is_signed
from pypto_build.ir import (
    And,
    Eq,
    Expr,
    FloorMod,
    Ge,
    Gt,
    Le,
    Lt,
    Max,
    Min,
    Ne,
    Not,
    Or,
    as_int,
)


class Bounds(FormBounds):
    """What is known of the values of expressions at one place of a walk."""

    # -- questions -----------------------------------------------------------------------------------------------------

    def at_most(self, left: Expr, right: Expr) -> bool:
        """Whether left <= right is certain."""
        low = self.of_form(self.difference(right, left)).low
        return low is not None and low >= 0

    def difference(self, left: Expr, right: Expr) -> LinearForm:
        """left - right"""
        return self.atoms.form(left).plus(self.atoms.form(right), -1)

    def decides(self, condition: Expr) -> bool | None:
        """Whether a comparison is certainly true or certainly false; None when that is open."""
        if not isinstance(condition, COMPARISONS):
            return None
        if is_signed(condition.left) and is_signed(condition.right):
            difference = self.difference(condition.right, condition.left)
            if isinstance(condition, Eq | Ne) and not self.residue_of_form(difference).contains(0):
                return isinstance(condition, Ne)
            return decided(type(condition), self.of_form(difference))
        if is_integer(condition.left) and is_integer(condition.right):
            return decided(type(condition), self.of(condition.right).plus(self.of(condition.left).times(-1)))
        return None

    # -- facts ---------------------------------------------------------------------------------------------------------

    def assume(self, condition: Expr, *, holds: bool = True) -> None:
        """From now on a condition holds, or does not."""
        match condition:
            case Not():
                self.assume(condition.operand, holds=not holds)
            case And() if holds:
                self.assume(condition.left)
                self.assume(condition.right)
            case Or() if not holds:
                self.assume(condition.left, holds=False)
                self.assume(condition.right, holds=False)
            case Eq() | Ne() | Lt() | Le() | Gt() | Ge():
                if is_signed(condition.left) and is_signed(condition.right):
                    relation = type(condition) if holds else NEGATED[type(condition)]
                    self._relate(condition.left, condition.right, relation)
            case _:
                pass

    def equate(self, left: Expr, right: Expr) -> None:
        """From now on two integer expressions have the same value."""
        if not (is_signed(left) and is_signed(right)):
            return
        self.learn(self.difference(left, right), Interval(0, 0))
        for less, more in ((left, right), (right, left)):
            self._learn_remainder(less, more)
            if isinstance(less, Max) or isinstance(more, Min):
                self._order(less, more, NON_NEGATIVE)

    def _relate(self, left: Expr, right: Expr, relation: Relation) -> None:
        if relation is Ne:
            self.exclude_zero(self.difference(left, right))
        elif relation is Eq:
            self.equate(left, right)
        elif relation in (Lt, Le):
            self._order(left, right, WANTED[relation])
        else:
            self._order(right, left, WANTED[relation])

    def _order(self, less: Expr, more: Expr, distance: Interval) -> None:
        """From now on more - less lies in an interval without an upper end; what is below a minimum is below both."""
        self.learn(self.difference(more, less), distance)
        if isinstance(more, Min):
            self._order(less, more.left, distance)
            self._order(less, more.right, distance)
        if isinstance(less, Max):
            self._order(less.left, more, distance)
            self._order(less.right, more, distance)

    def _learn_remainder(self, expr: Expr, value: Expr) -> None:
        """What `x % divisor == value` says of x."""
        remainder, divisor = as_int(value), as_int(expr.right) if isinstance(expr, FloorMod) else None
        if not isinstance(expr, FloorMod) or remainder is None or not divisor:
            return
        self.learn_residue(self.atoms.form(expr.left), Residue(divisor, remainder))

# SPDX-License-Identifier: Apache-2.0
"""Interval analysis of integer expressions: between which numbers a value lies, given what holds at this place.

Facts are intervals of linear combinations, so `i < n` bounds `n - i` even where neither is known. They are added when
a walk enters a loop or a branch and taken back when it leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import gcd
from typing import TypeVar

from pypto_build.analysis.interval import ANY, NON_NEGATIVE, Interval, range_of
from pypto_build.analysis.linear_forms import Atoms, LinearForm, Terms
from pypto_build.analysis.operator_bounds import RULES
from pypto_build.ir import (
    And,
    BinaryExpr,
    DataType,
    Eq,
    Expr,
    Ge,
    Gt,
    Le,
    Lt,
    Ne,
    Not,
    Or,
    ScalarType,
    Var,
)

COMPARISONS = (Eq, Ne, Lt, Le, Gt, Ge)
_NEGATED: dict[type[BinaryExpr], type[BinaryExpr]] = {Eq: Ne, Ne: Eq, Lt: Ge, Ge: Lt, Le: Gt, Gt: Le}
_WANTED: dict[type[BinaryExpr], Interval] = {
    Eq: Interval(0, 0),
    Lt: Interval(1),
    Gt: Interval(1),
    Le: NON_NEGATIVE,
    Ge: NON_NEGATIVE,
}
_Key = TypeVar("_Key")


class Bounds:
    """What is known of the values of expressions at one place of a walk."""

    def __init__(self, unstable: Collection[Var] = ()) -> None:
        self.atoms = Atoms(unstable)
        self._facts: dict[Terms, Interval] = {}
        self._ranges: dict[int, Interval] = {}
        self._undo: list[Callable[[], None]] = []
        self._known: dict[int, Interval] = {}

    # -- questions -----------------------------------------------------------------------------------------------------

    def of(self, expr: Expr) -> Interval:
        """The interval in which the value of an expression lies."""
        return self.of_form(self.atoms.form(expr))

    def of_form(self, form: LinearForm) -> Interval:
        """The interval in which a linear form lies."""
        if not form.terms:
            return Interval(form.constant, form.constant)
        factor, unit = _unit(form.terms)
        found = Interval(0, 0)
        for atom, coefficient in unit:
            found = found.plus(self._atom(atom).times(coefficient))
        fact = self._facts.get(unit)
        if fact is not None:
            found = found.meet(fact)
        return found.times(factor).shifted(form.constant)

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
        if _is_signed(condition.left) and _is_signed(condition.right):
            difference = self.difference(condition.right, condition.left)
            if isinstance(condition, Eq | Ne) and _misses_zero(difference):
                return isinstance(condition, Ne)
            return _decided(type(condition), self.of_form(difference))
        if _is_integer(condition.left) and _is_integer(condition.right):
            return _decided(type(condition), self.of(condition.right).plus(self.of(condition.left).times(-1)))
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
                if _is_signed(condition.left) and _is_signed(condition.right):
                    self._assume(condition, type(condition) if holds else _NEGATED[type(condition)])
            case _:
                pass

    def bound(self, var: Var, interval: Interval) -> None:
        """From now on a variable lies in an interval, whatever its type would say."""
        number = self.atoms.number(var)
        self._set(self._ranges, number, interval)

    def mark(self) -> int:
        """A point to which facts can be taken back."""
        return len(self._undo)

    def back_to(self, mark: int) -> None:
        """Forget what was learnt since a mark."""
        while len(self._undo) > mark:
            self._undo.pop()()
            self._known.clear()

    def _assume(self, condition: BinaryExpr, relation: type[BinaryExpr]) -> None:
        forms = self.atoms.form(condition.left), self.atoms.form(condition.right)
        less, more = forms if relation in (Lt, Le, Eq, Ne) else forms[::-1]
        difference = more.plus(less, -1)
        if not difference.terms or not self.atoms.is_stable(difference):
            return
        factor, unit = _unit(difference.terms)
        known = self.of_form(LinearForm(0, unit))
        if relation is Ne:
            fact = known.without(-difference.constant, factor)
        else:
            fact = known.meet(_WANTED[relation].shifted(-difference.constant).divided(factor))
        self._set(self._facts, unit, fact)

    def _set(self, table: dict[_Key, Interval], key: _Key, interval: Interval) -> None:
        before = table.get(key)

        def undo() -> None:
            if before is None:
                del table[key]
            else:
                table[key] = before

        table[key] = interval
        self._undo.append(undo)
        self._known.clear()

    # -- atoms ---------------------------------------------------------------------------------------------------------

    def _atom(self, number: int) -> Interval:
        known = self._known.get(number)
        if known is not None:
            return known
        given = self._ranges.get(number)
        found = given if given is not None else self._shaped(self.atoms.expr(number))
        fact = self._facts.get(((number, 1),))
        if fact is not None:
            found = found.meet(fact)
        self._known[number] = found
        return found

    def _shaped(self, expr: Expr) -> Interval:
        """What the form of an atom says: its operator, or its type."""
        rule = RULES.get(type(expr))
        found = rule(self.of, expr) if rule is not None else ANY
        own = _default(expr)
        return found.meet(own) if found.is_within(own) or rule is None else own


def _unit(terms: Terms) -> tuple[int, Terms]:
    """The same combination, up to a factor that is returned, for all its multiples."""
    ordered = tuple(sorted(terms))
    factor = gcd(*(coefficient for _, coefficient in ordered))
    if ordered[0][1] < 0:
        factor = -factor
    return factor, tuple((atom, coefficient // factor) for atom, coefficient in ordered)


def _misses_zero(form: LinearForm) -> bool:
    """Whether a form cannot be zero because its coefficients share a factor that its constant does not have."""
    return bool(form.terms) and form.constant % gcd(*(coefficient for _, coefficient in form.terms)) != 0


def _decided(relation: type[BinaryExpr], difference: Interval) -> bool | None:
    """A comparison by the interval of right - left."""
    low, high = difference.low, difference.high
    positive, negative = low is not None and low > 0, high is not None and high < 0
    zero = low == 0 and high == 0
    at_least, at_most = positive or low == 0, negative or high == 0
    answers: dict[type[BinaryExpr], tuple[bool, bool]] = {
        Lt: (positive, at_most),
        Le: (at_least, negative),
        Gt: (negative, at_least),
        Ge: (at_most, positive),
        Eq: (zero, positive or negative),
        Ne: (positive or negative, zero),
    }
    yes, no = answers[relation]
    return True if yes else False if no else None


def _dtype(expr: Expr) -> DataType | None:
    kind = expr.type
    return kind.dtype if isinstance(kind, ScalarType) else None


def _is_signed(expr: Expr) -> bool:
    dtype = _dtype(expr)
    return dtype is not None and dtype.is_signed_int()


def _is_integer(expr: Expr) -> bool:
    dtype = _dtype(expr)
    return dtype is not None and dtype.is_int()


def _default(expr: Expr) -> Interval:
    """What a type says. An INDEX variable counts or addresses something: it is not negative."""
    dtype = _dtype(expr)
    if dtype is DataType.INDEX:
        return NON_NEGATIVE if isinstance(expr, Var) else ANY
    return range_of(dtype) if dtype is not None and dtype is not DataType.INT64 else ANY

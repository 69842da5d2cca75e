# SPDX-License-Identifier: Apache-2.0
"""What is known of linear forms at one place: between which numbers they lie, which remainder they leave."""

from __future__ import annotations

from collections.abc import Collection

from pypto_build.analysis.atoms import Atoms
from pypto_build.analysis.difference_chains import DifferenceChains
from pypto_build.analysis.interval import ANY, Interval
from pypto_build.analysis.linear_forms import LinearForm, Terms, is_difference
from pypto_build.analysis.operator_bounds import RULES
from pypto_build.analysis.operator_residues import RESIDUE_RULES
from pypto_build.analysis.residue import ANY_RESIDUE, Residue, solutions
from pypto_build.analysis.type_ranges import is_signed, range_of_type
from pypto_build.analysis.undo_log import UndoLog
from pypto_build.ir import Expr, Var, dtype_of


class FormBounds:
    """Intervals of linear combinations of atoms, remainders of atoms, and chains of comparisons between atoms."""

    def __init__(self, unstable: Collection[Var] = ()) -> None:
        self.atoms = Atoms(unstable)
        self._log = UndoLog()
        self._facts: dict[Terms, Interval] = {}
        self._ranges: dict[int, Interval] = {}
        self._residues: dict[int, Residue] = {}
        self._chains = DifferenceChains(self._log)
        self._known: dict[int, Interval] = {}
        self._known_residues: dict[int, Residue] = {}

    # -- questions -----------------------------------------------------------------------------------------------------

    def of(self, expr: Expr) -> Interval:
        """The interval in which the value of an expression lies."""
        return self.of_form(self.atoms.form(expr))

    def of_form(self, form: LinearForm, *, chained: bool = True) -> Interval:
        """The interval in which a linear form lies; not chained: without following chains of comparisons.

        Where facts contradict one another, nothing is said: that code is never reached.
        """
        if not form.terms:
            return Interval(form.constant, form.constant)
        if len(form.terms) == 1:
            return self._atom(form.terms[0][0]).times(form.terms[0][1]).shifted(form.constant)
        factor, unit = form.unit()
        found = Interval(0, 0)
        for atom, coefficient in unit:
            found = found.plus(self._atom(atom).times(coefficient))
        fact = self._facts.get(unit)
        if fact is not None:
            found = found.meet(fact)
        if chained and is_difference(unit):
            found = found.meet(self._chained(unit[0][0], unit[1][0]))
        return ANY if found.is_empty() else found.times(factor).shifted(form.constant)

    def residue(self, expr: Expr) -> Residue:
        """The remainder that the value of an expression leaves."""
        return self.residue_of_form(self.atoms.form(expr))

    def residue_of_form(self, form: LinearForm) -> Residue:
        """The remainder that a linear form leaves."""
        found = Residue(0, form.constant)
        for atom, coefficient in form.terms:
            found = found.plus(self._atom_residue(atom).times(coefficient))
        return found

    def compared(self, atom: int) -> tuple[LinearForm | None, LinearForm | None]:
        """A form that an atom is at most, and one that it is at least, as far as it was compared with another atom."""
        ends = self._chains.nearest(atom, above=True), self._chains.nearest(atom, above=False)
        above, below = [None if end is None else LinearForm(end[1], ((end[0], 1),)) for end in ends]
        return above, below

    # -- facts ---------------------------------------------------------------------------------------------------------

    def bound(self, var: Var, interval: Interval) -> None:
        """From now on a variable lies in an interval, whatever its type would say."""
        self._log.set(self._ranges, self.atoms.number(var), interval)
        self._forget_answers()

    def leave(self, var: Var, residue: Residue) -> None:
        """From now on a variable leaves a remainder, whatever was known of that."""
        self._log.set(self._residues, self.atoms.number(var), residue)
        self._forget_answers()

    def forget(self, var: Var) -> None:
        """From now on nothing is known of a variable."""
        number = self.atoms.number(var)
        self._log.drop(self._ranges, number)
        self._log.drop(self._residues, number)
        for terms in [terms for terms in self._facts if any(atom == number for atom, _ in terms)]:
            self._log.drop(self._facts, terms)
        self._chains.forget(number)
        self._forget_answers()

    def mark(self) -> int:
        """A point to which facts can be taken back."""
        return self._log.mark()

    def back_to(self, mark: int) -> None:
        """Forget what was learnt since a mark."""
        if self._log.back_to(mark):
            self._forget_answers()

    def learn(self, form: LinearForm, interval: Interval) -> None:
        """From now on a form lies in an interval."""
        if not form.terms or not self.atoms.is_stable(form):
            return
        factor, unit = form.unit()
        known = self.of_form(LinearForm(0, unit))
        self._set_fact(unit, known.meet(interval.shifted(-form.constant).divided(factor)))

    def exclude_zero(self, form: LinearForm) -> None:
        """From now on a form is not zero."""
        if not form.terms or not self.atoms.is_stable(form):
            return
        factor, unit = form.unit()
        self._set_fact(unit, self.of_form(LinearForm(0, unit)).without(-form.constant, factor))

    def learn_residue(self, form: LinearForm, residue: Residue) -> None:
        """From now on a form leaves a remainder; that says something of a multiple of one atom plus a number."""
        if len(form.terms) != 1 or not self.atoms.is_stable(form):
            return
        (atom, coefficient) = form.terms[0]
        found = solutions(coefficient, residue.plus(Residue(0, -form.constant)))
        if found is not None:
            self._log.set(self._residues, atom, self._atom_residue(atom).meet(found))
            self._forget_answers()

    def _set_fact(self, unit: Terms, fact: Interval) -> None:
        self._log.set(self._facts, unit, fact)
        if is_difference(unit):
            (first, _), (second, _) = unit
            if fact.high is not None:
                self._chains.limit(first, second, distance=fact.high)
            if fact.low is not None:
                self._chains.limit(second, first, distance=-fact.low)
        self._forget_answers()

    def _forget_answers(self) -> None:
        self._known.clear()
        self._known_residues.clear()

    # -- atoms ---------------------------------------------------------------------------------------------------------

    def _atom(self, number: int) -> Interval:
        known = self._known.get(number)
        if known is not None:
            return known
        found = self._given(number)
        expr = self.atoms.expr(number)
        rule = RULES.get(type(expr))
        if rule is not None and number not in self._ranges:
            shaped = rule(self.of, expr)
            found = found.meet(shaped) if shaped.is_within(range_of_type(expr)) else found
        if self._chains.has(number):
            found = found.meet(self._compared_with(number))
        found = self._atom_residue(number).within(found)
        found = self._known[number] = ANY if found.is_empty() else found
        return found

    def _compared_with(self, number: int) -> Interval:
        """What chains of comparisons say of an atom."""
        highs = [self._given(other).shifted(distance) for other, distance in self._chains.above(number).items()]
        lows = [self._given(other).shifted(-distance) for other, distance in self._chains.below(number).items()]
        found = Interval()
        for high in highs:
            found = found.meet(Interval(None, high.high))
        for low in lows:
            found = found.meet(Interval(low.low))
        return found

    def _given(self, number: int) -> Interval:
        """What a fact, a range or the type says of an atom, without looking at what it is made of."""
        given = self._ranges.get(number)
        found = given if given is not None else range_of_type(self.atoms.expr(number))
        fact = self._facts.get(((number, 1),))
        return found if fact is None else found.meet(fact)

    def _chained(self, first: int, second: int) -> Interval:
        """The difference of two atoms by chains of comparisons."""
        low = self._chains.distance(second, first)
        return Interval(None if low is None else -low, self._chains.distance(first, second))

    def _atom_residue(self, number: int) -> Residue:
        known = self._known_residues.get(number)
        if known is not None:
            return known
        found = self._residues.get(number, ANY_RESIDUE)
        expr = self.atoms.expr(number)
        rule = RESIDUE_RULES.get(type(expr))
        if rule is not None:
            shaped = rule(self.residue, expr)
            found = found.meet(shaped if is_signed(expr) else shaped.wrapped(dtype_of(expr).get_bit()))
        given = self._given(number)
        if given.low is not None and given.low == given.high:
            found = Residue(0, given.low)
        self._known_residues[number] = found
        return found

# SPDX-License-Identifier: Apache-2.0
"""Linear forms: constant + sum of coefficient x atom, where atoms are numbers that stand for expressions.

Equal forms compare in the time of their length, whatever the expressions look like.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

Terms = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class LinearForm:
    """constant + sum of coefficient x atom; terms are (atom number, coefficient), none of them zero."""

    constant: int
    terms: Terms = ()

    def plus(self, other: LinearForm, factor: int = 1) -> LinearForm:
        """self + factor x other; the terms of self keep their order."""
        if not other.terms:
            return LinearForm(self.constant + factor * other.constant, self.terms)
        merged = dict(self.terms)
        for atom, coefficient in other.terms:
            merged[atom] = merged.get(atom, 0) + factor * coefficient
        kept = tuple((atom, coefficient) for atom, coefficient in merged.items() if coefficient)
        return LinearForm(self.constant + factor * other.constant, kept)

    def scaled(self, factor: int) -> LinearForm:
        """factor x self"""
        if factor == 0:
            return LinearForm(0)
        return LinearForm(self.constant * factor, tuple((atom, c * factor) for atom, c in self.terms))

    def weight(self) -> int:
        """How much there is to write down: terms, and coefficients other than 1 and -1."""
        return sum(1 + (abs(coefficient) != 1) for _, coefficient in self.terms)

    def unit(self) -> tuple[int, Terms]:
        """The terms up to a factor that is returned with them: the same for all multiples of a combination."""
        ordered = tuple(sorted(self.terms))
        factor = gcd(*(coefficient for _, coefficient in ordered))
        if ordered[0][1] < 0:
            factor = -factor
        return factor, tuple((atom, coefficient // factor) for atom, coefficient in ordered)

    def key(self) -> tuple[int, Terms]:
        """The same for equal forms, in whatever order their terms were met."""
        return self.constant, tuple(sorted(self.terms))


def is_difference(unit: Terms) -> bool:
    """Whether terms of a unit are one atom minus another."""
    return len(unit) == 2 and unit[0][1] == 1 and unit[1][1] == -1

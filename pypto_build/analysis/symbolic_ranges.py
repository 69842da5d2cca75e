# SPDX-License-Identifier: Apache-2.0
"""Between which expressions an integer expression lies: `i + 1` from 1 to `n` where `i` is known to count up to `n`."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.linear_forms import LinearForm
from pypto_build.analysis.type_ranges import range_of_type
from pypto_build.ir import Expr


@dataclass(frozen=True, slots=True)
class SymbolicRange:
    """From low to high, both included; open towards infinity where an end is None."""

    low: LinearForm | None = None
    high: LinearForm | None = None

    def plus(self, other: SymbolicRange) -> SymbolicRange:
        """All sums."""
        return SymbolicRange(_sum(self.low, other.low), _sum(self.high, other.high))

    def times(self, factor: int) -> SymbolicRange:
        """All values times a number."""
        low, high = [None if end is None else end.scaled(factor) for end in (self.low, self.high)]
        return SymbolicRange(low, high) if factor >= 0 else SymbolicRange(high, low)


def symbolic_range(bounds: Bounds, expr: Expr) -> SymbolicRange:
    """The range of an expression; parts of which nothing is known stand for themselves."""
    form = bounds.atoms.form(expr)
    found = SymbolicRange(LinearForm(form.constant), LinearForm(form.constant))
    for atom, coefficient in form.terms:
        found = found.plus(_range_of_atom(bounds, atom).times(coefficient))
    return found


def _range_of_atom(bounds: Bounds, atom: int) -> SymbolicRange:
    """Between numbers if they are known, else between what the atom was compared with, else the atom itself."""
    itself = LinearForm(0, ((atom, 1),))
    numbers, (above, below) = bounds.of_form(itself), bounds.compared(atom)
    if above is below is None and numbers == range_of_type(bounds.atoms.expr(atom)):
        return SymbolicRange(itself, itself)
    low = below if numbers.low is None else LinearForm(numbers.low)
    return SymbolicRange(low, above if numbers.high is None else LinearForm(numbers.high))


def _sum(left: LinearForm | None, right: LinearForm | None) -> LinearForm | None:
    return None if left is None or right is None else left.plus(right)

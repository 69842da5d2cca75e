# SPDX-License-Identifier: Apache-2.0
"""A small prover about integer expressions: linear forms over variables, nothing about their ranges but Min and Max.

Deduction must decide equality and order of dimensions that are mostly constants; what it cannot prove it leaves open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pypto_build.ir import Add, Cast, ConstInt, Expr, Max, Min, Mul, Neg, Sub, as_int, const_index
from pypto_build.ir.value import same_value


@dataclass(frozen=True, slots=True)
class _Linear:
    """constant + sum of coefficient x atom; atoms are expressions compared by value."""

    constant: int
    terms: tuple[tuple[Expr, int], ...] = ()

    def plus(self, other: _Linear, factor: int = 1) -> _Linear:
        """self + factor x other"""
        terms = list(self.terms)
        for atom, coefficient in other.terms:
            at = next((i for i, (known, _) in enumerate(terms) if same_value(known, atom)), None)
            if at is None:
                terms.append((atom, factor * coefficient))
            else:
                terms[at] = (atom, terms[at][1] + factor * coefficient)
        kept = tuple((atom, coefficient) for atom, coefficient in terms if coefficient)
        return _Linear(self.constant + factor * other.constant, kept)


def _linear(value: Expr) -> _Linear:
    match value:
        case ConstInt():
            return _Linear(value.value)
        case Add():
            return _linear(value.left).plus(_linear(value.right))
        case Sub():
            return _linear(value.left).plus(_linear(value.right), -1)
        case Neg():
            return _Linear(0).plus(_linear(value.operand), -1)
        case Mul():
            return _product(value)
        case Cast() if value.dtype.is_int():
            return _linear(value.operand)
        case _:
            return _Linear(0, ((value, 1),))


def _product(value: Mul) -> _Linear:
    left, right = _linear(value.left), _linear(value.right)
    if not right.terms:
        return _Linear(0).plus(left, right.constant)
    return _Linear(0, ((value, 1),)) if left.terms else _Linear(0).plus(right, left.constant)


def difference(left: Expr, right: Expr) -> int | None:
    """left - right when it is the same number for all values of the variables."""
    a, b = as_int(left), as_int(right)
    if a is not None and b is not None:
        return a - b
    if left is right:
        return 0
    found = _linear(left).plus(_linear(right), -1)
    return None if found.terms else found.constant


def provably_equal(left: Expr, right: Expr) -> bool:
    """Whether both have the same value for all values of the variables."""
    return left is right or difference(left, right) == 0


def provably_different(left: Expr, right: Expr) -> bool:
    """Whether they differ for all values of the variables."""
    found = difference(left, right)
    return found is not None and found != 0


def provably_at_most(left: Expr, right: Expr) -> bool:
    """Whether left <= right for all values of the variables."""
    found = difference(left, right)
    if found is not None:
        return found <= 0
    if isinstance(left, Min):
        return provably_at_most(left.left, right) or provably_at_most(left.right, right)
    if isinstance(left, Max):
        return provably_at_most(left.left, right) and provably_at_most(left.right, right)
    if isinstance(right, Max):
        return provably_at_most(left, right.left) or provably_at_most(left, right.right)
    if isinstance(right, Min):
        return provably_at_most(left, right.left) and provably_at_most(left, right.right)
    return False


def provably_negative(value: Expr) -> bool:
    """Whether value < 0 for all values of the variables."""
    return provably_above(const_index(0), value)


def provably_above(left: Expr, right: Expr) -> bool:
    """Whether left > right for all values of the variables."""
    found = difference(left, right)
    return found is not None and found > 0


def same_dimensions(left: Sequence[Expr], right: Sequence[Expr]) -> bool:
    """Whether two shapes have the same rank and provably equal extents."""
    return len(left) == len(right) and all(map(provably_equal, left, right))


def product(shape: Sequence[Expr]) -> int | None:
    """The number of elements, or None when an extent is not constant."""
    count = 1
    for dim in shape:
        extent = as_int(dim)
        if extent is None:
            return None
        count *= extent
    return count

# SPDX-License-Identifier: Apache-2.0
"""Integer expressions of a function as sums: a constant, and multiples of parameters and of rounds of loops.

Scalars that are assigned once are looked through. A loop variable is what the loop starts with plus a multiple of its
round, which is counted from 0; the loop variable itself stands for the round in a sum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pypto_build.ir import (
    Add,
    AssignStmt,
    Cast,
    ConstInt,
    DataType,
    Expr,
    ForStmt,
    Function,
    Mul,
    ScalarType,
    Sub,
    Var,
    collect,
    const_index,
)


@dataclass(frozen=True, slots=True)
class Affine:
    """constant + the sum of factor * Var; factors are not 0."""

    terms: tuple[tuple[Var, int], ...] = ()
    constant: int = 0

    @staticmethod
    def of(terms: Mapping[Var, int], constant: int) -> Affine:
        """The sum of some terms, those with factor 0 left out."""
        return Affine(tuple((var, factor) for var, factor in terms.items() if factor), constant)

    def __add__(self, other: Affine) -> Affine:
        terms = dict(self.terms)
        for var, factor in other.terms:
            terms[var] = terms.get(var, 0) + factor
        return Affine.of(terms, self.constant + other.constant)

    def scaled(self, factor: int) -> Affine:
        """A multiple."""
        return Affine.of({var: own * factor for var, own in self.terms}, self.constant * factor)

    def factor(self, var: Var) -> int:
        """How often a Var is in the sum."""
        return dict(self.terms).get(var, 0)

    def without(self, symbols: Mapping[Var, object]) -> Affine:
        """The sum without some Vars."""
        return Affine(tuple((var, factor) for var, factor in self.terms if var not in symbols), self.constant)

    def same_terms(self, other: Affine) -> bool:
        """Whether two sums differ by a constant only."""
        return dict(self.terms) == dict(other.terms)

    def expr(self, values: Mapping[Var, Expr] | None = None) -> Expr:
        """The sum as an expression, with other expressions for some of its Vars; constants among them are added up."""
        constant, result = self.constant, None
        for var, factor in self.terms:
            value: Expr = (values or {}).get(var, var)
            if isinstance(value, ConstInt):
                constant += factor * value.value
                continue
            term = value if factor == 1 else Mul(value, const_index(factor), DataType.INDEX)
            result = term if result is None else Add(result, term, DataType.INDEX)
        if result is None:
            return const_index(constant)
        return Add(result, const_index(constant), DataType.INDEX) if constant else result


class AffineForms:
    """The sums of one function. rounds: for each loop variable how many rounds its loop has; None if not known."""

    def __init__(self, function: Function) -> None:
        self._definitions = {stmt.var: stmt.value for stmt in collect(function.body, AssignStmt)}
        self._loops = {loop.loop_var: loop for loop in collect(function.body, ForStmt)}
        self._known: dict[Expr, Affine | None] = {}
        self.rounds: dict[Var, int | None] = {var: self._rounds(loop) for var, loop in self._loops.items()}

    def of(self, value: Expr) -> Affine | None:
        """An expression as a sum; None if it is none."""
        if value not in self._known:
            self._known[value] = None  # of a variable in terms of itself
            self._known[value] = self._of(value)
        return self._known[value]

    def _of(self, value: Expr) -> Affine | None:
        match value:
            case ConstInt():
                return Affine((), value.value)
            case Var():
                return self._of_var(value)
            case Cast():
                return self.of(value.operand)
            case Add() | Sub() | Mul():
                return self._of_operands(value)
            case _:
                return None

    def _of_operands(self, value: Add | Sub | Mul) -> Affine | None:
        left, right = self.of(value.left), self.of(value.right)
        if left is None or right is None:
            return None
        if isinstance(value, Mul):
            if left.terms and right.terms:
                return None
            return left.scaled(right.constant) if left.terms else right.scaled(left.constant)
        return left + (right if isinstance(value, Add) else right.scaled(-1))

    def _of_var(self, var: Var) -> Affine | None:
        loop = self._loops.get(var)
        if loop is not None:
            start, step = self.of(loop.start), self.of(loop.step)
            known = start is not None and step is not None and not step.terms
            return start + Affine(((var, step.constant),)) if known and start is not None and step is not None else None
        if var in self._definitions:
            return self.of(self._definitions[var])
        return Affine(((var, 1),)) if isinstance(var.type, ScalarType) else None

    def _rounds(self, loop: ForStmt) -> int | None:
        start, stop, step = (self.of(bound) for bound in (loop.start, loop.stop, loop.step))
        if start is None or stop is None or step is None or step.terms or step.constant <= 0:
            return None
        distance = stop + start.scaled(-1)
        return None if distance.terms else max(0, -(-distance.constant // step.constant))


def places(forms: AffineForms, value: Affine) -> Iterator[tuple[Var, int, int | None]]:
    """The loops that a sum depends on: each with the factor of its round and the number of rounds."""
    for var, factor in value.terms:
        if var in forms.rounds:
            yield var, factor, forms.rounds[var]

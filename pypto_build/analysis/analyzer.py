# SPDX-License-Identifier: Apache-2.0
"""One place where everything about integers is asked: bounds, remainders, comparisons, simplification, proofs."""

from __future__ import annotations

from collections.abc import Collection, Generator
from contextlib import contextmanager

from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.comparisons import COMPARISONS
from pypto_build.analysis.folding import FoldEverything
from pypto_build.analysis.normal_forms import RewritingRules, SumsOfProducts
from pypto_build.ir import And, ConstBool, Expr, Not, Or, Var


class Analyzer:
    """What is known at one place, and the answers and simplifications that follow from it."""

    def __init__(self, unstable: Collection[Var] = ()) -> None:
        self.bounds = Bounds(unstable)
        self.rules = RewritingRules(self.bounds)
        self.sums = SumsOfProducts(self.bounds)
        self.substitution: dict[Var, Expr] = {}

    def bind(self, var: Var, value: Expr) -> None:
        """From now on a variable stands for an expression."""
        self.bounds.bound(var, self.bounds.of(value))
        self.bounds.leave(var, self.bounds.residue(value))
        self.bounds.equate(var, value)
        self.substitution[var] = value

    def unbind(self, var: Var) -> None:
        """From now on nothing is known of a variable."""
        self.bounds.forget(var)
        self.substitution.pop(var, None)

    @contextmanager
    def assuming(self, condition: Expr) -> Generator[None]:
        """While the context lasts a condition holds."""
        mark = self.bounds.mark()
        self.bounds.assume(condition)
        try:
            yield
        finally:
            self.bounds.back_to(mark)

    def simplify(self, expr: Expr, *, steps: int = 2) -> Expr:
        """The expression in normal form: rewritten and written as sums of products, so many times at most."""
        for _ in range(steps):
            before = expr
            for folder in (self.rules, self.sums):
                expr = FoldEverything(folder, self.substitution).visit(expr)
            if expr is before:
                break
        return expr

    def proves(self, condition: Expr) -> bool:
        """Whether a condition is certain."""
        return self._answer(condition) is True

    def proves_equal(self, left: Expr, right: Expr) -> bool:
        """Whether two integer expressions certainly have the same value."""
        return self._is_zero(left, right) or self._is_zero(self.simplify(left), self.simplify(right))

    def _is_zero(self, left: Expr, right: Expr) -> bool:
        difference = self.bounds.of_form(self.bounds.difference(left, right))
        return difference.low == 0 and difference.high == 0

    def _answer(self, condition: Expr) -> bool | None:
        """Whether a condition certainly holds or certainly does not; None when that is open."""
        match condition:
            case ConstBool():
                return condition.value
            case Not():
                inner = self._answer(condition.operand)
                return None if inner is None else not inner
            case And() | Or():
                neutral = isinstance(condition, And)
                sides = [self._answer(condition.left), self._answer(condition.right)]
                return (not neutral) if (not neutral) in sides else None if None in sides else neutral
            case _:
                return self._asked(condition)

    def _asked(self, condition: Expr) -> bool | None:
        answer = self.bounds.decides(condition)
        if answer is not None or not isinstance(condition, COMPARISONS):
            return answer
        simplified = self.simplify(condition)
        return simplified.value if isinstance(simplified, ConstBool) else None

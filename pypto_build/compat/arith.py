# SPDX-License-Identifier: Apache-2.0
"""`pypto.arith`: the Analyzer, which shares what is known among its parts."""

from __future__ import annotations

from types import TracebackType

from pypto_build.analysis.analyzer import Analyzer as Core
from pypto_build.analysis.interval import Interval
from pypto_build.compat.arith_parts import (
    CanonicalSimplifier,
    ConstIntBoundAnalyzer,
    IntSetAnalyzer,
    ModularSetAnalyzer,
    RewriteSimplifier,
    TransitiveComparisonAnalyzer,
)
from pypto_build.compat.public_errors import ValueError
from pypto_build.ir import ConstInt, Expr, Var, dtype_of


class Analyzer:
    """Simplifies and proves, by everything that its parts know."""

    def __init__(self) -> None:
        self._core = Core()
        self._bound: set[Var] = set()
        self.const_int_bound = ConstIntBoundAnalyzer(self._core)
        self.modular_set = ModularSetAnalyzer(self._core)
        self.rewrite_simplify = RewriteSimplifier(self._core)
        self.canonical_simplify = CanonicalSimplifier(self._core)
        self.transitive_cmp = TransitiveComparisonAnalyzer(self._core)
        self.int_set = IntSetAnalyzer(self._core)

    def bind(self, var: Var, *value: Expr | int, allow_override: bool = False) -> None:
        """From now on a variable is an expression, or lies from a number up to, not including, another one.

        Raises:
            ValueError: the range is empty.
        """
        del allow_override
        if var in self._bound:
            self.unbind(var)
        self._bound.add(var)
        match value:
            case (Expr() as expr,):
                self._core.bind(var, expr)
            case (int() as low, int() as beyond) if low + 1 == beyond:
                self._core.bind(var, ConstInt(low, dtype_of(var), var.span))
            case (int() as low, int() as beyond) if low < beyond:
                self._core.bounds.bound(var, Interval(low, beyond - 1))
            case (int() as low, int() as beyond):
                raise ValueError(f"the range [{low}, {beyond}) is empty")
            case _:
                raise TypeError("bind takes an expression or two integers")

    def unbind(self, var: Var) -> None:
        """From now on nothing is known of a variable."""
        self._bound.discard(var)
        self._core.unbind(var)

    def simplify(self, expr: Expr, steps: int = 2) -> Expr:
        """The expression in normal form, after so many steps at most."""
        return self._core.simplify(expr, steps=steps)

    def can_prove_greater_equal(self, expr: Expr, lower_bound: int) -> bool:
        """Whether an expression is at least a number."""
        low = self._interval(expr).low
        return low is not None and low >= lower_bound

    def can_prove_less(self, expr: Expr, upper_bound: int) -> bool:
        """Whether an expression is less than a number."""
        high = self._interval(expr).high
        return high is not None and high < upper_bound

    def can_prove_equal(self, lhs: Expr, rhs: Expr) -> bool:
        """Whether two expressions are equal."""
        return self._core.proves_equal(lhs, rhs)

    def can_prove(self, cond: Expr) -> bool:
        """Whether a condition holds."""
        return self._core.proves(cond)

    def constraint_context(self, constraint: Expr) -> ConstraintContext:
        """A context in which a constraint holds."""
        return ConstraintContext(self, constraint)

    def _interval(self, expr: Expr) -> Interval:
        return self._core.bounds.of(expr).meet(self._core.bounds.of(self._core.simplify(expr)))


class ConstraintContext:
    """While it lasts a constraint holds."""

    def __init__(self, analyzer: Analyzer, constraint: Expr) -> None:
        self._recover = analyzer.transitive_cmp.enter_constraint(constraint)
        self._open = True

    def exit_scope(self) -> None:
        """Take the constraint back; nothing the second time."""
        if self._open:
            self._open = False
            self._recover()

    def __enter__(self) -> ConstraintContext:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.exit_scope()

# SPDX-License-Identifier: Apache-2.0
"""`pypto.arith`: analyzers that answer one kind of question each, with knowledge of their own or of an Analyzer."""

from __future__ import annotations

from collections.abc import Callable

from pypto_build.analysis.analyzer import Analyzer as Core
from pypto_build.analysis.folding import FoldEverything
from pypto_build.analysis.interval import Interval
from pypto_build.analysis.linear_forms import LinearForm
from pypto_build.analysis.residue import ANY_RESIDUE, Residue
from pypto_build.analysis.shorter_forms import ShorterForms
from pypto_build.analysis.symbolic_ranges import symbolic_range
from pypto_build.compat.arith_values import CompareResult, ConstIntBound, IntSet, ModularSet
from pypto_build.compat.public_errors import ValueError
from pypto_build.ir import DataType, Eq, Expr, Ge, Le, Lt, ScalarType, Var, dtype_of

Recovery = Callable[[], None]


class _Part:
    """Asks what is known, and adds to it."""

    def __init__(self, core: Core | None = None) -> None:
        self._core = Core() if core is None else core
        self._bounds = self._core.bounds

    def _entered(self, constraint: Expr) -> Recovery:
        """From now on a constraint holds, until the function that is returned is called."""
        mark = self._bounds.mark()
        self._bounds.assume(constraint)
        return lambda: self._bounds.back_to(mark)


class ConstIntBoundAnalyzer(_Part):
    """Between which numbers an expression lies."""

    def __call__(self, expr: Expr) -> ConstIntBound:
        """The bounds of an expression."""
        return ConstIntBound.of(self._bounds.of(expr))

    def bind(self, var: Var, min_val: int, max_val_exclusive: int) -> None:
        """From now on min_val <= var < max_val_exclusive."""
        self._bounds.bound(var, Interval(min_val, max_val_exclusive - 1))

    def update(self, var: Var, bound: ConstIntBound) -> None:
        """From now on a variable has these bounds."""
        self._bounds.bound(var, bound.interval())

    def unbind(self, var: Var) -> None:
        """From now on nothing is known of a variable."""
        self._bounds.forget(var)


class ModularSetAnalyzer(_Part):
    """Which remainder an expression leaves."""

    def __call__(self, expr: Expr) -> ModularSet:
        """The remainder of an expression."""
        found = self._bounds.residue(expr)
        return ModularSet(found.step, found.offset)

    def update(self, var: Var, info: ModularSet) -> None:
        """From now on a variable leaves this remainder; ValueError for a negative coefficient."""
        if info.coeff < 0:
            raise ValueError(f"the coefficient of a modular set must be non-negative, not {info.coeff}")
        self._bounds.leave(var, Residue(info.coeff, info.base))

    def unbind(self, var: Var) -> None:
        """From now on the remainder of a variable is not known."""
        self._bounds.leave(var, ANY_RESIDUE)

    def enter_constraint(self, constraint: Expr) -> Recovery | None:
        """Assume an equation and return what takes it back; None for what says nothing of remainders."""
        return self._entered(constraint) if isinstance(constraint, Eq) else None


class TransitiveComparisonAnalyzer(_Part):
    """How two expressions lie to each other, by chains of comparisons."""

    def try_compare(self, lhs: Expr, rhs: Expr, propagate_inequalities: bool = True) -> CompareResult:
        """Every relation that is possible; without chains if they are not to be followed."""
        difference = self._bounds.difference(lhs, rhs)
        found = self._bounds.of_form(difference, chained=propagate_inequalities)
        result = CompareResult.kInconsistent
        if Interval(0, 0).is_within(found) and self._bounds.residue_of_form(difference).contains(0):
            result |= CompareResult.kEQ
        if found.low is None or found.low < 0:
            result |= CompareResult.kLT
        if found.high is None or found.high > 0:
            result |= CompareResult.kGT
        return result

    def bind(self, var: Var, *value: Expr | int, allow_override: bool = False) -> None:
        """From now on a variable is an expression, or lies from a number up to, not including, another one."""
        del allow_override
        match value:
            case (Expr() as expr,):
                self._core.bind(var, expr)
            case (int() as low, int() as beyond):
                self._bounds.bound(var, Interval(low, beyond - 1))
            case _:
                raise TypeError("bind takes an expression or two integers")

    def unbind(self, var: Var) -> None:
        """From now on nothing is known of a variable."""
        self._core.unbind(var)

    def enter_constraint(self, constraint: Expr) -> Recovery:
        """Assume a constraint and return what takes it back."""
        return self._entered(constraint)


class IntSetAnalyzer(_Part):
    """Between which expressions an expression lies."""

    def __call__(self, expr: Expr) -> IntSet:
        """The set of an expression."""
        found = symbolic_range(self._bounds, expr)
        low = self._rendered(found.low, expr)
        if found.low is not None and found.high is not None and found.low.key() == found.high.key():
            return IntSet(low, low)
        return IntSet(low, self._rendered(found.high, expr))

    def update(self, var: Var, int_set: IntSet) -> None:
        """From now on a variable lies in a set."""
        if int_set.min_value is not None:
            self._bounds.assume(Ge(var, int_set.min_value, DataType.BOOL))
        if int_set.max_value is not None:
            self._bounds.assume(Le(var, int_set.max_value, DataType.BOOL))

    def bind(self, var: Var, min_val: Expr, max_val_exclusive: Expr) -> None:
        """From now on min_val <= var < max_val_exclusive."""
        self._bounds.assume(Ge(var, min_val, DataType.BOOL))
        self._bounds.assume(Lt(var, max_val_exclusive, DataType.BOOL))

    def enter_constraint(self, constraint: Expr) -> Recovery | None:
        """Assume a constraint and return what takes it back."""
        return self._entered(constraint)

    def _rendered(self, form: LinearForm | None, expr: Expr) -> Expr | None:
        return None if form is None else self._core.rules.rendered(form, dtype_of(expr), span=expr.span)


class _Simplifier(_Part):
    """Simplifies in one way."""

    def _folder(self) -> ShorterForms:
        raise NotImplementedError

    def __call__(self, expr: Expr) -> Expr:
        """The simplified expression; floating-point ones stay as they are."""
        if isinstance(expr.type, ScalarType) and expr.type.dtype.is_float():
            return expr
        return FoldEverything(self._folder(), self._core.substitution).visit(expr)

    def update(self, var: Var, new_expr: Expr | None) -> None:
        """From now on an expression stands for a variable; None: the variable stands for itself again."""
        if new_expr is None:
            self._core.substitution.pop(var, None)
        else:
            self._core.substitution[var] = new_expr


class RewriteSimplifier(_Simplifier):
    """Simplifies by rewriting rules."""

    def _folder(self) -> ShorterForms:
        return self._core.rules

    def enter_constraint(self, constraint: Expr) -> Recovery:
        """Assume a constraint and return what takes it back."""
        return self._entered(constraint)


class CanonicalSimplifier(_Simplifier):
    """Simplifies to sums of products."""

    def _folder(self) -> ShorterForms:
        return self._core.sums

    def enter_constraint(self, constraint: Expr) -> Recovery | None:
        """Sums of products do not depend on constraints."""
        del constraint
        return None

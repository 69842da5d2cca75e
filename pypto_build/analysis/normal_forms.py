# SPDX-License-Identifier: Apache-2.0
"""Expressions in normal form, where more of them can be told to be equal: as sums of products, or by rewriting rules.

Unlike folding, both may make an expression longer; they are for questions, not for programs.
"""

from __future__ import annotations

from pypto_build.analysis.atoms import is_linear
from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.folding import Folder
from pypto_build.analysis.integer_rules import quotient, remainder
from pypto_build.analysis.linear_forms import LinearForm
from pypto_build.analysis.rewrite_rules import NORMAL
from pypto_build.analysis.rewriting import rewritten
from pypto_build.analysis.shorter_forms import can_be_written
from pypto_build.ir import BinaryExpr, Constant, Expr, FloorDiv, FloorMod, UnaryExpr
from pypto_build.ir.node import iter_children
from pypto_build.ir.value import same_value

MOST_REWRITES = 8
"""How deep one rewriting may call for another: no measure falls with every rule, so their number is bounded."""


class SumsOfProducts(Folder):
    """Writes integer arithmetic as sums of products and leaves every other operator as it is, unless of constants."""

    def fold(self, expr: Expr) -> Expr:
        """The expression as a sum of products; the same object when it is one."""
        found: Expr | None = None
        if isinstance(expr, BinaryExpr | UnaryExpr) and is_linear(expr) and self.is_droppable(expr):
            found = self.better(self.atoms.form(expr), expr)
        elif isinstance(expr, FloorDiv):
            found = quotient(self, expr)
        elif isinstance(expr, FloorMod):
            found = remainder(self, expr)
        elif all(isinstance(part, Constant) for part in iter_children(expr)):
            found = super().fold(expr)
        return expr if found is None else found

    def is_better(self, new: Expr, old: Expr) -> bool:
        """Whether an expression differs from an equal one: every sum of products is as good as its normal form."""
        return not same_value(new, old)

    def better(self, form: LinearForm, expr: BinaryExpr | UnaryExpr) -> Expr | None:
        """The form as an expression, whatever its size."""
        if not can_be_written(form, expr.dtype):
            return None
        made = self.rendered(form, expr.dtype, span=expr.span)
        return made if self.is_better(made, expr) else None


class RewritingRules(Folder):
    """Folds, and goes on with rules that give expressions a form in which other rules see more."""

    def __init__(self, bounds: Bounds) -> None:
        super().__init__(bounds)
        self._depth = 0

    def fold(self, expr: Expr) -> Expr:
        """The expression rewritten; the same object when no rule fits."""
        expr = super().fold(expr)
        if self._depth == MOST_REWRITES:
            return expr
        self._depth += 1
        found = rewritten(self, expr, NORMAL)
        self._depth -= 1
        return expr if found is None else found

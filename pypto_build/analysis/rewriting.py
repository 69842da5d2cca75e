# SPDX-License-Identifier: Apache-2.0
"""Applying rewriting rules to an operator whose operands are in their best form."""

from __future__ import annotations

from dataclasses import dataclass, field

from pypto_build.analysis.comparisons import COMPARISONS
from pypto_build.analysis.rewrite_patterns import Hole, Number, Operator, Pattern, RuleTable, Shape, number_of, operands
from pypto_build.analysis.shorter_forms import ShorterForms, fits
from pypto_build.ir import (
    And,
    BinaryExpr,
    ConstInt,
    DataType,
    Expr,
    Not,
    Or,
    ScalarType,
    Span,
    as_int,
    dtype_of,
)
from pypto_build.ir.value import same_integer_kind

_TRUTHS = (*COMPARISONS, And, Or, Not)


def rewritten(forms: ShorterForms, expr: Expr, table: RuleTable) -> Expr | None:
    """What the first rule that fits makes of an expression, folded; None when none does."""
    candidates = table.candidates(expr)
    if not candidates or not forms.is_droppable(expr):
        return None
    for rule in candidates:
        found = _Match(forms, expr)
        if found.fits(rule.pattern, expr) and all(found.holds(condition) for condition in rule.conditions):
            made = found.built(rule.result)
            if made is not None:
                return made
    return None


@dataclass(slots=True)
class _Match:
    """What the names of a rule stand for in one place."""

    forms: ShorterForms
    root: Expr
    exprs: dict[str, Expr] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    def fits(self, pattern: Pattern, expr: Expr) -> bool:
        """Whether an expression has the form of a pattern; names get their meaning on the way."""
        match pattern:
            case Hole():
                return self._is_same_expr(pattern.name, expr)
            case Number():
                return self._is_same_number(pattern, as_int(expr))
            case Shape():
                return type(expr) is pattern.kind and all(map(self.fits, pattern.parts, operands(expr)))

    def holds(self, condition: Shape) -> bool:
        """Whether a condition is certain."""
        known = number_of(condition, self.numbers)
        if known is not None:
            return bool(known)
        question = _operation(
            condition.kind, list(map(self._plain, condition.parts)), DataType.BOOL, span=self.root.span
        )
        return self.forms.bounds.decides(question) is True

    def built(self, pattern: Pattern) -> Expr | None:
        """The result of the rule; None when a number in it is too large for its type."""
        value = number_of(pattern, self.numbers)
        if value is not None:
            return self._constant(value) if fits(value, self._dtype()) else None
        if isinstance(pattern, Hole):
            return self.exprs[pattern.name]
        assert isinstance(pattern, Shape)
        parts = [part for part in map(self.built, pattern.parts) if part is not None]
        if len(parts) < len(pattern.parts):
            return None
        dtype = DataType.BOOL if issubclass(pattern.kind, _TRUTHS) else self._dtype()
        return self.forms.fold(_operation(pattern.kind, parts, dtype, span=self.root.span))

    def _is_same_expr(self, name: str, expr: Expr) -> bool:
        known = self.exprs.get(name)
        if known is not None:
            return self.forms.are_same(known, expr)
        if not isinstance(expr.type, ScalarType) or not expr.type.dtype.is_signed_int():
            return False
        if self.exprs and not same_integer_kind(expr.type.dtype, self._dtype()):
            return False
        self.exprs[name] = expr
        return True

    def _is_same_number(self, pattern: Number, value: int | None) -> bool:
        if value is None:
            return False
        if pattern.value is not None:
            return value == pattern.value
        return self.numbers.setdefault(pattern.name, value) == value

    def _dtype(self) -> DataType:
        return dtype_of(next(iter(self.exprs.values())))

    def _constant(self, value: int) -> Expr:
        return ConstInt(value, self._dtype(), self.root.span)

    def _plain(self, pattern: Pattern) -> Expr:
        """A side of a condition: a name or a number."""
        if isinstance(pattern, Hole):
            return self.exprs[pattern.name]
        value = number_of(pattern, self.numbers)
        assert value is not None
        return self._constant(value)


def _operation(kind: Operator, operands: list[Expr], dtype: DataType, *, span: Span) -> Expr:
    if issubclass(kind, BinaryExpr):
        left, right = operands
        return kind(left, right, dtype, span)
    (operand,) = operands
    return kind(operand, dtype, span)

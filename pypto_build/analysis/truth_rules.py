# SPDX-License-Identifier: Apache-2.0
"""Rules that answer questions or ask them in fewer words: comparisons, `and`, `or`, `not`."""

from __future__ import annotations

from math import gcd
from typing import Final

from pypto_build.analysis.comparisons import Relation
from pypto_build.analysis.linear_forms import LinearForm
from pypto_build.analysis.shorter_forms import ShorterForms, can_be_written
from pypto_build.analysis.type_ranges import is_signed
from pypto_build.ir import (
    BinaryExpr,
    ConstBool,
    Eq,
    Expr,
    FloorDiv,
    FloorMod,
    Ge,
    Gt,
    Le,
    Lt,
    Ne,
    Not,
    UnaryExpr,
    as_int,
    collect,
    dtype_of,
)

MOST_NODES = 32
"""Of a longer side of `and` or `or` nothing is learnt for the other: a chain of n conditions would take n x n steps."""


def comparison(forms: ShorterForms, expr: BinaryExpr) -> Expr | None:
    """The answer, or the question about shorter sides."""
    if not forms.is_droppable(expr):
        return None
    answer = forms.bounds.decides(expr)
    return _shorter_sides(forms, expr) if answer is None else ConstBool(answer, expr.span)


def _shorter_sides(forms: ShorterForms, expr: BinaryExpr) -> Expr | None:
    """The sides without what they have in common, and without a common factor."""
    if not (is_signed(expr.left) and is_signed(expr.right)):
        return None
    relation = _TURNED.get(type(expr), type(expr))
    less, more = (expr.left, expr.right) if relation is type(expr) else (expr.right, expr.left)
    difference = _without_factor(forms.bounds.difference(more, less), relation)
    left, right = _sides(difference)
    dtype = dtype_of(expr.left)
    size = 1 + forms.size_of_form(left) + forms.size_of_form(right)
    if size >= forms.size(expr) or not (can_be_written(left, dtype) and can_be_written(right, dtype)):
        return None
    sides = [forms.rendered(side, dtype, span=expr.span) for side in (left, right)]
    return relation(sides[0], sides[1], expr.dtype, expr.span)


_TURNED: Final[dict[Relation, Relation]] = {Gt: Lt, Ge: Le}
"""What asks the same with the sides exchanged."""


def _without_factor(form: LinearForm, relation: Relation) -> LinearForm:
    """What is positive (Lt), not negative (Le), or zero (Eq, Ne) exactly when a form is; the form may be shorter."""
    common = gcd(*(coefficient for _, coefficient in form.terms))
    if common == 1 or (relation in (Eq, Ne) and form.constant % common):
        return form
    constant = (form.constant - 1) // common + 1 if relation is Lt else form.constant // common
    return LinearForm(constant, tuple((atom, coefficient // common) for atom, coefficient in form.terms))


def _sides(form: LinearForm) -> tuple[LinearForm, LinearForm]:
    """Two forms without subtracted terms whose difference, second - first, is the form."""
    first = tuple((atom, -coefficient) for atom, coefficient in form.terms if coefficient < 0)
    second = tuple((atom, coefficient) for atom, coefficient in form.terms if coefficient > 0)
    if not first:
        return LinearForm(-form.constant), LinearForm(0, second)
    return LinearForm(0, first), LinearForm(form.constant, second)


def both(forms: ShorterForms, expr: BinaryExpr) -> Expr | None:
    """`and`"""
    return _joined(forms, expr, neutral=True)


def either(forms: ShorterForms, expr: BinaryExpr) -> Expr | None:
    """`or`"""
    return _joined(forms, expr, neutral=False)


def _joined(forms: ShorterForms, expr: BinaryExpr, *, neutral: bool) -> Expr | None:
    """`and` (neutral True) and `or` (neutral False): a neutral side goes, the opposite decides."""
    for side, other in ((expr.left, expr.right), (expr.right, expr.left)):
        if isinstance(side, ConstBool):
            if side.value is neutral:
                return other
            return side if forms.is_droppable(other) else None
    if forms.are_same(expr.left, expr.right):
        return expr.left
    for side, other in ((expr.left, expr.right), (expr.right, expr.left)):
        if isinstance(other, Not) and forms.are_same(side, other.operand):
            return ConstBool(not neutral, expr.span)
    return _implied(forms, expr, neutral=neutral)


def _implied(forms: ShorterForms, expr: BinaryExpr, *, neutral: bool) -> Expr | None:
    """What one side says of the other: where it alone counts, the other is neutral or decides."""
    if not forms.is_droppable(expr) or max(forms.size(expr.left), forms.size(expr.right)) > MOST_NODES:
        return None
    for side, other in ((expr.left, expr.right), (expr.right, expr.left)):
        mark = forms.bounds.mark()
        forms.bounds.assume(side, holds=neutral)
        answer = forms.bounds.decides(other)
        forms.bounds.back_to(mark)
        if answer is (not neutral):
            return ConstBool(not neutral, expr.span)
        if answer is neutral and (side is expr.left or _never_fails(side)):
            return side
    return None


def _never_fails(expr: Expr) -> bool:
    """Whether a condition can be evaluated without the one that stands before it: it divides by numbers only."""
    divisions = [part for part in collect(expr, BinaryExpr) if isinstance(part, FloorDiv | FloorMod)]
    return all(as_int(part.right) for part in divisions)


def exclusive(forms: ShorterForms, expr: BinaryExpr) -> Expr | None:
    """`xor` of two truths."""
    del forms
    if isinstance(expr.left, ConstBool) and isinstance(expr.right, ConstBool):
        return ConstBool(expr.left.value is not expr.right.value, expr.span)
    return None


def negation(forms: ShorterForms, expr: UnaryExpr) -> Expr | None:
    """`not`"""
    del forms
    if isinstance(expr.operand, ConstBool):
        return ConstBool(not expr.operand.value, expr.span)
    return expr.operand.operand if isinstance(expr.operand, Not) else None

# SPDX-License-Identifier: Apache-2.0
"""Rules that make integer arithmetic shorter: sums, quotients, remainders, extremes, powers and bits."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from pypto_build.analysis.atoms import is_linear
from pypto_build.analysis.linear_forms import LinearForm
from pypto_build.analysis.shorter_forms import ShorterForms, can_be_written, constant, fits
from pypto_build.analysis.type_ranges import is_signed
from pypto_build.ir import (
    Add,
    BinaryExpr,
    BitAnd,
    BitOr,
    BitShiftLeft,
    BitShiftRight,
    BitXor,
    ConstInt,
    Expr,
    FloorDiv,
    Min,
    Mul,
    Neg,
    as_int,
    dtype_of,
)
from pypto_build.ir.value import same_integer_kind

WORD_BITS = 64


def linear(forms: ShorterForms, expr: BinaryExpr | Neg) -> Expr | None:
    """Sums and products as a shorter linear form."""
    if is_linear(expr) and forms.is_droppable(expr):
        return forms.better(_without_exact_quotients(forms, forms.atoms.form(expr)), expr)
    return _without_neutral(expr) if isinstance(expr, BinaryExpr) else None


def _without_exact_quotients(forms: ShorterForms, form: LinearForm) -> LinearForm:
    """d x (e // d) is e minus the remainder, where that is known."""
    for atom, coefficient in form.terms:
        expr = forms.atoms.expr(atom)
        divisor = as_int(expr.right) if isinstance(expr, FloorDiv) and is_signed(expr.left) else None
        if isinstance(expr, FloorDiv) and divisor and coefficient % divisor == 0:
            known = forms.bounds.residue(expr.left).modulo(divisor)
            if known is not None:
                count = coefficient // divisor
                dividend = forms.atoms.form(expr.left).plus(LinearForm(-known))
                form = form.plus(LinearForm(0, ((atom, -coefficient),))).plus(dividend, count)
    return form


def _without_neutral(expr: BinaryExpr) -> Expr | None:
    """x + 0, x - 0, x * 1, x // 1 and their mirrors, whatever x does."""
    neutral = 1 if isinstance(expr, Mul | FloorDiv) else 0
    if as_int(expr.right) == neutral and _keeps_type(expr, expr.left):
        return expr.left
    mirrored = isinstance(expr, Add | Mul) and as_int(expr.left) == neutral
    return expr.right if mirrored and _keeps_type(expr, expr.right) else None


def _keeps_type(expr: BinaryExpr, operand: Expr) -> bool:
    return same_integer_kind(dtype_of(operand), expr.dtype)


def quotient(forms: ShorterForms, expr: BinaryExpr) -> Expr | None:
    """What a division by a number leaves, as far as the ranges decide it."""
    if not expr.dtype.is_signed_int() or not forms.is_droppable(expr):
        return _without_neutral(expr) if expr.dtype.is_int() else None
    divisor = as_int(expr.right)
    if divisor is None:
        is_one = _is_never_zero(forms, expr.right) and forms.are_same(expr.left, expr.right)
        return constant(1, expr) if is_one else None
    form = forms.atoms.form(expr.left)
    if divisor == 0:
        return None
    if not form.terms:
        return constant(form.constant // divisor, expr)
    if divisor < 0:
        return None
    whole, rest = _split(form, divisor)
    count = _constant_quotient(forms, rest, divisor)
    if count is not None:
        return forms.better(whole.plus(LinearForm(count)), expr)
    for rule in (_whole_apart, _common_factor, _nested_quotient):
        found = rule(forms, expr, divisor)
        if found is not None:
            return found
    return None


def remainder(forms: ShorterForms, expr: BinaryExpr) -> Expr | None:
    """What a remainder is, as far as the ranges decide it."""
    if not expr.dtype.is_signed_int() or not forms.is_droppable(expr):
        return None
    divisor = as_int(expr.right)
    if divisor is None:
        is_zero = _is_never_zero(forms, expr.right) and forms.are_same(expr.left, expr.right)
        return constant(0, expr) if is_zero else None
    form = forms.atoms.form(expr.left)
    if divisor == 0:
        return None
    if not form.terms:
        return constant(form.constant % divisor, expr)
    if divisor < 0:
        return None
    known = forms.bounds.residue_of_form(form).modulo(divisor)
    if known is not None:
        return constant(known, expr)
    rest = _split(form, divisor)[1]
    count = _constant_quotient(forms, rest, divisor)
    if count is not None:
        return forms.better(rest.plus(LinearForm(-count * divisor)), expr)
    return _divided(forms, _reduced(rest, divisor), expr)


def _split(form: LinearForm, divisor: int) -> tuple[LinearForm, LinearForm]:
    """A form as divisor x whole + rest, the constant in the rest."""
    whole = tuple((atom, c // divisor) for atom, c in form.terms if c % divisor == 0)
    rest = tuple((atom, c) for atom, c in form.terms if c % divisor)
    return LinearForm(0, whole), LinearForm(form.constant, rest)


def _constant_quotient(forms: ShorterForms, rest: LinearForm, divisor: int) -> int | None:
    """rest // divisor when it is one number for all values of the rest."""
    interval = forms.bounds.of_form(rest)
    if interval.low is None or interval.high is None:
        return None
    count = interval.low // divisor
    return count if interval.high // divisor == count else None


def _reduced(form: LinearForm, divisor: int) -> LinearForm:
    """The form with what leaves the same remainder in place of larger coefficients."""
    terms = tuple((atom, c % divisor if abs(c) >= divisor else c) for atom, c in form.terms)
    return LinearForm(form.constant % divisor, tuple(term for term in terms if term[1]))


def _divided(forms: ShorterForms, form: LinearForm, expr: BinaryExpr, divisor: int | None = None) -> Expr | None:
    """The division with another dividend, and perhaps another divisor, if it may replace the one that is there."""
    number = expr.right if divisor is None else ConstInt(divisor, expr.dtype, expr.span)
    if not can_be_written(form, expr.dtype):
        return None
    made = type(expr)(forms.rendered(form, expr.dtype, span=expr.span), number, expr.dtype, expr.span)
    return forms.fold(made) if forms.is_better(made, expr) else None


def _whole_apart(forms: ShorterForms, expr: BinaryExpr, divisor: int) -> Expr | None:
    """(divisor x whole + rest) // divisor is whole + rest // divisor."""
    whole, rest = _split(forms.atoms.form(expr.left), divisor)
    whole = whole.plus(LinearForm(rest.constant // divisor))
    rest = LinearForm(rest.constant % divisor, rest.terms)
    if not whole.terms and not whole.constant:
        return None
    dividend = forms.rendered(rest, expr.dtype, span=expr.span)
    part = forms.fold(FloorDiv(dividend, expr.right, expr.dtype, expr.span))
    return forms.better(whole.plus(forms.atoms.form(part)), expr)


def _common_factor(forms: ShorterForms, expr: BinaryExpr, divisor: int) -> Expr | None:
    """(g x form) // (g x divisor) is form // divisor."""
    form = forms.atoms.form(expr.left)
    common = gcd(divisor, form.constant, *(c for _, c in form.terms))
    if common == 1:
        return None
    terms = tuple((atom, c // common) for atom, c in form.terms)
    return _divided(forms, LinearForm(form.constant // common, terms), expr, divisor // common)


def _nested_quotient(forms: ShorterForms, expr: BinaryExpr, divisor: int) -> Expr | None:
    """(x // a) // b is x // (a * b)."""
    del forms
    inner = expr.left
    if not isinstance(inner, FloorDiv) or inner.dtype is not expr.dtype:
        return None
    first = as_int(inner.right)
    if first is None or first <= 0 or not fits(first * divisor, expr.dtype):
        return None
    return FloorDiv(inner.left, ConstInt(first * divisor, expr.dtype, expr.span), expr.dtype, expr.span)


def _is_never_zero(forms: ShorterForms, expr: Expr) -> bool:
    interval = forms.bounds.of(expr)
    return (interval.low is not None and interval.low > 0) or (interval.high is not None and interval.high < 0)


def extreme(forms: ShorterForms, expr: BinaryExpr) -> Expr | None:
    """The operand that is always the smaller or the larger one."""
    if not expr.dtype.is_int() or not forms.is_droppable(expr):
        return None
    first, second = (expr.left, expr.right) if isinstance(expr, Min) else (expr.right, expr.left)
    if forms.are_same(expr.left, expr.right):
        return expr.left
    if expr.dtype.is_signed_int() or (as_int(first) is not None and as_int(second) is not None):
        if forms.bounds.at_most(first, second):
            return expr.left
        if forms.bounds.at_most(second, first):
            return expr.right
    inner, outer = expr.left, as_int(expr.right)
    if not isinstance(inner, BinaryExpr) or type(inner) is not type(expr) or outer is None:
        return None
    known = as_int(inner.right)
    if known is None:
        return None
    bound = min(known, outer) if isinstance(expr, Min) else max(known, outer)
    return type(expr)(inner.left, ConstInt(bound, expr.dtype, expr.span), expr.dtype, expr.span)


def power(forms: ShorterForms, expr: BinaryExpr) -> Expr | None:
    """Powers of numbers, and the first power."""
    base, exponent = as_int(expr.left), as_int(expr.right)
    if exponent == 1 and forms.is_droppable(expr) and _keeps_type(expr, expr.left):
        return expr.left
    if base is None or exponent is None or not 0 <= exponent < WORD_BITS:
        return None
    return constant(base**exponent, expr)


BITWISE: dict[type[Expr], Callable[[int, int], int]] = {
    BitAnd: int.__and__,
    BitOr: int.__or__,
    BitXor: int.__xor__,
    BitShiftLeft: int.__lshift__,
    BitShiftRight: int.__rshift__,
}


def bits(forms: ShorterForms, expr: BinaryExpr) -> Expr | None:
    """Bit operations on numbers."""
    del forms
    left, right = as_int(expr.left), as_int(expr.right)
    if left is None or right is None:
        return None
    if isinstance(expr, BitShiftLeft | BitShiftRight) and not 0 <= right < expr.dtype.get_bit():
        return None
    return constant(BITWISE[type(expr)](left, right), expr)

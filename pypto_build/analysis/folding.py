# SPDX-License-Identifier: Apache-2.0
"""Algebraic rewriting of scalar expressions: constants are computed, neutral elements go, questions are answered.

An operator is replaced only by something with fewer nodes, so folding ends and a second run finds nothing. Nothing that
contains a call is dropped, because a call may do more than yield a value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pypto_build.analysis.bounds import COMPARISONS, Bounds
from pypto_build.analysis.interval import range_of
from pypto_build.analysis.linear_forms import LinearForm, is_linear
from pypto_build.ir import (
    Abs,
    Add,
    And,
    BinaryExpr,
    BitAnd,
    BitNot,
    BitOr,
    BitShiftLeft,
    BitShiftRight,
    BitXor,
    Cast,
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    FloorDiv,
    FloorMod,
    Max,
    Min,
    Mul,
    Neg,
    Not,
    Or,
    Pow,
    Sub,
    UnaryExpr,
    as_int,
    dtype_of,
)
from pypto_build.ir.value import same_integer_kind

WORD_BITS = 64


class Folder:
    """Folds operators whose operands are folded already, with what is known at this place of a walk."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.atoms = bounds.atoms
        self._sizes: dict[Expr, int] = {}

    def fold(self, expr: Expr) -> Expr:
        """The expression in a smaller form; the same object when there is none."""
        rule = _RULES.get(type(expr))
        if rule is None:
            return expr
        found = rule(self, expr)
        return expr if found is None else found

    def size(self, expr: Expr) -> int:
        """How many nodes an expression has; what is not an operator counts as one."""
        known = self._sizes.get(expr)
        if known is None:
            match expr:
                case BinaryExpr():
                    known = 1 + self.size(expr.left) + self.size(expr.right)
                case UnaryExpr():
                    known = 1 + self.size(expr.operand)
                case _:
                    known = 1
            self._sizes[expr] = known
        return known

    def smaller(self, form: LinearForm, expr: BinaryExpr | UnaryExpr) -> Expr | None:
        """The form as an expression of the type of another one, if it is smaller than that."""
        parts = [self.size(self.atoms.expr(atom)) + 1 + 2 * (abs(c) != 1) for atom, c in form.terms]
        negative = bool(form.terms) and all(c < 0 for _, c in form.terms) and form.constant <= 0
        size = sum(parts) + 2 * bool(form.constant) - 1 + negative if parts else 1
        if size >= self.size(expr) or not _fits(form.constant, expr.dtype):
            return None
        return self._render(form, expr)

    def _render(self, form: LinearForm, like: BinaryExpr | UnaryExpr) -> Expr:
        terms = sorted(form.terms, key=lambda term: term[1] < 0)  # stable: what is subtracted comes last
        result: Expr | None = None
        rest = form.constant
        if not terms or (terms[0][1] < 0 and rest > 0):
            result, rest = ConstInt(rest, like.dtype, like.span), 0
        for atom, coefficient in terms:
            result = self._with_term(result, self.atoms.expr(atom), coefficient, like=like)
        assert result is not None
        if rest:
            operator = Add if rest > 0 else Sub
            result = operator(result, ConstInt(abs(rest), like.dtype, like.span), like.dtype, like.span)
        return result

    def _with_term(self, sum_: Expr | None, atom: Expr, coefficient: int, *, like: BinaryExpr | UnaryExpr) -> Expr:
        count = abs(coefficient)
        term = atom if count == 1 else Mul(atom, ConstInt(count, like.dtype, like.span), like.dtype, like.span)
        if sum_ is None:
            return term if coefficient > 0 else Neg(term, like.dtype, like.span)
        return (Add if coefficient > 0 else Sub)(sum_, term, like.dtype, like.span)

    def is_droppable(self, *parts: Expr) -> bool:
        """Whether nothing is lost when these are not evaluated."""
        return not any(self.atoms.has_call(part) for part in parts)

    def are_same(self, left: Expr, right: Expr) -> bool:
        """Whether both always have the same value, and either may stand for the other."""
        if not self.is_droppable(left, right):
            return False
        return left is right or self.atoms.form(left).key() == self.atoms.form(right).key()


def _fits(value: int, dtype: DataType) -> bool:
    interval = range_of(dtype)
    return dtype.is_int() and (interval.low or 0) <= value <= (interval.high or 0)


def _constant(value: int, like: BinaryExpr | UnaryExpr) -> Expr | None:
    return ConstInt(value, like.dtype, like.span) if _fits(value, like.dtype) else None


# -- integer arithmetic ------------------------------------------------------------------------------------------------


def _linear(folder: Folder, expr: BinaryExpr | Neg) -> Expr | None:
    if is_linear(expr) and folder.is_droppable(expr):
        return folder.smaller(folder.atoms.form(expr), expr)
    return _without_neutral(expr) if isinstance(expr, BinaryExpr) else None


def _without_neutral(expr: BinaryExpr) -> Expr | None:
    """x + 0, x - 0, x * 1, x // 1 and their mirrors, whatever x does."""
    neutral = 1 if isinstance(expr, Mul | FloorDiv) else 0
    if as_int(expr.right) == neutral and _keeps_type(expr, expr.left):
        return expr.left
    mirrored = isinstance(expr, Add | Mul) and as_int(expr.left) == neutral
    return expr.right if mirrored and _keeps_type(expr, expr.right) else None


def _keeps_type(expr: BinaryExpr, operand: Expr) -> bool:
    return same_integer_kind(dtype_of(operand), expr.dtype)


def _quotient(folder: Folder, expr: BinaryExpr) -> Expr | None:
    if not expr.dtype.is_signed_int() or not folder.is_droppable(expr):
        return _without_neutral(expr) if expr.dtype.is_int() else None
    divisor = as_int(expr.right)
    if divisor is None:
        is_one = _is_never_zero(folder, expr.right) and folder.are_same(expr.left, expr.right)
        return _constant(1, expr) if is_one else None
    form = folder.atoms.form(expr.left)
    if divisor == 0:
        return None
    if not form.terms:
        return _constant(form.constant // divisor, expr)
    if divisor < 0:
        return None
    whole, rest = _split(form, divisor)
    count = _constant_quotient(folder, rest, divisor)
    if count is not None:
        return folder.smaller(whole.plus(LinearForm(count)), expr)
    return _nested_quotient(expr, divisor)


def _remainder(folder: Folder, expr: BinaryExpr) -> Expr | None:
    if not expr.dtype.is_signed_int() or not folder.is_droppable(expr):
        return None
    divisor = as_int(expr.right)
    if divisor is None:
        is_zero = _is_never_zero(folder, expr.right) and folder.are_same(expr.left, expr.right)
        return _constant(0, expr) if is_zero else None
    form = folder.atoms.form(expr.left)
    if divisor == 0:
        return None
    if not form.terms:
        return _constant(form.constant % divisor, expr)
    if divisor < 0:
        return None
    rest = _split(form, divisor)[1]
    count = _constant_quotient(folder, rest, divisor)
    if count is not None:
        return folder.smaller(rest.plus(LinearForm(-count * divisor)), expr)
    reduced = folder.smaller(LinearForm(rest.constant % divisor, rest.terms), expr)
    if reduced is None or folder.size(reduced) >= folder.size(expr.left):
        return None
    return FloorMod(reduced, expr.right, expr.dtype, expr.span)


def _split(form: LinearForm, divisor: int) -> tuple[LinearForm, LinearForm]:
    """A form as divisor x whole + rest, the constant in the rest."""
    whole = tuple((atom, c // divisor) for atom, c in form.terms if c % divisor == 0)
    rest = tuple((atom, c) for atom, c in form.terms if c % divisor)
    return LinearForm(0, whole), LinearForm(form.constant, rest)


def _constant_quotient(folder: Folder, rest: LinearForm, divisor: int) -> int | None:
    """rest // divisor when it is one number for all values of the rest."""
    interval = folder.bounds.of_form(rest)
    if interval.low is None or interval.high is None:
        return None
    count = interval.low // divisor
    return count if interval.high // divisor == count else None


def _nested_quotient(expr: BinaryExpr, divisor: int) -> Expr | None:
    """(x // a) // b is x // (a * b)."""
    inner = expr.left
    if not isinstance(inner, FloorDiv) or inner.dtype is not expr.dtype:
        return None
    first = as_int(inner.right)
    if first is None or first <= 0 or not _fits(first * divisor, expr.dtype):
        return None
    return FloorDiv(inner.left, ConstInt(first * divisor, expr.dtype, expr.span), expr.dtype, expr.span)


def _is_never_zero(folder: Folder, expr: Expr) -> bool:
    interval = folder.bounds.of(expr)
    return (interval.low is not None and interval.low > 0) or (interval.high is not None and interval.high < 0)


def _extreme(folder: Folder, expr: BinaryExpr) -> Expr | None:
    if not expr.dtype.is_int() or not folder.is_droppable(expr):
        return None
    first, second = (expr.left, expr.right) if isinstance(expr, Min) else (expr.right, expr.left)
    if folder.are_same(expr.left, expr.right):
        return expr.left
    if expr.dtype.is_signed_int() or (as_int(first) is not None and as_int(second) is not None):
        if folder.bounds.at_most(first, second):
            return expr.left
        if folder.bounds.at_most(second, first):
            return expr.right
    inner, outer = expr.left, as_int(expr.right)
    if not isinstance(inner, BinaryExpr) or type(inner) is not type(expr) or outer is None:
        return None
    known = as_int(inner.right)
    if known is None:
        return None
    bound = min(known, outer) if isinstance(expr, Min) else max(known, outer)
    return type(expr)(inner.left, ConstInt(bound, expr.dtype, expr.span), expr.dtype, expr.span)


def _power(folder: Folder, expr: BinaryExpr) -> Expr | None:
    base, exponent = as_int(expr.left), as_int(expr.right)
    if exponent == 1 and folder.is_droppable(expr) and _keeps_type(expr, expr.left):
        return expr.left
    if base is None or exponent is None or not 0 <= exponent < WORD_BITS:
        return None
    return _constant(base**exponent, expr)


_BITWISE: dict[type[Expr], Callable[[int, int], int]] = {
    BitAnd: int.__and__,
    BitOr: int.__or__,
    BitXor: int.__xor__,
    BitShiftLeft: int.__lshift__,
    BitShiftRight: int.__rshift__,
}


def _bits(folder: Folder, expr: BinaryExpr) -> Expr | None:
    del folder
    left, right = as_int(expr.left), as_int(expr.right)
    if left is None or right is None:
        return None
    if isinstance(expr, BitShiftLeft | BitShiftRight) and not 0 <= right < expr.dtype.get_bit():
        return None
    return _constant(_BITWISE[type(expr)](left, right), expr)


# -- questions ---------------------------------------------------------------------------------------------------------


def _comparison(folder: Folder, expr: BinaryExpr) -> Expr | None:
    if not folder.is_droppable(expr):
        return None
    answer = folder.bounds.decides(expr)
    return None if answer is None else ConstBool(answer, expr.span)


def _both(folder: Folder, expr: BinaryExpr) -> Expr | None:
    return _joined(folder, expr, neutral=True)


def _either(folder: Folder, expr: BinaryExpr) -> Expr | None:
    return _joined(folder, expr, neutral=False)


def _joined(folder: Folder, expr: BinaryExpr, *, neutral: bool) -> Expr | None:
    """`and` (neutral True) and `or` (neutral False): a neutral side goes, the opposite decides."""
    for side, other in ((expr.left, expr.right), (expr.right, expr.left)):
        if isinstance(side, ConstBool):
            if side.value is neutral:
                return other
            return side if folder.is_droppable(other) else None
    return expr.left if folder.are_same(expr.left, expr.right) else None


def _not(folder: Folder, expr: UnaryExpr) -> Expr | None:
    del folder
    if isinstance(expr.operand, ConstBool):
        return ConstBool(not expr.operand.value, expr.span)
    return expr.operand.operand if isinstance(expr.operand, Not) else None


# -- one operand -------------------------------------------------------------------------------------------------------


def _negated(folder: Folder, expr: UnaryExpr) -> Expr | None:
    assert isinstance(expr, Neg)
    if isinstance(expr.operand, ConstFloat):
        return ConstFloat(-expr.operand.value, expr.dtype, expr.span)
    return _linear(folder, expr)


def _absolute(folder: Folder, expr: UnaryExpr) -> Expr | None:
    if not expr.dtype.is_int() or not folder.is_droppable(expr):
        return None
    value = as_int(expr.operand)
    if value is not None:
        return _constant(abs(value), expr)
    low = folder.bounds.of(expr.operand).low
    return expr.operand if low is not None and low >= 0 else None


def _inverted(folder: Folder, expr: UnaryExpr) -> Expr | None:
    del folder
    value = as_int(expr.operand)
    return None if value is None else _constant(~value, expr)


def _cast(folder: Folder, expr: UnaryExpr) -> Expr | None:
    """A cast to the type that the operand has already, and a constant that the new type holds."""
    del folder
    if dtype_of(expr.operand) is expr.dtype:
        return expr.operand
    value = as_int(expr.operand)
    return _constant(value, expr) if value is not None else None


_Rule = Callable[[Folder, Any], Expr | None]  # Any: each rule is asked about its own classes only
_RULES: dict[type[Expr], _Rule] = {
    **dict.fromkeys((Add, Sub, Mul), _linear),
    FloorDiv: _quotient,
    FloorMod: _remainder,
    Min: _extreme,
    Max: _extreme,
    Pow: _power,
    **dict.fromkeys(_BITWISE, _bits),
    **dict.fromkeys(COMPARISONS, _comparison),
    And: _both,
    Or: _either,
    Not: _not,
    Neg: _negated,
    Abs: _absolute,
    BitNot: _inverted,
    Cast: _cast,
}

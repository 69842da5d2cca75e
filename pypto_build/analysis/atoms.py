# SPDX-License-Identifier: Apache-2.0
"""Integer expressions as linear forms over numbered atoms.

An atom is whatever is not linear: a variable, a quotient, a call. Atoms are numbered, equal ones alike. Arithmetic on
signed integers is taken not to overflow; unsigned arithmetic may wrap around and is never linear here.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pypto_build.analysis.linear_forms import LinearForm
from pypto_build.ir import (
    Add,
    And,
    BinaryExpr,
    BitAnd,
    BitOr,
    BitXor,
    Call,
    Constant,
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    Eq,
    Expr,
    FloorDiv,
    FloorMod,
    Max,
    Min,
    Mul,
    Ne,
    Neg,
    Or,
    ScalarType,
    Sub,
    Submit,
    TupleGetItemExpr,
    UnaryExpr,
    Var,
    as_int,
    collect,
)
from pypto_build.ir.value import same_integer_kind

MOST_TERMS = 16
"""A longer sum is an atom: merging the terms of ever longer sums would make a chain of additions quadratic."""

COMMUTATIVE: Final = (Add, Mul, Min, Max, And, Or, BitAnd, BitOr, BitXor, Eq, Ne)
"""Operators whose operands may trade places."""


class Atoms:
    """Numbers atoms and remembers the forms of expressions.

    `unstable` are variables that are assigned more than once: what is known of their value holds at one place only.
    """

    def __init__(self, unstable: Collection[Var] = ()) -> None:
        self._unstable = frozenset(unstable)
        self._numbers: dict[object, int] = {}
        self._exprs: list[Expr] = []
        self._stable: list[bool] = []
        self._forms: dict[Expr, LinearForm] = {}
        self._calls: dict[Expr, bool] = {}

    def form(self, expr: Expr) -> LinearForm:
        """The linear form of an integer expression; anything else is one atom."""
        known = self._forms.get(expr)
        if known is None:
            known = self._forms[expr] = self._form(expr)
        return known

    def number(self, expr: Expr) -> int:
        """The number of an expression taken as an atom."""
        key, stable = self._key(expr)
        number = self._numbers.setdefault(key, len(self._exprs))
        if number == len(self._exprs):
            self._exprs.append(expr)
            self._stable.append(stable)
        return number

    def expr(self, number: int) -> Expr:
        """An expression that an atom's number stands for."""
        return self._exprs[number]

    def is_stable(self, form: LinearForm) -> bool:
        """Whether the form means the same wherever its variables are visible."""
        return all(self._stable[atom] for atom, _ in form.terms)

    def has_call(self, expr: Expr) -> bool:
        """Whether evaluating an expression calls something, so that it cannot be dropped."""
        known = self._calls.get(expr)
        if known is None:
            match expr:
                case BinaryExpr():
                    known = self.has_call(expr.left) or self.has_call(expr.right)
                case UnaryExpr():
                    known = self.has_call(expr.operand)
                case Var() | Constant():
                    known = False
                case _:
                    known = bool(collect(expr, Call) or collect(expr, Submit))
            self._calls[expr] = known
        return known

    def _form(self, expr: Expr) -> LinearForm:
        if isinstance(expr, ConstInt):
            return LinearForm(expr.value)
        made = self._combination(expr) if is_linear(expr) else None
        if made is None or len(made.terms) > MOST_TERMS:
            return LinearForm(0, ((self.number(expr), 1),))
        return self._merged(made)

    def _combination(self, expr: Expr) -> LinearForm | None:
        match expr:
            case Add():
                return self.form(expr.left).plus(self.form(expr.right))
            case Sub():
                return self.form(expr.left).plus(self.form(expr.right), -1)
            case Neg():
                return self.form(expr.operand).scaled(-1)
            case Mul():
                left, right = self.form(expr.left), self.form(expr.right)
                if not right.terms:
                    return left.scaled(right.constant)
                return None if left.terms else right.scaled(left.constant)
            case _:
                return None

    def _merged(self, form: LinearForm) -> LinearForm:
        """The form with d x (e // d) replaced by e - e % d where that leaves less to write down."""
        for atom, coefficient in form.terms:
            expr = self._exprs[atom]
            change = _quotient_as_remainder(self, expr, coefficient) if isinstance(expr, FloorDiv) else None
            if change is not None and (candidate := form.plus(change)).weight() < form.weight():
                return self._merged(candidate)
        return form

    def _key(self, expr: Expr) -> tuple[object, bool]:
        match expr:
            case BinaryExpr():
                left, right = self.form(expr.left), self.form(expr.right)
                keys = left.key(), right.key()
                if isinstance(expr, COMMUTATIVE):
                    keys = min(keys), max(keys)
                return (type(expr), expr.dtype, *keys), self.is_stable(left) and self.is_stable(right)
            case UnaryExpr():
                operand = self.form(expr.operand)
                return (type(expr), expr.dtype, operand.key()), self.is_stable(operand)
            case TupleGetItemExpr(tuple=Var()):
                return (TupleGetItemExpr, expr.tuple, expr.index), expr.tuple not in self._unstable
            case ConstFloat() | ConstBool():
                return (type(expr), expr.dtype, repr(expr.value)), True
            case Var():
                return expr, expr not in self._unstable
            case _:
                return expr, False


def _quotient_as_remainder(atoms: Atoms, expr: FloorDiv, coefficient: int) -> LinearForm | None:
    """What turns k x d x (e // d) into k x e - k x (e % d); None when the coefficient is no multiple of d."""
    divisor = as_int(expr.right)
    if not divisor or coefficient % divisor or not expr.dtype.is_signed_int() or not _is_of(expr.left, expr.dtype):
        return None
    quotient = atoms.number(expr)
    remainder = atoms.number(FloorMod(expr.left, expr.right, expr.dtype, expr.span))
    count = coefficient // divisor
    change = LinearForm(0, ((quotient, -coefficient), (remainder, -count)))
    return change.plus(atoms.form(expr.left), count)


def is_linear(expr: Expr) -> bool:
    """Whether an operator is integer arithmetic that cannot wrap around, on operands of its own type."""
    match expr:
        case Add() | Sub() | Mul():
            return expr.dtype.is_signed_int() and _is_of(expr.left, expr.dtype) and _is_of(expr.right, expr.dtype)
        case Neg():
            return expr.dtype.is_signed_int() and _is_of(expr.operand, expr.dtype)
        case _:
            return False


def _is_of(expr: Expr, dtype: DataType) -> bool:
    kind = expr.type
    return isinstance(kind, ScalarType) and same_integer_kind(kind.dtype, dtype)

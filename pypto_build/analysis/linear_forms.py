# SPDX-License-Identifier: Apache-2.0
"""Integer expressions as linear forms: constant + sum of coefficient x atom.

An atom is whatever is not linear: a variable, a quotient, a call. Atoms are numbered, equal ones alike, so that forms
compare in the time of their length. Arithmetic on signed integers is taken not to overflow; unsigned arithmetic may
wrap around and is never linear here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pypto_build.ir import (
    Add,
    BinaryExpr,
    Call,
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    Mul,
    Neg,
    ScalarType,
    Sub,
    Submit,
    TupleGetItemExpr,
    UnaryExpr,
    Var,
    collect,
)
from pypto_build.ir.value import same_integer_kind

MOST_TERMS = 16
"""A longer sum is an atom: merging the terms of ever longer sums would make a chain of additions quadratic."""

Terms = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class LinearForm:
    """constant + sum of coefficient x atom; terms are (atom number, coefficient), none of them zero."""

    constant: int
    terms: Terms = ()

    def plus(self, other: LinearForm, factor: int = 1) -> LinearForm:
        """self + factor x other; the terms of self keep their order."""
        if not other.terms:
            return LinearForm(self.constant + factor * other.constant, self.terms)
        merged = dict(self.terms)
        for atom, coefficient in other.terms:
            merged[atom] = merged.get(atom, 0) + factor * coefficient
        kept = tuple((atom, coefficient) for atom, coefficient in merged.items() if coefficient)
        return LinearForm(self.constant + factor * other.constant, kept)

    def scaled(self, factor: int) -> LinearForm:
        """factor x self"""
        if factor == 0:
            return LinearForm(0)
        return LinearForm(self.constant * factor, tuple((atom, c * factor) for atom, c in self.terms))

    def key(self) -> tuple[int, Terms]:
        """The same for equal forms, in whatever order their terms were met."""
        return self.constant, tuple(sorted(self.terms))


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
        return made

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

    def _key(self, expr: Expr) -> tuple[object, bool]:
        match expr:
            case BinaryExpr():
                left, right = self.form(expr.left), self.form(expr.right)
                stable = self.is_stable(left) and self.is_stable(right)
                return (type(expr), expr.dtype, left.key(), right.key()), stable
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

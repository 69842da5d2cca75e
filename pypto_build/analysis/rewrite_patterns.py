# SPDX-License-Identifier: Apache-2.0
"""Rewriting rules written as text, `min(x, y) * max(x, y) -> x * y`, and how they are matched and built.

Names stand for signed integer expressions; names c1, c2, ... for integer constants. What is made of constants only is
computed. After `if` stand comparisons joined by `and`: those of constants are computed, others must be certain.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Final, TypeAlias

from pypto_build.analysis.atoms import COMMUTATIVE
from pypto_build.ir import (
    Add,
    And,
    BinaryExpr,
    ConstInt,
    Eq,
    Expr,
    FloorDiv,
    FloorMod,
    Ge,
    Gt,
    Le,
    Lt,
    Max,
    Min,
    Mul,
    Ne,
    Neg,
    Not,
    Or,
    Sub,
    UnaryExpr,
)


@dataclass(frozen=True, slots=True)
class Hole:
    """Any signed integer expression; the same one wherever the name occurs."""

    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """Any integer constant, or the one with a value."""

    name: str
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """An operator over patterns."""

    kind: Operator
    parts: tuple[Pattern, ...]


Operator: TypeAlias = type[BinaryExpr] | type[UnaryExpr]
Pattern: TypeAlias = Hole | Number | Shape


@dataclass(frozen=True, slots=True)
class Rule:
    """What a pattern becomes where the conditions hold."""

    pattern: Shape
    result: Pattern
    conditions: tuple[Shape, ...]
    text: str


def rules(text: str) -> tuple[Rule, ...]:
    """The rules of a table, one a line, each in every order of the operands that may trade places."""
    return tuple(one for line in text.strip().splitlines() for one in _orders(_rule(line.strip())))


class RuleTable:
    """Rules, found by the classes of an operator and its operands; they are read when they are first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._candidates: dict[tuple[type[Expr], ...], tuple[Rule, ...]] = {}

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All rules, in the order of the text."""
        return rules(self._text)

    def candidates(self, expr: Expr) -> tuple[Rule, ...]:
        """The rules that may fit an expression, by what its class and those of its operands tell."""
        kinds = (type(expr), *map(type, operands(expr)))
        found = self._candidates.get(kinds)
        if found is None:
            found = self._candidates[kinds] = tuple(rule for rule in self.rules if _may_fit(rule.pattern, kinds))
        return found


def _may_fit(pattern: Shape, kinds: tuple[type[Expr], ...]) -> bool:
    if pattern.kind is not kinds[0]:
        return False
    return all(_kind(part) in (None, kind) for part, kind in zip(pattern.parts, kinds[1:], strict=True))


def _kind(pattern: Pattern) -> type[Expr] | None:
    """The class of whatever fits a pattern; None when there are many."""
    match pattern:
        case Hole():
            return None
        case Number():
            return ConstInt
        case Shape():
            return pattern.kind


def operands(expr: Expr) -> tuple[Expr, ...]:
    """The operands of an operator; none for anything else."""
    match expr:
        case BinaryExpr():
            return expr.left, expr.right
        case UnaryExpr():
            return (expr.operand,)
        case _:
            return ()


def number_of(pattern: Pattern, numbers: dict[str, int]) -> int | None:
    """The value of a pattern that is made of constants only; None for others."""
    match pattern:
        case Hole():
            return None
        case Number():
            return numbers[pattern.name] if pattern.value is None else pattern.value
        case Shape():
            parts = [number_of(part, numbers) for part in pattern.parts]
            return None if None in parts else COMPUTED[pattern.kind](*parts)


COMPUTED: Final[dict[type[Expr], Callable[..., Any]]] = {  # Any: numbers and truths
    Add: operator.add,
    Sub: operator.sub,
    Mul: operator.mul,
    FloorDiv: int.__floordiv__,
    FloorMod: operator.mod,
    Min: min,
    Max: max,
    Neg: operator.neg,
    Eq: operator.eq,
    Ne: operator.ne,
    Lt: operator.lt,
    Le: operator.le,
    Gt: operator.gt,
    Ge: operator.ge,
    Not: operator.not_,
    And: bool.__and__,
    Or: bool.__or__,
}
"""What the operators of patterns do with numbers."""

_OPERATORS: Final[dict[type[ast.AST], Operator]] = {
    ast.Add: Add,
    ast.Sub: Sub,
    ast.Mult: Mul,
    ast.FloorDiv: FloorDiv,
    ast.Mod: FloorMod,
    ast.USub: Neg,
    ast.Not: Not,
    ast.And: And,
    ast.Or: Or,
    ast.Eq: Eq,
    ast.NotEq: Ne,
    ast.Lt: Lt,
    ast.LtE: Le,
    ast.Gt: Gt,
    ast.GtE: Ge,
}
_FUNCTIONS: Final[dict[str, Operator]] = {"min": Min, "max": Max}


def _rule(line: str) -> Rule:
    change, _, condition = line.partition(" if ")
    before, _, after = change.partition(" -> ")
    conditions = condition.split(" and ") if condition else []
    return Rule(_shape(before), _pattern(after), tuple(map(_shape, conditions)), line)


def _shape(text: str) -> Shape:
    found = _pattern(text)
    assert isinstance(found, Shape)
    return found


def _pattern(text: str) -> Pattern:
    return _parsed(ast.parse(text, mode="eval").body)


def _parsed(node: ast.expr) -> Pattern:
    match node:
        case ast.Name(name):
            return Number(name) if name.startswith("c") else Hole(name)
        case ast.Constant(int() as value):
            return Number("", value)
        case ast.BinOp(left, symbol, right) | ast.Compare(left, [symbol], [right]):
            return Shape(_OPERATORS[type(symbol)], (_parsed(left), _parsed(right)))
        case ast.UnaryOp(symbol, operand):
            return Shape(_OPERATORS[type(symbol)], (_parsed(operand),))
        case ast.BoolOp(symbol, [left, right]):
            return Shape(_OPERATORS[type(symbol)], (_parsed(left), _parsed(right)))
        case ast.Call(ast.Name(name), arguments):
            return Shape(_FUNCTIONS[name], tuple(map(_parsed, arguments)))
        case _:
            raise ValueError(f"no pattern: {ast.unparse(node)}")


def _orders(rule: Rule) -> Iterator[Rule]:
    seen: set[Shape] = set()
    for pattern in _variants(rule.pattern):
        if isinstance(pattern, Shape) and pattern not in seen:
            seen.add(pattern)
            yield Rule(pattern, rule.result, rule.conditions, rule.text)


def _variants(pattern: Pattern) -> Iterator[Pattern]:
    if not isinstance(pattern, Shape):
        yield pattern
        return
    for parts in product(*map(_variants, pattern.parts)):
        yield Shape(pattern.kind, parts)
        if issubclass(pattern.kind, COMMUTATIVE):
            yield Shape(pattern.kind, parts[::-1])

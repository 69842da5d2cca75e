# SPDX-License-Identifier: Apache-2.0
"""`pypto.arith`: what the analyzers answer with: comparisons, bounds, remainders, symbolic sets."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from typing import ClassVar

from pypto_build.analysis.interval import Interval
from pypto_build.ir import Expr

_INFINITY = 2**63 - 1


class CompareResult(IntFlag):
    """How two expressions can lie to each other: a bit for equal, for less and for greater."""

    kInconsistent = 0
    kEQ = 1
    kLT = 2
    kLE = 3
    kGT = 4
    kGE = 5
    kNE = 6
    kUnknown = 7


@dataclass(frozen=True, slots=True)
class ConstIntBound:
    """From min_value to max_value, both included; kNegInf and kPosInf stand for what 64 bits do not hold."""

    kPosInf: ClassVar[int] = _INFINITY
    kNegInf: ClassVar[int] = -_INFINITY
    min_value: int
    max_value: int

    @staticmethod
    def of(interval: Interval) -> ConstIntBound:
        """An interval of ours as a bound."""
        low = -_INFINITY if interval.low is None else interval.low
        high = _INFINITY if interval.high is None else interval.high
        return ConstIntBound(*(max(-_INFINITY, min(end, _INFINITY)) for end in (low, high)))

    def interval(self) -> Interval:
        """The bound as an interval of ours."""
        low = None if self.min_value <= self.kNegInf else self.min_value
        return Interval(low, None if self.max_value >= self.kPosInf else self.max_value)

    def is_const(self) -> bool:
        """Whether there is one value only."""
        return self.min_value == self.max_value

    def is_non_negative(self) -> bool:
        """Whether no value is negative."""
        return self.min_value >= 0

    def is_positive(self) -> bool:
        """Whether every value is positive."""
        return self.min_value > 0

    def is_everything(self) -> bool:
        """Whether nothing is known."""
        return self.interval() == Interval()

    def __repr__(self) -> str:
        names = {self.kNegInf: "-inf", self.kPosInf: "+inf"}
        return f"ConstIntBound[{', '.join(names.get(end, str(end)) for end in (self.min_value, self.max_value))}]"


@dataclass(frozen=True, slots=True)
class ModularSet:
    """coeff x k + base for every integer k."""

    coeff: int
    base: int

    def is_exact(self) -> bool:
        """Whether there is one value only."""
        return self.coeff == 0

    def is_everything(self) -> bool:
        """Whether nothing is known."""
        return self.coeff == 1 and self.base == 0


@dataclass(frozen=True, slots=True)
class IntSet:
    """From min_value to max_value, both included; None where there is no end."""

    min_value: Expr | None
    max_value: Expr | None

    @staticmethod
    def everything() -> IntSet:
        """All integers."""
        return IntSet(None, None)

    @staticmethod
    def single_point(val: Expr) -> IntSet:
        """One value."""
        return IntSet(val, val)

    @staticmethod
    def interval(min_value: Expr, max_value: Expr) -> IntSet:
        """All from one value to another, both included."""
        return IntSet(min_value, max_value)

    def is_everything(self) -> bool:
        """Whether nothing is known."""
        return self.min_value is None and self.max_value is None

    def is_single_point(self) -> bool:
        """Whether both ends are the same expression."""
        return self.min_value is not None and self.min_value is self.max_value

    def is_nothing(self) -> bool:
        """Whether the set is empty, which it never is."""
        return False

    def __repr__(self) -> str:
        return f"IntSet[{self.min_value}, {self.max_value}]"

# SPDX-License-Identifier: Apache-2.0
"""Closed intervals of integers, open towards infinity where an end is None."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from pypto_build.ir import DataType


@dataclass(frozen=True, slots=True)
class Interval:
    """All integers from low to high, both included; an empty one (low > high) stands for code that is never reached."""

    low: int | None = None
    high: int | None = None

    def is_empty(self) -> bool:
        """Whether no number lies in it."""
        return self.low is not None and self.high is not None and self.low > self.high

    def plus(self, other: Interval) -> Interval:
        """All sums."""
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        return Interval(low, high)

    def shifted(self, distance: int) -> Interval:
        """All values plus a number."""
        return self.plus(Interval(distance, distance)) if distance else self

    def times(self, factor: int) -> Interval:
        """All values times a number."""
        if factor == 1:
            return self
        if factor == 0:
            return Interval(0, 0)
        low = None if self.low is None else self.low * factor
        high = None if self.high is None else self.high * factor
        return Interval(low, high) if factor > 0 else Interval(high, low)

    def divided(self, factor: int) -> Interval:
        """The integers whose multiples by a number other than zero lie in the interval."""
        if factor < 0:
            return self.times(-1).divided(-factor)
        low = None if self.low is None else -(-self.low // factor)
        return Interval(low, None if self.high is None else self.high // factor)

    def meet(self, other: Interval) -> Interval:
        """What lies in both."""
        low = max((end for end in (self.low, other.low) if end is not None), default=None)
        high = min((end for end in (self.high, other.high) if end is not None), default=None)
        return Interval(low, high)

    def without(self, constant: int, factor: int) -> Interval:
        """Without the value v for which factor x v is the constant, if that is an end."""
        if constant % factor:
            return self
        value = constant // factor
        low = value + 1 if self.low == value else self.low
        high = value - 1 if self.high == value else self.high
        return Interval(low, high)

    def is_within(self, other: Interval) -> bool:
        """Whether every value lies in the other interval."""
        above = other.low is None or (self.low is not None and self.low >= other.low)
        return above and (other.high is None or (self.high is not None and self.high <= other.high))

    def smaller(self, other: Interval) -> Interval:
        """All minima of a value of each."""
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        highs = [end for end in (self.high, other.high) if end is not None]
        return Interval(low, min(highs) if highs else None)

    def absolute(self) -> Interval:
        """All absolute values."""
        if self.low is not None and self.low >= 0:
            return self
        if self.high is not None and self.high <= 0:
            return self.times(-1)
        high = None if self.low is None or self.high is None else max(-self.low, self.high)
        return Interval(0, high)

    def product(self, other: Interval) -> Interval:
        """All products."""
        products = [_times(a, b) for a in self._ends() for b in other._ends()]
        return Interval(_finite(min(products)), _finite(max(products)))

    def quotient(self, divisor: Interval) -> Interval:
        """All quotients, rounded down, by divisors that are all positive or all negative; anything for others."""
        if divisor.high is not None and divisor.high < 0:
            return self.times(-1).quotient(divisor.times(-1))
        if divisor.low is None or divisor.low <= 0:
            return ANY
        return Interval(self._end(self.low, divisor, upper=False), self._end(self.high, divisor, upper=True))

    def remainder(self, divisor: Interval) -> Interval:
        """All remainders, with the sign of divisors that are all positive or all negative; anything for others."""
        if divisor.high is not None and divisor.high < 0:
            return self.times(-1).remainder(divisor.times(-1)).times(-1)
        if divisor.low is None or divisor.low <= 0:
            return ANY
        highs = [] if divisor.high is None else [divisor.high - 1]
        if self.low is not None and self.low >= 0 and self.high is not None:
            highs.append(self.high)
        return Interval(0, min(highs, default=None))

    def power(self, exponent: int) -> Interval:
        """All powers with an exponent that is not negative."""
        if self.low is not None and self.low >= 0:
            return Interval(_power(self.low, exponent, upper=False), _power(self.high, exponent, upper=True))
        if exponent % 2 == 0:
            return self.absolute().power(exponent) if exponent else Interval(1, 1)
        negative = Interval(0, None if self.low is None else -self.low).power(exponent).times(-1)
        if self.high is None or self.high >= 0:
            return Interval(negative.low, Interval(0, self.high).power(exponent).high)
        return self.times(-1).power(exponent).times(-1)

    def _ends(self) -> tuple[int | float, int | float]:
        return -inf if self.low is None else self.low, inf if self.high is None else self.high

    def _end(self, end: int | None, divisor: Interval, *, upper: bool) -> int | None:
        if end is None:
            return None
        if (end >= 0) is upper:
            return end // (divisor.low or 1)
        if divisor.high is not None:
            return end // divisor.high
        return -1 if upper else 0


ANY = Interval()
NON_NEGATIVE = Interval(0)


def _times(left: int | float, right: int | float) -> int | float:
    """A product of ends, where zero times infinity is zero."""
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    if left == 0 or right == 0:
        return 0
    return inf if (left > 0) is (right > 0) else -inf


def _finite(end: int | float) -> int | None:
    return end if isinstance(end, int) else None


_MOST_FACTORS = 64
"""A larger exponent only says that a power is large: computing it would take as long as writing it down."""


def _power(base: int | None, exponent: int, *, upper: bool) -> int | None:
    """An end of the powers of numbers that are not negative."""
    if base is None or exponent == 0:
        return 1 if exponent == 0 else None
    if exponent <= _MOST_FACTORS or base <= 1:
        return base ** min(exponent, _MOST_FACTORS)
    return None if upper else base**_MOST_FACTORS


def range_of(dtype: DataType) -> Interval:
    """What an integer type can hold; anything for other types, 0 and 1 for BOOL."""
    if dtype is DataType.BOOL:
        return Interval(0, 1)
    if dtype.is_unsigned_int():
        return Interval(0, (1 << dtype.get_bit()) - 1)
    if dtype.is_signed_int():
        half = 1 << (dtype.get_bit() - 1)
        return Interval(-half, half - 1)
    return ANY

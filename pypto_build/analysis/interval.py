# SPDX-License-Identifier: Apache-2.0
"""Closed intervals of integers, open towards infinity where an end is None."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.ir import DataType


@dataclass(frozen=True, slots=True)
class Interval:
    """All integers from low to high, both included; an empty one (low > high) stands for code that is never reached."""

    low: int | None = None
    high: int | None = None

    def plus(self, other: Interval) -> Interval:
        """All sums."""
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        return Interval(low, high)

    def shifted(self, distance: int) -> Interval:
        """All values plus a number."""
        return self.plus(Interval(distance, distance))

    def times(self, factor: int) -> Interval:
        """All values times a number."""
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
        ends = (self.low, self.high), (other.low, other.high)
        if None not in (*ends[0], *ends[1]):
            products = [a * b for a in ends[0] for b in ends[1] if a is not None and b is not None]
            return Interval(min(products), max(products))
        if self.low is not None and self.low >= 0 and other.low is not None and other.low >= 0:
            return Interval(self.low * other.low)
        return ANY

    def quotient(self, divisor: Interval) -> Interval:
        """All quotients, rounded down, by divisors that are all positive; anything for other divisors."""
        if divisor.low is None or divisor.low <= 0:
            return ANY
        return Interval(self._end(self.low, divisor, upper=False), self._end(self.high, divisor, upper=True))

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

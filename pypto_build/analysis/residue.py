# SPDX-License-Identifier: Apache-2.0
"""Sets of integers that leave one remainder: step x k + offset for every integer k.

A step of 0 stands for the one number offset, a step of 1 for every integer. Otherwise the offset lies from 0 to
step - 1, so that equal sets are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from pypto_build.analysis.interval import Interval


@dataclass(frozen=True, slots=True)
class Residue:
    """step x k + offset for every integer k."""

    step: int = 1
    offset: int = 0

    def __post_init__(self) -> None:
        step = abs(self.step)
        object.__setattr__(self, "step", step)
        object.__setattr__(self, "offset", self.offset % step if step else self.offset)

    def plus(self, other: Residue) -> Residue:
        """All sums."""
        return Residue(gcd(self.step, other.step), self.offset + other.offset)

    def times(self, factor: int) -> Residue:
        """All values times a number."""
        return Residue(self.step * factor, self.offset * factor)

    def product(self, other: Residue) -> Residue:
        """All products."""
        step = gcd(self.step * other.step, self.step * other.offset, self.offset * other.step)
        return Residue(step, self.offset * other.offset)

    def quotient(self, divisor: int) -> Residue:
        """All quotients by a number other than zero, rounded down."""
        if divisor < 0:
            return self.times(-1).quotient(-divisor)
        if self.step % divisor:
            return ANY_RESIDUE
        return Residue(self.step // divisor, self.offset // divisor)

    def remainder(self, divisor: Residue) -> Residue:
        """All remainders: each differs from its dividend by a multiple of the divisor."""
        return Residue(gcd(self.step, divisor.step, divisor.offset), self.offset)

    def union(self, other: Residue) -> Residue:
        """What holds both."""
        return Residue(gcd(self.step, other.step, self.offset - other.offset), self.offset)

    def meet(self, other: Residue) -> Residue:
        """What lies in both; this one where nothing does, which stands for code that is never reached."""
        if other.step == 0 and self.contains(other.offset):
            return other
        if self.step == 0 or other.step == 0:
            return self
        found = solutions(self.step, Residue(other.step, other.offset - self.offset))
        return self if found is None else Residue(self.step * found.step, self.step * found.offset + self.offset)

    def contains(self, value: int) -> bool:
        """Whether a number lies in the set."""
        return (value - self.offset) % self.step == 0 if self.step else value == self.offset

    def modulo(self, divisor: int) -> int | None:
        """The remainder that all values leave; None when they differ or the divisor is zero."""
        return self.offset % divisor if divisor and self.step % divisor == 0 else None

    def wrapped(self, bits: int) -> Residue:
        """What is left of the set when its values are stored in so many bits."""
        return Residue(gcd(self.step, 1 << bits), self.offset)

    def within(self, interval: Interval) -> Interval:
        """An interval from its first to its last value in the set."""
        if self.step <= 1:
            return interval if self.step else interval.meet(Interval(self.offset, self.offset))
        low = None if interval.low is None else interval.low + (self.offset - interval.low) % self.step
        high = None if interval.high is None else interval.high - (interval.high - self.offset) % self.step
        return Interval(low, high)


ANY_RESIDUE = Residue()


def solutions(factor: int, target: Residue) -> Residue | None:
    """The integers k for which factor x k lies in a set; None when there is none.

    Source: linear congruences; with g = gcd(factor, step), the inverse of factor / g gives k modulo step / g.
    """
    if target.step == 0:
        return None if not factor or target.offset % factor else Residue(0, target.offset // factor)
    common = gcd(factor, target.step)
    if target.offset % common:
        return None
    step = target.step // common
    inverse = pow(factor // common, -1, step) if step > 1 else 0
    return Residue(step, target.offset // common * inverse)

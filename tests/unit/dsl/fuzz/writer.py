# SPDX-License-Identifier: Apache-2.0
"""What writes a snippet: random choices, the names that are bound so far, and their kinds."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import TypeVar

_T = TypeVar("_T")
PERCENT = 100
UNICODE_NAMES = ("déjà", "变量", "ﬁ", "λ", "ñ_1", "_", "__", "self", "pl", "print", "Ⅳ")
CHARACTERS = "ab \t\\\"'{}%\0\x7f\u00e9\u2028\u5909\U0001f600"
NUMBERS = ("0", "1", "2", "16", "64", "-1", "1.5", "0x10", "1e3", "10**2", "3j", "1_000", "2**63", "10**30", "True")


class Writer:
    """Draws choices and keeps the environment: kind -> names, of which `names` are bound in the body."""

    def __init__(self, random: Random, oddness: int) -> None:
        self._random = random
        self.oddness = oddness  # how many of a hundred choices are made against the grammar
        self._count = 0
        self.bound: dict[str, list[str]] = {
            "tensor": ["x", "y", "out"],
            "integers": ["indices"],
            "half": ["h"],
            "scalar": ["n", "m"],
            "flag": ["b"],
            "array": [],
            "tile": [],
            "task": [],
            "tuple": [],
            "python": ["SIZE", "SHAPE", "TEXT", "TYPE", "twice", "shared"],
        }

    def pick(self, options: Sequence[_T]) -> _T:
        """One of the options."""
        return self._random.choice(options)

    def weighted(self, options: Mapping[_T, int]) -> _T:
        """One of the options, each as often as its weight says."""
        return self._random.choices(list(options), list(options.values()))[0]

    def count(self, low: int, high: int) -> int:
        """A number between two others."""
        return self._random.randint(low, high)

    def chance(self, percent: int) -> bool:
        """True so many times of a hundred."""
        return self._random.randrange(PERCENT) < percent

    def odd(self) -> bool:
        """Whether to write something here that does not belong here."""
        return self.chance(self.oddness)

    def text(self) -> str:
        """Any short text."""
        return "".join(self._random.choices(CHARACTERS, k=self.count(0, 8)))

    def fresh(self, kind: str) -> str:
        """A new name of a kind, sometimes an old or an unusual one."""
        if self.odd():
            return self.pick((*UNICODE_NAMES, *(name for names in self.bound.values() for name in names)))
        self._count += 1
        return f"{kind[0]}{self._count}"

    def bind(self, kind: str, name: str) -> str:
        """Remember that a name is bound."""
        self.bound[kind].append(name)
        return name

    def name(self, kind: str) -> str:
        """A bound name of a kind, preferably a young one; "" when there is none."""
        names = self.bound[kind]
        if self.odd():
            return self.any_name()
        return self.pick(names[::-1]) if names else ""

    def any_name(self) -> str:
        """Any bound name, or one that nothing binds."""
        names = [name for listed in self.bound.values() for name in listed]
        return self.pick((*names, "nothing", *UNICODE_NAMES))

    @contextmanager
    def inner(self) -> Generator[None, None, None]:
        """A block whose names are forgotten behind it, but for an odd choice."""
        held = {kind: list(names) for kind, names in self.bound.items()}
        yield
        if not self.odd():
            self.bound = held

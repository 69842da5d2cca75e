# SPDX-License-Identifier: Apache-2.0
"""What writes one function: its choices, its names with their kinds, and what is sure to be bound where.

Only a name that is bound on every way to a place is read there, so a program means the same before and after a pass
that need not keep what an unbound name would give.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from random import Random
from textwrap import indent
from typing import TypeVar

_T = TypeVar("_T")
PERCENT = 100
MOST_STATEMENTS = 18
"""Of a function: inlined into each other, four functions are long enough."""
Lines = list[str]


class Kind(Enum):
    """What a name stands for; the value is the annotation of a parameter."""

    TENSOR = "pl.Tensor[[4, 8], pl.FP32]"
    WIDE = "pl.Tensor[[8, 8], pl.FP32]"
    INDEX = "pl.Scalar[pl.INDEX]"
    REAL = "pl.Scalar[pl.FP32]"
    FLAG = "pl.Scalar[pl.BOOL]"
    TILE = "pl.Tile[[4, 8], pl.FP32]"


class Place(Enum):
    """What may stand where: scopes and calls of kernels around kernels, tiles in them, neither in what is inlined."""

    HOST = "orchestration"
    CORE = "kernel"
    INLINE = "inline"


@dataclass(frozen=True, slots=True)
class Signature:
    """A function that others may call: its parameters in order, those that it writes, and its results."""

    name: str
    params: tuple[Kind, ...]
    written: tuple[int, ...]
    results: tuple[Kind, ...]
    inline: bool


@dataclass(frozen=True, slots=True)
class At:
    """Where a statement stands: what may stand there, and how many bodies may still lie in each other."""

    place: Place
    depth: int

    def inside(self, place: Place | None = None) -> At:
        """In a body that stands here."""
        return replace(self, depth=self.depth - 1, place=place or self.place)


Statement = Callable[["Writer", At], Lines]
"""Writes one statement, as lines: there may be several where it needs others."""


class Writer:
    """Makes choices and keeps the names; `around` are the statements that may only stand around kernels."""

    def __init__(
        self,
        random: Random,
        counts: Counter[str],
        callees: Sequence[Signature] = (),
        *,
        around: Sequence[Statement] = (),
    ) -> None:
        self._random = random
        self.around = around
        self._count = 0
        self._left = MOST_STATEMENTS
        self.counts = counts
        self.callees = callees
        self.known: dict[str, Kind] = {}
        self.bound: set[str] = set()
        self.fixed: set[str] = set()  # counters and buffers, which are not assigned
        self.from_loops: set[str] = set()  # bound, but by a loop that first assigns them
        self._buffers: set[str] = set()
        self.loops: list[LoopPlace] = []

    # -- choices -------------------------------------------------------------------------------------------------------

    def number(self, low: int, high: int) -> int:
        """A number between two others."""
        return self._random.randint(low, high)

    def chance(self, percent: int) -> bool:
        """True so many times of a hundred."""
        return self._random.randrange(PERCENT) < percent

    def pick(self, options: Sequence[_T]) -> _T:
        """One of the options."""
        return self._random.choice(options)

    def goes_on(self) -> bool:
        """Whether the function may have another statement."""
        self._left -= 1
        return self._left >= 0

    def note(self, construct: str) -> None:
        """Count a construct."""
        self.counts[construct] += 1

    # -- names ---------------------------------------------------------------------------------------------------------

    def readable(self, kind: Kind) -> list[str]:
        """The names of a kind that are sure to be bound here, the youngest first."""
        return [name for name in reversed(self.known) if self.known[name] is kind and name in self.bound]

    def fresh(self, stem: str) -> str:
        """A name that the function has not had."""
        self._count += 1
        return f"{stem}{self._count}"

    def target(self, kind: Kind) -> str:
        """What to assign: mostly a name that is there already, sometimes one that another way has bound."""
        old = [name for name, of in self.known.items() if of is kind and name not in self.fixed]
        return self.pick(old[::-1]) if old and self.chance(60) else self.fresh(kind.name[0].lower())

    def bind(self, name: str, kind: Kind, *, fixed: bool = False) -> str:
        """Remember that a name is bound from here on."""
        self.known.setdefault(name, kind)
        self.bound.add(name)
        self.from_loops.discard(name)
        if fixed:
            self.fixed.add(name)
        return name

    def buffer(self, name: str, kind: Kind) -> str:
        """Remember a tensor that may be written in place."""
        self._buffers.add(name)
        return self.bind(name, kind, fixed=True)

    def buffers(self, kind: Kind | None = None) -> list[str]:
        """The tensors that may be written in place here."""
        return [name for name in self.known if name in self._buffers & self.bound and kind in (None, self.known[name])]

    @contextmanager
    def branch(self) -> Generator[set[str], None, None]:
        """A body that may not run: what it binds is not sure to be bound behind it. Gives what was bound before."""
        before, looped = set(self.bound), set(self.from_loops)
        yield before
        self.bound = before
        self.from_loops |= looped

    @contextmanager
    def loop(self, *, runs: bool, jumps: bool) -> Generator[None, None, None]:
        """The body of a loop; if it runs at least once, what each way through it binds is bound behind it."""
        before, looped = set(self.bound), set(self.from_loops)
        place = LoopPlace(jumps)
        self.loops.append(place)
        yield
        self.loops.pop()
        ends = {name for name in self.bound if all(name in bound for bound in place.exits)}
        self.bound = before | ends if runs else before
        self.from_loops |= looped | (self.bound - before)


@dataclass(slots=True)
class LoopPlace:
    """A loop that is being written: whether it may be left early, and what is bound where it is."""

    jumps: bool
    exits: list[set[str]] = field(default_factory=list)


def indented(lines: Lines) -> Lines:
    """A body, which has at least one statement."""
    return indent("\n".join(lines or ["pass"]), "    ").splitlines()

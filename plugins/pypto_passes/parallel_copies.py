# SPDX-License-Identifier: Apache-2.0
"""Copies that belong together, in an order in which none overwrites what another still has to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pypto_build.ir import Expr, Stmt
from pypto_passes.buffer_webs import Web


@dataclass(frozen=True, slots=True)
class TileCopy:
    """Value number `index` of a yield or of a loop's initial values, where it is, and the web that it must get into."""

    index: int
    value: Expr
    source: Web | None
    target: Web


@dataclass(slots=True)
class CopyPlan:
    """The copies in front of loops, and at the ends of bodies by the statement and the number of the body."""

    at_entry: dict[Stmt, list[TileCopy]] = field(default_factory=dict)
    at_end: dict[tuple[Stmt, int], list[TileCopy]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One copy to make; `aside` first puts the value into a buffer of its own, from which another step takes it."""

    copy: TileCopy
    aside: bool = False


def in_safe_order(copies: Sequence[TileCopy]) -> list[Step]:
    """The steps: a copy comes after all that read its target; of a ring of copies one value is put aside first."""
    waiting = list(copies)
    done: list[Step] = []
    saved: set[int] = set()
    while waiting:
        reading = {id(copy.source.found()) for copy in waiting if copy.source and copy.index not in saved}
        free = [copy for copy in waiting if id(copy.target.found()) not in reading]
        if free:
            done.extend(Step(copy) for copy in free[:1])
            waiting.remove(free[0])
        else:
            first = next(copy for copy in waiting if copy.index not in saved)
            saved.add(first.index)
            done.append(Step(first, aside=True))
    return done

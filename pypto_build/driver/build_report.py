# SPDX-License-Identifier: Apache-2.0
"""What a build did to its objects: for each pass whether it ran or was reused, why, and what that cost or saved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from pypto_build.driver.history import Row, object_history, rows_of
from pypto_build.errors import UserError
from pypto_build.store.chain import Status
from pypto_build.store.interface import Store


class Outcome(Enum):
    """How an object was come by."""

    BUILT = "built"
    FOUND = "found whole in the store"
    UNTOUCHED = "up to date"


@dataclass(frozen=True, slots=True)
class PassReport:
    """A pass on a function, which is empty for the program. Milliseconds of a reused one are those that it saved."""

    pass_id: str
    function: str
    status: Status
    why: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class ObjectReport:
    """One object: its name, how it was come by, and its passes and targets in order."""

    name: str
    outcome: Outcome
    passes: tuple[PassReport, ...]

    @property
    def ran(self) -> int:
        """On how many functions a pass ran."""
        return sum(one.status is Status.RAN for one in self.passes)

    @property
    def reused(self) -> int:
        """How many results were reused."""
        return len(self.passes) - self.ran

    @property
    def spent_ms(self) -> float:
        """What the passes that ran cost."""
        return sum(one.milliseconds for one in self.passes if one.status is Status.RAN)

    @property
    def saved_ms(self) -> float:
        """What the reused results cost when they were made."""
        return sum(one.milliseconds for one in self.passes if one.status is Status.REUSED)

    def plain(self) -> dict[str, object]:
        """In terms of JSON."""
        return {
            "object": self.name,
            "outcome": self.outcome.value,
            "ran": self.ran,
            "reused": self.reused,
            "spent_ms": round(self.spent_ms, 3),
            "saved_ms": round(self.saved_ms, 3),
            "passes": [
                {
                    "pass": one.pass_id,
                    "function": one.function,
                    "status": one.status.value,
                    "why": one.why,
                    "milliseconds": round(one.milliseconds, 3),
                }
                for one in self.passes
            ],
        }


def built_object(name: str, rows: Iterable[Row]) -> ObjectReport:
    """Of an object that was built just now."""
    return ObjectReport(name, Outcome.BUILT, tuple(PassReport(p, f, Status(s), why, ms) for p, f, s, why, ms in rows))


def unbuilt_object(name: str, outcome: Outcome, *, path: str, store: Store) -> ObjectReport:
    """Of an object for which nothing ran: what the store remembers of it was saved. No passes where it forgot."""
    try:
        rows = rows_of(object_history(path, store))
    except UserError:
        rows = ()
    why = f"the object was {outcome.value}"
    return ObjectReport(name, outcome, tuple(PassReport(p, f, Status.REUSED, why, ms) for p, f, _, _, ms in rows))


def plain_report(objects: Sequence[ObjectReport], simulations: Sequence[object]) -> dict[str, object]:
    """The whole report in terms of JSON; `simulations` are reports of simulations."""
    return {
        "objects": [one.plain() for one in objects],
        "simulations": list(simulations),
        "spent_ms": round(sum(one.spent_ms for one in objects), 3),
        "saved_ms": round(sum(one.saved_ms for one in objects), 3),
    }

# SPDX-License-Identifier: Apache-2.0
"""Why each pass ran or was reused: this run's chain against the last one's."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.store.chain import ChainEntry, ChainRecord, Status
from pypto_build.store.difference import Difference, first_difference

_NAMED = 8  # passes that one line names before it counts the rest


@dataclass(frozen=True, slots=True)
class FunctionExplanation:
    """One function in one pass; `difference` is None when nothing was there to compare, or nothing differs."""

    function: str
    status: Status
    reason: str
    difference: Difference | None
    cost_ms: float


@dataclass(frozen=True, slots=True)
class PassExplanation:
    """One pass over all functions of a source. A pass is reused when all its functions were."""

    pass_id: str
    functions: tuple[FunctionExplanation, ...]

    @property
    def status(self) -> Status:
        """`ran` if it ran on any function."""
        return Status.RAN if any(one.status is Status.RAN for one in self.functions) else Status.REUSED

    @property
    def saved_ms(self) -> float:
        """What the reused results cost when they were made."""
        return sum(one.cost_ms for one in self.functions if one.status is Status.REUSED)

    @property
    def spent_ms(self) -> float:
        """What the pass cost in this run."""
        return sum(one.cost_ms for one in self.functions if one.status is Status.RAN)

    @property
    def difference(self) -> Difference | None:
        """The first difference among the functions on which it ran."""
        found = (one.difference for one in self.functions if one.status is Status.RAN)
        return next((difference for difference in found if difference is not None), None)


def explain_chain(old: ChainRecord | None, new: ChainRecord) -> tuple[PassExplanation, ...]:
    """One explanation per pass, in the order of the run."""
    before = {} if old is None else {(entry.pass_id, entry.function): entry for entry in old.entries}
    passes: dict[str, list[FunctionExplanation]] = {}
    for entry in new.entries:
        last = before.get((entry.pass_id, entry.function))
        passes.setdefault(entry.pass_id, []).append(_explain(entry, last, first_run=old is None))
    return tuple(PassExplanation(pass_id, tuple(functions)) for pass_id, functions in passes.items())


def headline(passes: tuple[PassExplanation, ...]) -> str:
    """`47/49 passes reused; ran: simplify, fold; first difference: options.level: 1 -> 2`."""
    ran = [one for one in passes if one.status is Status.RAN]
    words = [f"{len(passes) - len(ran)}/{len(passes)} passes reused"]
    if ran:
        words.append("ran: " + _names(ran))
    difference = next((one.difference for one in ran if one.difference is not None), None)
    if difference is not None:
        words.append(f"first difference: {difference}")
    return "; ".join(words)


def _names(ran: list[PassExplanation]) -> str:
    shown = ", ".join(one.pass_id for one in ran[:_NAMED])
    return shown if len(ran) <= _NAMED else f"{shown} and {len(ran) - _NAMED} more"


def _explain(entry: ChainEntry, last: ChainEntry | None, *, first_run: bool) -> FunctionExplanation:
    same = last is not None and last.key == entry.key  # then so are the components, which take longer to compare
    difference = None if last is None or same else first_difference(last.components, entry.components)
    reason = entry.reason or _reason(entry, last, difference, first_run=first_run)
    return FunctionExplanation(entry.function, entry.status, reason, difference, entry.cost_ms)


def _reason(entry: ChainEntry, last: ChainEntry | None, difference: Difference | None, *, first_run: bool) -> str:
    if entry.status is Status.REUSED:
        return "same key as in the last run" if last is not None and difference is None else "found in the store"
    if first_run:
        return "no earlier run is on record"
    if last is None:
        return "the last run had no such pass on this function"
    if difference is not None:
        return f"{difference.place} changed"
    return "same key, but its result was not in the store"

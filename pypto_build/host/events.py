# SPDX-License-Identifier: Apache-2.0
"""What observing hooks are told: one immutable event for each thing that happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast


@dataclass(frozen=True, slots=True)
class PipelineStarted:
    """A source is about to go through a pipeline; `passes` are the ids in order."""

    source: str
    pipeline: str
    digest: str
    passes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PipelineFinished:
    """A source went through a pipeline; the counts are of pass runs on single functions or programs."""

    source: str
    pipeline: str
    digest: str
    passes_run: int
    passes_reused: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PassStarted:
    """A pass is about to run; `function` is empty for a pass that sees the whole program."""

    source: str
    pass_id: str
    pass_name: str
    function: str = ""


@dataclass(frozen=True, slots=True)
class PassFinished:
    """A pass ran; `changed` says whether its result differs from its input."""

    source: str
    pass_id: str
    pass_name: str
    changed: bool
    seconds: float
    function: str = ""


@dataclass(frozen=True, slots=True)
class CacheHit:
    """The store answered; `kind` is the kind of key (`pass`, `object`, ...)."""

    kind: str
    key: str
    subject: str


@dataclass(frozen=True, slots=True)
class CacheMiss:
    """The store had no answer; `difference` names the first component that differs from the last run, if known."""

    kind: str
    key: str
    subject: str
    difference: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The facts that a finished command prints, as plain data under stable names; `title` is the command's.

    They are copied on the way in, and nobody can change the copy: mappings become read-only, lists tuples.
    """

    title: str
    facts: Mapping[str, object]

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", _frozen(self.facts))


def _frozen(value: object) -> object:
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value).items()
        return MappingProxyType({name: _frozen(item) for name, item in items})
    if isinstance(value, list | tuple):
        return tuple(_frozen(item) for item in cast("list[object]", value))
    return value


Event = PipelineStarted | PipelineFinished | PassStarted | PassFinished | CacheHit | CacheMiss | Report

# The observing hook that each event goes to.
OBSERVING_HOOKS: Mapping[type[Event], str] = MappingProxyType(
    {
        PipelineStarted: "pypto_pipeline_started",
        PipelineFinished: "pypto_pipeline_finished",
        PassStarted: "pypto_pass_started",
        PassFinished: "pypto_pass_finished",
        CacheHit: "pypto_cache_hit",
        CacheMiss: "pypto_cache_miss",
        Report: "pypto_report",
    }
)

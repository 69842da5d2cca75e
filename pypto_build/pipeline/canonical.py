# SPDX-License-Identifier: Apache-2.0
"""One form for each meaning: the line of YAML that a pipeline comes down to, and the digest that is its identity.

The line can be given wherever a pipeline is named, so a reproducer is one command. Defaults are written out, hence a
plugin that changes one changes the digest; comments, key order, names of files and of parameters are not in it.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from pypto_build.host import Source
from pypto_build.pipeline.order import property_names
from pypto_build.pipeline.planned import Pipeline, Planned
from pypto_build.pipeline.yaml_source import scalar_value

FORMAT = 1
_BARE = re.compile(r"[A-Za-z_./][A-Za-z0-9_./-]*")


def canonical_data(pipeline: Pipeline, *, simulator: bool = True) -> dict[str, object]:
    """What a pipeline says, with every default written out and nothing about where it was written."""
    data: dict[str, object] = {
        "schema": 1,
        "hardware": pipeline.hardware,
        **({"memory_planner": pipeline.memory_planner} if pipeline.memory_planner != "pypto" else {}),
        "passes": [entry_data(one) for one in pipeline.passes],
        "targets": [entry_data(one) for one in pipeline.targets],
    }
    if simulator and pipeline.simulator is not None:
        data["simulator"] = entry_data(pipeline.simulator)
    data["verify"] = pipeline.verify
    return {**data, "assumes": list(pipeline.assumes)} if pipeline.assumes else data


def entry_data(entry: Planned) -> object:
    """A pass, target or simulator: its name alone when there is nothing more to say."""
    data: dict[str, object] = {"use": entry.use}
    if entry.id != entry.use:
        data = {"id": entry.id, **data}
    if entry.options:
        data["options"] = dict(entry.options)
    if entry.isolate:
        data["isolate"] = "process"
    if entry.timeout is not None:
        data["timeout"] = entry.timeout
    return entry.use if len(data) == 1 else data


def one_line(pipeline: Pipeline) -> str:
    """The pipeline as one line of YAML, with the plugins and replacements it needs."""
    data = canonical_data(pipeline)
    plugins = [one.candidate for one in pipeline.host.plugins() if one.candidate.source is not Source.BUILT_IN]
    named = [one.location if one.source is Source.LOCAL else one.name for one in plugins if one.requested]
    if named:
        data["plugins"] = named
    if pipeline.host.replacements:
        data["replace"] = pipeline.host.replacements
    return flow(data)


def one_line_of_pass(pipeline: Pipeline, pass_id: str) -> str:
    """The shortest pipeline in which a pass does what it did in a longer one, for a reproducer.

    What the pass needs is assumed, because the program that goes with the line was taken from right before it.
    """
    return _alone(pipeline, (next(one for one in pipeline.passes if one.id == pass_id),), targets=())


def one_line_of_target(pipeline: Pipeline, target_id: str) -> str:
    """The shortest pipeline in which a target does what it did in a longer one, behind the last pass of that."""
    return _alone(pipeline, pipeline.passes[-1:], targets=(next(t for t in pipeline.targets if t.id == target_id),))


def _alone(pipeline: Pipeline, passes: tuple[Planned, ...], *, targets: tuple[Planned, ...]) -> str:
    needed = {name for one in (*passes, *targets) for name in property_names(getattr(one.instance, "requires", ()))}
    assumes = tuple(sorted(needed))
    return one_line(replace(pipeline, passes=passes, targets=targets, simulator=None, assumes=assumes))


def digest(pipeline: Pipeline, *, simulator: bool = True) -> str:
    """SHA-256 of the canonical form and of who provides what: the identity of a pipeline."""
    entries = [*pipeline.passes, *pipeline.targets]
    if simulator and pipeline.simulator is not None:
        entries.append(pipeline.simulator)
    providers = [_identity(pipeline, one) for one in entries]
    facts = {"format": FORMAT, "pipeline": canonical_data(pipeline, simulator=simulator), "providers": providers}
    text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def flow(value: object) -> str:
    """Plain data as YAML in flow style, on one line."""
    match value:
        case bool():
            return str(value).lower()
        case None:
            return "null"
        case float() if not math.isfinite(value):
            return ".nan" if math.isnan(value) else str(value).replace("inf", ".inf")
        case int() | float():
            return repr(value)
        case str():
            return value if _BARE.fullmatch(value) and scalar_value(value) == value else json.dumps(value)
        case Mapping():
            items = cast(Mapping[str, object], value).items()
            return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in items) + "}"
        case _:
            return "[" + ", ".join(flow(item) for item in cast(Sequence[object], value)) + "]"


def _identity(pipeline: Pipeline, entry: Planned) -> tuple[str, str, str, int]:
    provider = pipeline.host.plugin(entry.contribution.provider)
    built_in = provider.candidate.source is Source.BUILT_IN
    version = getattr(entry.instance, "version", 1)
    owner = "" if built_in else provider.name
    return (str(entry.contribution.kind), entry.use, owner, version if isinstance(version, int) else 1)

# SPDX-License-Identifier: Apache-2.0
"""A pipeline written out: YAML again, with the place that each line comes from."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.host import Source
from pypto_build.host.paths import shown_path
from pypto_build.pipeline.canonical import flow
from pypto_build.pipeline.planned import Pipeline, Planned

_GAP = 4
Line = tuple[str, Span]


def show(pipeline: Pipeline, *, defaults: bool = False, origins: bool = True) -> str:
    """The resolved form, which is a pipeline file itself; `defaults` writes out the options that no file gives."""
    lines = list(_lines(pipeline, defaults=defaults))
    width = max(len(text) for text, _ in lines) + _GAP
    shown = [
        f"{text.ljust(width)}# {span.filename}:{span.begin_line}" if origins and span.is_valid() else text
        for text, span in lines
    ]
    return "\n".join([f"# pipeline {pipeline.title}, digest {pipeline.digest}", *shown]) + "\n"


def _lines(pipeline: Pipeline, *, defaults: bool) -> Iterator[Line]:
    yield "schema: 1", UNKNOWN_SPAN
    yield f"name: {pipeline.name}", UNKNOWN_SPAN
    yield f"hardware: {pipeline.hardware}", pipeline.spans.get("hardware", UNKNOWN_SPAN)
    if pipeline.memory_planner != "pypto":
        yield f"memory_planner: {pipeline.memory_planner}", pipeline.spans.get("memory_planner", UNKNOWN_SPAN)
    yield from _plugins(pipeline)
    if pipeline.assumes:
        yield f"assumes: {flow(list(pipeline.assumes))}", UNKNOWN_SPAN
    yield "passes:", UNKNOWN_SPAN
    for entry in pipeline.passes:
        yield from _entry(entry, "  - ", defaults=defaults)
    if pipeline.targets:
        yield "targets:", UNKNOWN_SPAN
        for entry in pipeline.targets:
            yield from _entry(entry, "  - ", defaults=defaults)
    if pipeline.simulator is not None:
        yield from _simulator(pipeline.simulator, defaults=defaults)
    yield f"verify: {pipeline.verify}", pipeline.spans.get("verify", UNKNOWN_SPAN)
    if pipeline.disabled or pipeline.enabled:
        lists = (("disable", pipeline.disabled), ("enable", pipeline.enabled))
        yield f"diagnostics: {flow({name: list(names) for name, names in lists if names})}", UNKNOWN_SPAN


def _plugins(pipeline: Pipeline) -> Iterator[Line]:
    """The plugins that a file or `-p` asks for, each with the place that does."""
    asked = [one.candidate for one in pipeline.host.plugins() if one.candidate.source is not Source.BUILT_IN]
    asked = [one for one in asked if one.requested]
    if asked:
        yield "plugins:", UNKNOWN_SPAN
    for one in asked:
        named = shown_path(one.location) if one.source is Source.LOCAL else one.name
        yield f"  - {flow(named)}", one.span
    if pipeline.host.replacements:
        yield f"replace: {flow(pipeline.host.replacements)}", UNKNOWN_SPAN


def _simulator(entry: Planned, *, defaults: bool) -> Iterator[Line]:
    lines = list(_entry(entry, "", defaults=defaults))
    if len(lines) == 1:
        yield f"simulator: {lines[0][0]}", lines[0][1]
        return
    yield "simulator:", UNKNOWN_SPAN
    yield from ((f"  {text}", span) for text, span in lines)


def _entry(entry: Planned, lead: str, *, defaults: bool) -> Iterator[Line]:
    """The lines of a pass, target or simulator; the first begins with `lead`."""
    options = {name: value for name, value in entry.options.items() if defaults or name in entry.given}
    facts = [("id", entry.id)] if entry.id != entry.use else []
    facts.append(("use", entry.use))
    if entry.isolate:
        facts.append(("isolate", "process"))
    if entry.timeout is not None:
        facts.append(("timeout", flow(entry.timeout)))
    if len(facts) == 1 and not options:
        yield f"{lead}{entry.use}", entry.span
        return
    indent = " " * len(lead)
    for index, (name, value) in enumerate(facts):
        yield f"{indent if index else lead}{name}: {value}", UNKNOWN_SPAN if index else entry.span
    if options:
        yield f"{indent}options:", UNKNOWN_SPAN
    for name, value in options.items():
        yield f"{indent}  {name}: {flow(value)}", entry.given.get(name, UNKNOWN_SPAN)

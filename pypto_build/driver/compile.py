# SPDX-License-Identifier: Apache-2.0
"""Compiling one source: look it up, load it, run what must run, pack the object, keep it, write it.

Nothing is written before everything is known; a mistake in the source leaves no file behind.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from pypto_build.driver.account import Account, account_of
from pypto_build.driver.archive import ObjectContent, build_map, build_object
from pypto_build.driver.chain_names import chain_id_of, family_of
from pypto_build.driver.deep import relative_files
from pypto_build.driver.guards import pass_guard, target_guard
from pypto_build.driver.load import LoadedSource, load_source
from pypto_build.driver.observers import tell_finished, tell_started, watch_of
from pypto_build.driver.progress import at
from pypto_build.driver.publish import write_if_changed
from pypto_build.driver.request import CompileRequest, CompileResult
from pypto_build.driver.services import Services, services_of
from pypto_build.driver.toolchain import Toolchain, toolchain
from pypto_build.errors import Diagnostic, UserError, render_diagnostic
from pypto_build.host.contracts import LocationMode, TargetContext
from pypto_build.ops import reading_with
from pypto_build.passes import Selection, Verification
from pypto_build.pipeline.bodies import Bodies
from pypto_build.pipeline.cache import StoreCache
from pypto_build.pipeline.checking import Checking
from pypto_build.pipeline.emit import Emission, Emitter
from pypto_build.pipeline.run import Run
from pypto_build.pipeline.state import FunctionState, NondeterministicPassError
from pypto_build.pipeline.trace import RunResult, TraceEntry
from pypto_build.store.interface import Store
from pypto_build.store.key import Key


@dataclass(frozen=True, slots=True)
class _Build:
    """Everything that one compilation found. `doubts` are about this run of it, not about the source."""

    run: RunResult
    emission: Emission
    finals: dict[str, bytes]
    cache: StoreCache | None
    checking: Checking
    wanted: Selection
    doubts: tuple[Diagnostic, ...] = ()

    @property
    def trace(self) -> tuple[TraceEntry, ...]:
        return (*self.run.trace, *self.emission.trace)


def compile_source(request: CompileRequest) -> CompileResult:
    """Compile a source as asked.

    Raises:
        UserError: the source, the pipeline or the place of the output is wrong; nothing was written.
    """
    services = None if request.dump_passes else services_of(request)
    found = services.deep.find(request) if services is not None else None
    if found is not None:
        written = _write(request, found.content, found.map)
        return CompileResult(0, messages=found.warnings, passes_total=found.passes_total, written=written, found=True)
    fingerprints = services.fingerprints if services else None
    tools = toolchain(
        request.pipeline,
        request.defines,
        host=request.host,
        fingerprints=fingerprints,
        allow_unordered=request.allow_unordered,
    )
    search = tuple(Path(p) for p in request.search_path)
    at("while the source was read")
    with reading_with(tools.ops):
        source = load_source(Path(request.source), search, entry=request.entry or None, arguments=request.arguments)
    begun = time.perf_counter()
    tell_started(request.source, tools.pipeline)
    build = _build(request, tools, source, store=services.store if services else None)
    tell_finished(request.source, tools.pipeline, build.trace, seconds=time.perf_counter() - begun)
    content = build_object(_content(tools, source, build))
    base = os.path.dirname(os.path.abspath(request.source))
    locations = build_map(build.emission.members, base=base, chain_id=chain_id_of(request, source))
    diagnostics = tuple(one for one in (*tools.pipeline.warnings, *build.run.diagnostics) if build.wanted.keeps(one))
    account = account_of(build.trace, build.cache)
    result = _result(build, diagnostics, account)
    if request.report_passes:
        result = replace(result, passes=account.rows(build.trace))
    if services is not None and services.may_keep():
        packed = (content, locations)
        _keep(request, services, tools, source, build=build, account=account, packed=packed, result=result)
    written = _write(request, content, locations)
    return replace(result, written=written, messages=(*result.messages, *_rendered(build.doubts)))


# -- one build ---------------------------------------------------------------------------------------------------------


def _build(request: CompileRequest, tools: Toolchain, source: LoadedSource, *, store: Store | None) -> _Build:
    """Build with the store; without it when a stored body has no places to point at, or a pass is not deterministic."""
    if request.locations == "inline":
        store = None  # emitted text then holds places, which no key does
    if store is None:
        return _run(request, tools, source, None)
    family, rate = family_of(request, source), request.verify_rate
    cache = StoreCache(store, chain_id_of(request, source), family=family, verify_rate=rate)
    try:
        build = _run(request, tools, source, cache)
        return replace(build, doubts=tuple(_differences(build.trace, cache)))
    except UserError as error:
        if error.span.is_valid():
            raise
        return _run(request, tools, source, None)  # again from the source, so that the message has its line
    except NondeterministicPassError as problem:
        build = _run(request, tools, source, None)
        return replace(build, doubts=(Diagnostic("warning", "nondeterministic-pass", str(problem)),))


def _differences(trace: tuple[TraceEntry, ...], cache: StoreCache) -> Iterator[Diagnostic]:
    """A warning for each result that is not what the store had under the same key."""
    for entry in trace:
        if entry.key.digest in cache.differing:
            text = f"pass {entry.step} made another result of {entry.function} than the one in the store"
            yield Diagnostic("warning", "nondeterministic-pass", text)


def _run(request: CompileRequest, tools: Toolchain, source: LoadedSource, cache: StoreCache | None) -> _Build:
    context = tools.context()
    verification = Verification(tools.verifiers, context, level=tools.pipeline.verify)
    wanted = tools.selection(request.disable, request.enable)
    checking = tools.checking(context, wanted, cache=cache)
    watch = watch_of(request.source, tools.host, cache.previous() if cache is not None else None)
    run = Run(
        source.program,
        context,
        cache=cache,
        verification=verification,
        checking=checking,
        guard=pass_guard(request, tools),
        watch=watch,
    )
    place = request.dump_passes
    passed = _dumped(run, tools, Path(place)) if place else run.through(tools.steps)
    target_context = TargetContext(
        context.hardware, tools.ops, cast(LocationMode, request.locations), tools.pipeline.memory_planner
    )
    emitter = Emitter(
        passed.states,
        passed.program_name,
        target_context,
        places=run.places,
        cache=cache,
        verifiers=tools.verifiers,
        guard=target_guard(request, tools),
        watch=watch,
    )
    emission = emitter.emit(tools.target_steps)
    finals = {name: _serialized(state, run.results.bodies) for name, state in passed.states.items()}
    return _Build(passed, emission, finals, cache, checking, wanted)


def _dumped(run: Run, tools: Toolchain, directory: Path) -> RunResult:
    from pypto_build.driver.dumps import dumped  # the page and its differences: seldom asked for

    return dumped(run, tools.steps, directory)


def _serialized(state: FunctionState, bodies: Bodies) -> bytes:
    """A final function in serialized form, from the store if it is there, kept there otherwise."""
    known = bodies.serialized(state.facts.digest) if state.node is None else None
    return known if known is not None else bodies.keep(state.facts.digest, state.body())


# -- what is made of it ------------------------------------------------------------------------------------------------


def _content(tools: Toolchain, source: LoadedSource, build: _Build) -> ObjectContent:
    pipeline = tools.pipeline
    facts: dict[str, object] = {
        "name": pipeline.title,
        "digest": pipeline.object_digest,
        "hardware": pipeline.hardware,
    }
    passes = [
        {"id": entry.step, "function": entry.function, "output": entry.output_digest} for entry in build.run.trace
    ]
    functions = [
        {
            "name": state.facts.name,
            "kind": state.facts.func_type,
            "digest": state.facts.digest,
            "signature": state.facts.signature_digest,
        }
        for state in build.run.states.values()
    ]
    return ObjectContent(source.program.name, facts, passes, functions, build.emission.members, build.finals)


def _result(build: _Build, diagnostics: tuple[Diagnostic, ...], account: Account) -> CompileResult:
    steps = dict.fromkeys(entry.step for entry in build.trace)
    ran = tuple(dict.fromkeys(entry.step for entry in build.trace if not entry.reused))
    return CompileResult(
        0,
        messages=_rendered(diagnostics),
        passes_total=len(steps),
        passes_run=len(ran),
        ran=ran,
        first_difference=account.difference,
    )


def _rendered(diagnostics: tuple[Diagnostic, ...]) -> tuple[str, ...]:
    return tuple(render_diagnostic(one) for one in diagnostics)


def _keep(
    request: CompileRequest,
    services: Services,
    tools: Toolchain,
    source: LoadedSource,
    *,
    build: _Build,
    account: Account,
    packed: tuple[bytes, bytes],
    result: CompileResult,
) -> None:
    """Put into the store what the next builds can use; `packed` are the object and its source map."""
    files = relative_files(request.source, (*(str(p) for p in source.imports), *tools.files))
    facts = {"passes": result.passes_total, "warnings": result.messages}
    content, locations = packed
    services.deep.put(request, files, content=content, map=locations, facts=facts, read=source.read)
    if build.cache is None:
        return
    digests = {name: state.facts.digest for name, state in build.run.states.items()}
    entries = (*account.entries, *build.checking.entries(build.cache))
    build.cache.finish(entries, Key("final", (("functions", digests),)))


def _write(request: CompileRequest, content: bytes, locations: bytes) -> bool:
    if not request.output:
        return False
    written = write_if_changed(request.output, content)
    if request.locations == "map":
        write_if_changed(request.map_output, locations)
    return written

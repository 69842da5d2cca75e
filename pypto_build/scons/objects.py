# SPDX-License-Identifier: Apache-2.0
"""`PtoObject`: a source becomes an object and a source map, from the store if it has them."""

from __future__ import annotations

import os
import sys
from typing import Any

from pypto_build.driver.publish import write_if_changed
from pypto_build.driver.request import CompileRequest, CompileResult
from pypto_build.errors import EXIT_INTERNAL_ERROR, UserError
from pypto_build.scons.actions import signed_action
from pypto_build.scons.build_run import BuildRun, build_run, explaining, stop, timeout
from pypto_build.scons.modules import scons
from pypto_build.scons.scanner import pipeline_file, pipeline_inputs, source_scanner
from pypto_build.scons.worker_process import WorkerDiedError
from pypto_build.store.shared import shared_store
from pypto_build.store.verify_rate import verify_rate

SIGNED = ("PTOIMPLEMENTATION", "PTODEFINES", "PTOENTRY", "PTOARGS", "PTOLOCATIONS", "PTOPIPELINE", "PTODUMP")


def builder(env: Any) -> Any:
    """The builder."""
    builder_of = scons("Builder").Builder

    del env
    return builder_of(
        action=signed_action(build_object, "$PTOCOMSTR", SIGNED),
        emitter=emit,
        suffix="$PTOSUFFIX",
        src_suffix=".py",
        single_source=True,
        source_scanner=source_scanner(),
    )


def emit(target: list[Any], source: list[Any], env: Any) -> tuple[list[Any], list[Any]]:
    """The source map is a second target; the files of the pipeline are dependencies."""
    stem = str(target[0]).removesuffix(env.subst("$PTOSUFFIX"))
    target.append(env.File(stem + env.subst("$PTOMAPSUFFIX")))
    pipeline = pipeline_file(env.subst("$PTOPIPELINE"), env)
    if pipeline is not None:
        path = pipeline.partition("@")[0]
        env.Depends(target, [env.File(file) for file in (path, *pipeline_inputs(path))])
    env.Precious(target)  # an identical result leaves the file alone, so nothing downstream runs
    env.NoCache(target)  # the store is the cache
    return target, source


def request_of(target: list[Any], source: list[Any], env: Any) -> CompileRequest:
    """What a target asks for."""
    run = build_run(env)
    defines = tuple(sorted((str(k), env.subst(str(v))) for k, v in env["PTODEFINES"].items()))
    dump = env.subst("$PTODUMP")
    return CompileRequest(
        source=source[0].srcnode().get_abspath(),
        output=target[0].get_abspath(),
        pipeline=pipeline_file(env.subst("$PTOPIPELINE"), env) or env.subst("$PTOPIPELINE"),
        defines=defines,
        entry=env.subst("$PTOENTRY"),
        arguments=tuple(env.subst(str(argument)) for argument in env.Flatten(env["PTOARGS"])),
        search_path=tuple(env.Dir(d).get_abspath() for d in env.Flatten(env["PTOPATH"])),
        locations=env.subst("$PTOLOCATIONS"),
        store=str(run.root),
        store_mode=run.mode,
        shared_store=shared_store(os.environ),
        verify_rate=verify_rate(os.environ, env.subst("$PTOVERIFYRATE")),
        dump_passes=os.path.join(env.Dir(dump).get_abspath(), os.path.basename(str(target[0]))) if dump else "",
        disable=_names(env, "PTODISABLE"),
        enable=_names(env, "PTOENABLE"),
        report_passes=run.reports_passes.is_set(),
    )


def _names(env: Any, variable: str) -> tuple[str, ...]:
    """A variable that is a list or a text with blanks between its words."""
    return tuple(str(name) for name in env.Split(env.subst(f"${variable}")))


def build_object(target: list[Any], source: list[Any], env: Any) -> None:
    """The action: look up first, and only then wake a worker."""
    run = build_run(env)
    try:
        request = request_of(target, source, env)
    except UserError as error:
        raise stop(error) from None
    result = None if request.dump_passes else _from_store(run, request)
    if result is None:
        result = _from_worker(run, request, target=target[0], timeout=timeout(env))
    run.say(result.messages)
    if result.status:
        print(result.error, file=sys.stderr)
        raise build_error(target[0], "compilation failed", status=result.status)
    run.results[request.output] = result
    if explaining():
        print(f"{target[0]}: {result.summary()}")


def _from_store(run: BuildRun, request: CompileRequest) -> CompileResult | None:
    found = run.deep.find(request)
    if found is None:
        return None
    written = write_if_changed(request.output, found.content)
    write_if_changed(request.map_output, found.map)
    return CompileResult(0, messages=found.warnings, passes_total=found.passes_total, written=written, found=True)


def _from_worker(run: BuildRun, request: CompileRequest, *, target: Any, timeout: float) -> CompileResult:
    try:
        return CompileResult.from_json(run.pool.run({"kind": "compile", **request.to_json()}, timeout=timeout))
    except WorkerDiedError as error:
        raise build_error(target, f"{request.source}: {error}", status=EXIT_INTERNAL_ERROR) from None


def without_maps(source: list[Any], env: Any) -> list[Any]:
    """Of what PtoObject returned, the objects count as sources of other builders and the source maps do not."""
    return [node for node in source if not str(node).endswith(env.subst("$PTOMAPSUFFIX"))]


def build_error(target: Any, text: str, *, status: int) -> Exception:
    """A failure of one target."""
    errors = scons("Errors")

    return errors.BuildError(node=target, errstr=text, status=status, exitstatus=2)

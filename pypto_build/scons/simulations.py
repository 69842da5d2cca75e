# SPDX-License-Identifier: Apache-2.0
"""`PtoSimulate`: an object runs on the inputs of its golden file, and the results are compared with NumPy's."""

from __future__ import annotations

import sys
from typing import Any

from pypto_build.driver.request import SimulateRequest, SimulateResult
from pypto_build.errors import EXIT_INTERNAL_ERROR
from pypto_build.scons.actions import signed_action
from pypto_build.scons.build_run import build_run, timeout
from pypto_build.scons.modules import scons
from pypto_build.scons.objects import build_error, without_maps
from pypto_build.scons.scanner import pipeline_file
from pypto_build.scons.worker_process import WorkerDiedError


def builder(env: Any) -> Any:
    """The builder: sources are an object and its golden file."""
    builder_of = scons("Builder").Builder

    del env
    return builder_of(
        action=signed_action(simulate, "$PTOSIMCOMSTR", ["PTOIMPLEMENTATION", "PTOSIMULATOR"]),
        emitter=emit,
        suffix="$PTOREPORTSUFFIX",
        src_suffix="$PTOSUFFIX",
    )


def emit(target: list[Any], source: list[Any], env: Any) -> tuple[list[Any], list[Any]]:
    """Of what PtoObject returned, the object counts and the source map does not."""
    env.Precious(target)
    env.NoCache(target)
    return target[:1], without_maps(source, env)


def simulate(target: list[Any], source: list[Any], env: Any) -> None:
    """The action."""
    request = SimulateRequest(
        object=source[0].get_abspath(),
        golden=source[1].srcnode().get_abspath() if len(source) > 1 else "",
        report=target[0].get_abspath(),
        simulator=env.subst("$PTOSIMULATOR"),
        pipeline=pipeline_file(env.subst("$PTOPIPELINE"), env) or env.subst("$PTOPIPELINE"),
        search_path=tuple(env.Dir(d).get_abspath() for d in env.Flatten(env["PTOPATH"])),
    )
    try:
        message = {"kind": "simulate", **request.to_json()}
        result = SimulateResult.from_json(build_run(env).pool.run(message, timeout=timeout(env)))
    except WorkerDiedError as error:
        raise build_error(target[0], f"{source[0]}: {error}", status=EXIT_INTERNAL_ERROR) from None
    for message in result.messages:
        print(message, file=sys.stderr)
    if result.status:
        print(result.error, file=sys.stderr)
        raise build_error(target[0], "simulation failed", status=result.status)

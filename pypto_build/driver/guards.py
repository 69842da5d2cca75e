# SPDX-License-Identifier: Apache-2.0
"""Running the code of passes and targets: a failure names plugin, step and function, and leaves a reproducer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pypto_build.driver.progress import at
from pypto_build.driver.reproducer import write_reproducer
from pypto_build.driver.request import CompileRequest
from pypto_build.driver.toolchain import Toolchain
from pypto_build.host import Member, Source, Unit, attributed
from pypto_build.host.isolated import isolated_members
from pypto_build.host.isolation import Limit
from pypto_build.ir import Program
from pypto_build.pipeline.canonical import one_line_of_pass, one_line_of_target
from pypto_build.pipeline.emit import Guard as TargetGuard
from pypto_build.pipeline.emit import TargetStep
from pypto_build.pipeline.run import Guard as PassGuard
from pypto_build.pipeline.state import NondeterministicPassError
from pypto_build.pipeline.step import Step


def pass_guard(request: CompileRequest, tools: Toolchain) -> PassGuard:
    """Runs a pass."""

    def guard(step: Step, function: str, before: Callable[[], Program], action: Callable[[], Any]) -> Any:
        at(f"in pass {step.id}{f' of function {function}' if function else ''}")
        line = partial(one_line_of_pass, tools.pipeline, step.id)
        reproduce = partial(write_reproducer, request.source, f"pass {step.id}", before=before, pipeline=line)
        owner = tools.planned(step.id).contribution
        with attributed(owner, function=function, reproduce=reproduce, passing=(NondeterministicPassError,)):
            return action()

    return guard


def target_guard(request: CompileRequest, tools: Toolchain) -> TargetGuard:
    """Runs a target."""

    def guard(
        step: TargetStep, unit: Unit, program: Program, emit: Callable[[], tuple[Member, ...]]
    ) -> tuple[Member, ...]:
        at(f"in target {step.id} for {unit.name}")
        line = partial(one_line_of_target, tools.pipeline, step.id)
        about = f"target {step.id}"
        reproduce = partial(write_reproducer, request.source, about, before=lambda: program, pipeline=line)
        owner = tools.planned(step.id).contribution
        with attributed(owner, function=unit.name, reproduce=reproduce):
            if request.isolate is None or tools.host.plugin(owner.provider).candidate.source is Source.BUILT_IN:
                return emit()
            return isolated_members(emit, Limit(str(owner), request.isolate or None))

    return guard

# SPDX-License-Identifier: Apache-2.0
"""PipelineLoopValid: a loop is a pipeline exactly when it says how many stages it has."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.analysis.pipeline_membership import STAGES
from pypto_build.errors import Diagnostic
from pypto_build.ir import ForKind, ForStmt, Program, collect
from pypto_build.passes import PassContext

STAGES_MISSING, STAGES_STRAY = 0, 1


def verify_pipeline_loop_valid(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every pipeline loop without stages, and every other loop with them."""
    del context
    for function in program.functions.values():
        for loop in collect(function.body, ForStmt):
            is_pipeline, has_stages = loop.kind is ForKind.Pipeline, STAGES in loop.attrs
            if is_pipeline == has_stages:
                continue
            code = STAGES_MISSING if is_pipeline else STAGES_STRAY
            which = f"loop over '{loop.loop_var.name_hint}' in function '{function.name}'"
            text = f"pipeline {which} has no '{STAGES}'" if is_pipeline else f"{loop.kind.name} {which} has '{STAGES}'"
            yield Diagnostic("error", "PipelineLoopValid", text, loop.span, error_code=code)

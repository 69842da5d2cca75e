# SPDX-License-Identifier: Apache-2.0
"""A pipeline of public passes: what is verified when, and when warnings are looked for."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.compat.diagnostic_checks import all_checks, report_checks
from pypto_build.compat.diagnostics import verify_properties
from pypto_build.compat.pass_context import PassContext
from pypto_build.compat.pass_instruments import DiagnosticInstrument
from pypto_build.compat.pass_objects import Pass
from pypto_build.compat.pass_properties import IRPropertySet
from pypto_build.compat.pass_settings import (
    DiagnosticPhase,
    VerificationLevel,
    get_default_diagnostic_phase,
    get_default_verification_level,
)
from pypto_build.ir import Program
from pypto_build.passes import STRUCTURAL, VERIFIED_BASIC, PropertySet


def run_pipeline(passes: Sequence[Pass], program: Program) -> Program:
    """The program after all passes."""
    current = PassContext.current()
    level = current.get_verification_level() if current is not None else get_default_verification_level()
    verified: PropertySet = STRUCTURAL & VERIFIED_BASIC if level is not VerificationLevel.NONE else frozenset()
    if level is not VerificationLevel.NONE:
        verify_properties(IRPropertySet(verified), program, "pipeline_input")
    _diagnose(DiagnosticPhase.PRE_PIPELINE, program, "pipeline_input")
    for one in passes:
        program = one(program)
        if level is not VerificationLevel.NONE:
            verified -= one.get_invalidated_properties().frozen()
            due = (one.get_produced_properties().frozen() & VERIFIED_BASIC) - verified
            if due:
                verify_properties(IRPropertySet(due), program, one.get_name())
            verified |= due
        _diagnose(DiagnosticPhase.POST_PASS, program, one.get_name())
    _diagnose(DiagnosticPhase.POST_PIPELINE, program, "pipeline_output")
    return program


def _diagnose(phase: DiagnosticPhase, program: Program, after: str) -> None:
    current = PassContext.current()
    gate = current.get_diagnostic_phase() if current is not None else get_default_diagnostic_phase()
    if gate is DiagnosticPhase.NONE:
        return
    if current is not None and any(isinstance(one, DiagnosticInstrument) for one in current.get_instruments()):
        return
    checks = all_checks()
    if current is not None:
        checks = checks.difference(current.get_disabled_diagnostics())
    report_checks(checks, phase, program, after=after)

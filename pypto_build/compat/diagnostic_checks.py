# SPDX-License-Identifier: Apache-2.0
"""The checks behind warnings and performance hints, each in the phase that it belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pypto_build.compat.diagnostics import Diagnostic, public
from pypto_build.compat.pass_context import own_context
from pypto_build.compat.pass_settings import DiagnosticCheck, DiagnosticCheckSet, DiagnosticPhase
from pypto_build.compat.providers import find_check
from pypto_build.compat.reporting import emit
from pypto_build.ir import Program

_PHASES: Final = {
    DiagnosticCheck.UnusedVariable: DiagnosticPhase.PRE_PIPELINE,
    DiagnosticCheck.UnusedControlFlowResult: DiagnosticPhase.PRE_PIPELINE,
    DiagnosticCheck.OutParamWriteDropped: DiagnosticPhase.PRE_PIPELINE,
    DiagnosticCheck.TileInnermostDimGranularity: DiagnosticPhase.POST_PIPELINE,
}
_HINTS: Final = frozenset({DiagnosticCheck.TileInnermostDimGranularity})


def all_checks() -> DiagnosticCheckSet:
    """Every check."""
    return DiagnosticCheckSet(DiagnosticCheck)


def run_checks(checks: Iterable[DiagnosticCheck], phase: DiagnosticPhase | None, program: Program) -> list[Diagnostic]:
    """What the checks of a phase find; None stands for every phase."""
    found: list[Diagnostic] = []
    for check in checks:
        function = find_check(check.name) if phase is None or _PHASES[check] is phase else None
        if function is not None:
            found.extend(public(one) for one in function(program, own_context()))
    return found


def report_checks(checks: DiagnosticCheckSet, phase: DiagnosticPhase | None, program: Program) -> None:
    """Log what the checks of a phase find."""
    emit(one.own() for one in run_checks(checks.to_list(), phase, program))


class DiagnosticCheckRegistry:
    """The checks of the public interface."""

    @staticmethod
    def run_checks(checks: DiagnosticCheckSet, phase: DiagnosticPhase, program: Program) -> list[Diagnostic]:
        """What the checks of a phase find."""
        return run_checks(checks.to_list(), phase, program)

    @staticmethod
    def get_all_checks() -> DiagnosticCheckSet:
        """Every check."""
        return all_checks()

    @staticmethod
    def get_warning_checks() -> DiagnosticCheckSet:
        """Those that warn."""
        return DiagnosticCheckSet(check for check in DiagnosticCheck if check not in _HINTS)

    @staticmethod
    def get_perf_hint_checks() -> DiagnosticCheckSet:
        """Those that hint."""
        return DiagnosticCheckSet(_HINTS)

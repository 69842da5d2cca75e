# SPDX-License-Identifier: Apache-2.0
"""The checks behind warnings and performance hints, each in the phase that it belongs to."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.compat.diagnostic_output import emit
from pypto_build.compat.diagnostics import Diagnostic, public
from pypto_build.compat.pass_context import own_context
from pypto_build.compat.pass_settings import DiagnosticCheck, DiagnosticCheckSet, DiagnosticPhase
from pypto_build.compat.providers import find_check
from pypto_build.ir import Program
from pypto_build.passes import Severity


def all_checks() -> DiagnosticCheckSet:
    """Every check."""
    return DiagnosticCheckSet(DiagnosticCheck)


def run_checks(checks: Iterable[DiagnosticCheck], phase: DiagnosticPhase | None, program: Program) -> list[Diagnostic]:
    """What the checks of a phase find; None stands for every phase."""
    found: list[Diagnostic] = []
    for name in checks:
        check = find_check(name.name)
        if check is None or (phase is not None and check.phase.name != phase.name):
            continue
        for function in program.functions.values():
            found += [public(one) for one in check.diagnostics(function, own_context())]
    return found


def report_checks(
    checks: DiagnosticCheckSet, phase: DiagnosticPhase | None, program: Program, *, after: str = ""
) -> None:
    """Say what the checks of a phase find; `after` names the pass that has just run, if one has."""
    emit(run_checks(checks.to_list(), phase, program), phase=after)


def _is_hint(name: DiagnosticCheck) -> bool:
    check = find_check(name.name)
    return check is not None and check.severity is Severity.PERF_HINT


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
        return DiagnosticCheckSet(check for check in DiagnosticCheck if not _is_hint(check))

    @staticmethod
    def get_perf_hint_checks() -> DiagnosticCheckSet:
        """Those that hint."""
        return DiagnosticCheckSet(check for check in DiagnosticCheck if _is_hint(check))

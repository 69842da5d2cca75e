# SPDX-License-Identifier: Apache-2.0
"""Where diagnostics go: warnings to standard error, hints there too unless a report directory takes them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pypto_build.compat.diagnostics import Diagnostic
from pypto_build.compat.pass_settings import DiagnosticSeverity
from pypto_build.compat.report_instrument import report_directory
from pypto_build.compat.reporting import log_info, log_warn

HINTS_FILE: Final = "perf_hints.log"


def emit(diagnostics: Iterable[Diagnostic], *, phase: str = "") -> None:
    """Say what checks and passes found; `phase` is the pass after which they did."""
    hints: list[Diagnostic] = []
    for one in diagnostics:
        if one.severity is DiagnosticSeverity.PerfHint:
            hints.append(one)
        else:
            after = f" ({phase})" if phase else ""
            log_warn(f"[{one.severity.name.lower()}] [{one.rule_name}]{after} {one.message}{_place(one)}")
    if hints:
        _emit_hints(hints, report_directory())


def _emit_hints(hints: list[Diagnostic], directory: Path | None) -> None:
    lines = [f"[perf_hint {one.hint_code}] {one.rule_name}: {one.message}{_place(one)}" for one in hints]
    if directory is None:
        for line in lines:
            log_info(line)
        return
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / HINTS_FILE).open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    sites = len({one.span for one in hints})
    log_info(f"[perf_hint] {len(hints)} hints across {sites} sites; see {directory / HINTS_FILE}")


def _place(diagnostic: Diagnostic) -> str:
    return f" at {diagnostic.span}" if diagnostic.span.is_valid() else ""

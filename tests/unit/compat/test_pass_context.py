# SPDX-License-Identifier: Apache-2.0
"""Contexts of public passes: nested, of one thread, with the outer one in force again afterwards."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from pypto_build.compat import install
from pypto_build.compat.diagnostic_output import emit
from pypto_build.compat.pass_context import own_context


@pytest.fixture
def passes() -> Iterator[Any]:
    """The public module of passes, gone again after the test."""
    with install():
        yield importlib.import_module("pypto.pypto_core.passes")


def test_the_inner_context_counts_until_it_is_left(passes: Any) -> None:
    outer, inner = passes.PassContext([]), passes.PassContext([], memory_planner=passes.MemoryPlanner.PTOAS)
    with outer:
        with inner:
            assert own_context().memory_planner == "ptoas"
        assert (passes.PassContext.current(), own_context().memory_planner) == (outer, "pypto")


def test_a_context_is_left_when_its_body_fails(passes: Any) -> None:
    before = passes.PassContext.current()
    with pytest.raises(KeyError), passes.PassContext([]):
        raise KeyError
    assert passes.PassContext.current() is before


def test_another_thread_is_in_no_context(passes: Any) -> None:
    seen: list[object] = []
    with passes.PassContext([]):
        thread = threading.Thread(target=lambda: seen.append(passes.PassContext.current()))
        thread.start()
        thread.join()
    assert seen == [None]


def test_hints_go_to_the_file_of_a_report_directory_and_warnings_to_standard_error(
    passes: Any, tmp_path: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    found = [
        passes.Diagnostic(passes.DiagnosticSeverity.Warning, "Odd", 0, "this is odd", own_span()),
        passes.Diagnostic(passes.DiagnosticSeverity.PerfHint, "Slow", 0, "this is slow", own_span(), "PH900"),
    ]
    with passes.PassContext([passes.ReportInstrument(str(tmp_path))]):
        emit(found, phase="Simplify")
    said = [line.partition(" | ")[2] for line in capfd.readouterr().err.splitlines()]
    log = tmp_path / "perf_hints.log"
    assert said == [
        "[warning] [Odd] (Simplify) this is odd at k.py:3:1",
        f"[perf_hint] 1 hints across 1 sites; see {log}",
    ]
    assert log.read_text() == "[perf_hint PH900] Slow: this is slow at k.py:3:1\n"


def own_span() -> Any:
    """A place in a file."""
    return importlib.import_module("pypto.pypto_core.ir").Span("k.py", 3, 1)

# SPDX-License-Identifier: Apache-2.0
"""Instruments: verification around every pass, callbacks, warnings, and the text round trip."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

from pypto_build.compat.diagnostics import PropertyVerifierRegistry, raise_errors
from pypto_build.compat.pass_context import PassContext, PassInstrument
from pypto_build.compat.pass_objects import Pass
from pypto_build.compat.pass_properties import get_structural_properties
from pypto_build.compat.pass_settings import DiagnosticCheckSet, VerificationMode
from pypto_build.ir import Program, assert_structural_equal


class VerificationInstrument(PassInstrument):
    """Checks what a pass requires before it, and what it produces after it."""

    def __init__(self, mode: VerificationMode) -> None:
        self._mode = mode

    def get_name(self) -> str:
        """Its name in messages."""
        return "VerificationInstrument"

    def run_before_pass(self, pass_: Pass, program: Program) -> None:
        """Required and structural properties."""
        if self._mode in (VerificationMode.BEFORE, VerificationMode.BEFORE_AND_AFTER):
            wanted = pass_.get_required_properties().union_with(get_structural_properties())
            found = PropertyVerifierRegistry.verify(wanted, program)
            raise_errors(found, f"Pre-verification failed before pass '{pass_.get_name()}'")

    def run_after_pass(self, pass_: Pass, program: Program) -> None:
        """Produced and structural properties."""
        if self._mode in (VerificationMode.AFTER, VerificationMode.BEFORE_AND_AFTER):
            wanted = pass_.get_produced_properties().union_with(get_structural_properties())
            found = PropertyVerifierRegistry.verify(wanted, program)
            raise_errors(found, f"Post-verification failed after pass '{pass_.get_name()}'")


class CallbackInstrument(PassInstrument):
    """Calls Python functions."""

    def __init__(
        self,
        before_pass: Callable[[Pass, Program], None] | None = None,
        after_pass: Callable[[Pass, Program], None] | None = None,
        name: str = "CallbackInstrument",
    ) -> None:
        self._before = before_pass
        self._after = after_pass
        self._name = name

    def get_name(self) -> str:
        """Its name in messages."""
        return self._name

    def run_before_pass(self, pass_: Pass, program: Program) -> None:
        """Call the first."""
        if self._before is not None:
            self._before(pass_, program)

    def run_after_pass(self, pass_: Pass, program: Program) -> None:
        """Call the second."""
        if self._after is not None:
            self._after(pass_, program)


class DiagnosticInstrument(PassInstrument):
    """Runs checks after every pass, instead of the pipeline's own schedule."""

    def __init__(self, checks: DiagnosticCheckSet | None = None) -> None:
        self._checks = checks

    def get_name(self) -> str:
        """Its name in messages."""
        return "DiagnosticInstrument"

    def run_after_pass(self, pass_: Pass, program: Program) -> None:
        """Run the checks of every phase and log what they find."""
        from pypto_build.compat.diagnostic_checks import all_checks, report_checks

        current = PassContext.current()
        chosen = self._checks if self._checks is not None else all_checks()
        if current is not None:
            chosen = chosen.difference(current.get_disabled_diagnostics())
        report_checks(chosen, None, program, after=pass_.get_name())


def make_roundtrip_instrument() -> CallbackInstrument:
    """After every pass: print, parse, compare."""
    return CallbackInstrument(after_pass=_check_round_trip, name="RoundtripInstrument")


def _check_round_trip(pass_: Pass, program: Program) -> None:
    from pypto_build.ir.printing import python_print

    parser: Any = importlib.import_module("pypto.language.parser.text_parser")

    where = f"after pass '{pass_.get_name()}'"
    try:
        text = python_print(program)
    except Exception as error:
        if "does not support iter_args" in str(error):
            warnings.warn(f"[RoundtripInstrument] skipped {where}: {error}", stacklevel=2)
            return
        raise RuntimeError(f"[RoundtripInstrument] Printer failed {where}: {error}") from error
    try:
        parsed = parser.parse(text, filename="<roundtrip>")
    except Exception as error:
        raise RuntimeError(f"[RoundtripInstrument] Parse failed {where}: {error}") from error
    try:
        assert_structural_equal(program, parsed)
    except ValueError as error:
        raise RuntimeError(f"[RoundtripInstrument] Structural equality failed {where}: {error}") from error

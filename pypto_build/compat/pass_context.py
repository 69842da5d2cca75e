# SPDX-License-Identifier: Apache-2.0
"""`PassContext`: in each thread a stack of settings and instruments around passes that are called by hand."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from pypto_build.compat.backend_state import current_hardware
from pypto_build.compat.pass_settings import (
    DiagnosticCheck,
    DiagnosticCheckSet,
    DiagnosticPhase,
    MemoryPlanner,
    RuntimeKind,
    VerificationLevel,
)
from pypto_build.ir import Program
from pypto_build.passes import PassContext as OwnContext

if TYPE_CHECKING:
    from pypto_build.compat.pass_objects import Pass


class _Entered(threading.local):
    """The contexts that this thread has entered, the innermost last."""

    def __init__(self) -> None:
        self.contexts: list[PassContext] = []


_entered = _Entered()


class PassInstrument:
    """Something that looks at the program around every pass."""

    def get_name(self) -> str:
        """Its name in messages."""
        return type(self).__name__

    def run_before_pass(self, pass_: Pass, program: Program) -> None:
        """Called before a pass."""

    def run_after_pass(self, pass_: Pass, program: Program) -> None:
        """Called after it."""


class PassContext:
    """What passes called inside `with` see, and what looks at them."""

    def __init__(  # noqa: PLR0917  # the public argument order
        self,
        instruments: Sequence[PassInstrument],
        verification_level: VerificationLevel = VerificationLevel.BASIC,
        diagnostic_phase: DiagnosticPhase = DiagnosticPhase.PRE_PIPELINE,
        disabled_diagnostics: DiagnosticCheckSet | None = None,
        memory_planner: MemoryPlanner = MemoryPlanner.PYPTO,
        enable_pypto_l0c_double_buffer: bool = False,
        runtime: RuntimeKind = RuntimeKind.TENSORMAP_AND_RINGBUFFER,
    ) -> None:
        self._instruments = list(instruments)
        self._verification_level = verification_level
        self._diagnostic_phase = diagnostic_phase
        default = DiagnosticCheckSet({DiagnosticCheck.UnusedControlFlowResult})
        self._disabled = default if disabled_diagnostics is None else disabled_diagnostics
        self._memory_planner = memory_planner
        self._double_buffer = enable_pypto_l0c_double_buffer
        self._runtime = runtime

    def __enter__(self) -> PassContext:
        _entered.contexts.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _entered.contexts.pop()

    @staticmethod
    def current() -> PassContext | None:
        """The innermost context."""
        return _entered.contexts[-1] if _entered.contexts else None

    def get_verification_level(self) -> VerificationLevel:
        """How much a pipeline verifies by itself."""
        return self._verification_level

    def get_diagnostic_phase(self) -> DiagnosticPhase:
        """When warnings are looked for."""
        return self._diagnostic_phase

    def get_disabled_diagnostics(self) -> DiagnosticCheckSet:
        """The checks that are left out."""
        return self._disabled

    def get_memory_planner(self) -> MemoryPlanner:
        """Who assigns addresses."""
        return self._memory_planner

    def get_runtime(self) -> RuntimeKind:
        """The task runtime."""
        return self._runtime

    def get_enable_pypto_l0c_double_buffer(self) -> bool:
        """Whether accumulators may be double-buffered."""
        return self._double_buffer

    def get_instruments(self) -> list[PassInstrument]:
        """What looks at the passes."""
        return list(self._instruments)


def own_context() -> OwnContext:
    """The settings in force, as our passes read them."""
    current = PassContext.current()
    if current is None:
        return OwnContext(hardware_description=current_hardware())
    return OwnContext(
        hardware_description=current_hardware(),
        planner=current.get_memory_planner().name.lower(),
        task_runtime=current.get_runtime().name.lower(),
        accumulator_double_buffer=current.get_enable_pypto_l0c_double_buffer(),
    )

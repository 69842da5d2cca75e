# SPDX-License-Identifier: Apache-2.0
"""The context of a pass: the only carrier of settings, and the sink of what a pass has to say.

A pass declares in `reads` which facts it looks at; looking at another one is our bug, because what a pass reads is part
of the key under which its result is stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from pypto_build.errors import Diagnostic, InternalError
from pypto_build.ops import OpRegistry, builtin_registry
from pypto_build.passes.hardware import ASCEND910B, HardwareDescription

FACTS = ("hardware", "memory_planner", "runtime", "double_buffer_accumulator")

PLANNERS = ("pypto", "dsa_rp", "ptoas")


class DiagnosticSink:
    """Collects warnings and hints of one run; write-only for a pass."""

    def __init__(self) -> None:
        self._collected: list[Diagnostic] = []

    def report(self, diagnostic: Diagnostic) -> None:
        """Add one."""
        self._collected.append(diagnostic)

    def take(self) -> tuple[Diagnostic, ...]:
        """All since the last call."""
        taken = tuple(self._collected)
        self._collected.clear()
        return taken


@dataclass(frozen=True, slots=True)
class PassContext:
    """What a pass may know besides the program.

    memory_planner is `pypto` (addresses are assigned here), `ptoas` (by the assembler) or `dsa_rp`;
    runtime names the task runtime. `allowed` is None for everything, else the facts that may be read.
    """

    hardware_description: HardwareDescription = ASCEND910B
    planner: str = "pypto"
    task_runtime: str = "tensormap_and_ringbuffer"
    accumulator_double_buffer: bool = False
    ops: OpRegistry = field(default_factory=builtin_registry)
    sink: DiagnosticSink = field(default_factory=DiagnosticSink)
    allowed: frozenset[str] | None = None

    @property
    def hardware(self) -> HardwareDescription:
        """The chip that is compiled for."""
        self._check("hardware")
        return self.hardware_description

    @property
    def memory_planner(self) -> str:
        """Who assigns addresses."""
        self._check("memory_planner")
        return self.planner

    @property
    def runtime(self) -> str:
        """The task runtime."""
        self._check("runtime")
        return self.task_runtime

    @property
    def double_buffer_accumulator(self) -> bool:
        """Whether accumulators may be double-buffered."""
        self._check("double_buffer_accumulator")
        return self.accumulator_double_buffer

    def report(self, diagnostic: Diagnostic) -> None:
        """Say something that does not stop the build."""
        self.sink.report(diagnostic)

    def restricted(self, reads: Iterable[str]) -> PassContext:
        """The same context, in which only the declared facts may be read."""
        return replace(self, allowed=frozenset(reads))

    def fact_key(self, name: str) -> str | bool:
        """What stands for a fact in a key."""
        value = getattr(self if self.allowed is None else replace(self, allowed=None), name)
        return value.key() if isinstance(value, HardwareDescription) else value

    def _check(self, fact: str) -> None:
        if self.allowed is not None and fact not in self.allowed:
            raise InternalError(f"a pass reads the context fact {fact!r} without declaring it in `reads`")

# SPDX-License-Identifier: Apache-2.0
"""The `functional` simulator: runs a program of any stage on arrays and says what it computes and what it moved.

Its options are here and NumPy is not, so that a pipeline which names the simulator can be read without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from pypto_build.errors import Span
from pypto_build.host.contracts import SimulationRequest, SimulationResult
from pypto_simulators.functional.errors import WRONG_VALUE, fail

_ADDRESSED: Final = {"auto": None, "yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class FunctionalSimulator:
    """NumPy semantics of every operation, with on-chip memory as bytes once tiles have memory."""

    name: ClassVar[str] = "functional"
    version: ClassVar[int] = 1

    addresses: str = "auto"
    """Whether offsets of on-chip memory are addresses: `yes`, `no`, or `auto` to see it from the program."""
    max_iterations: int = 10_000_000
    """How many loop iterations may run before the program is taken for an endless one."""

    def simulate(self, request: SimulationRequest) -> SimulationResult:
        """Run the entry function.

        Raises:
            UserError: an input is missing or does not fit, or the program does something that it must not.
        """
        from pypto_simulators.functional.running import run

        if self.addresses not in _ADDRESSED:
            raise fail(WRONG_VALUE, f"addresses is {self.addresses!r}, but must be auto, yes or no", Span.unknown())
        addressed = _ADDRESSED[self.addresses]
        return run(request, max_iterations=self.max_iterations, addressed=addressed)

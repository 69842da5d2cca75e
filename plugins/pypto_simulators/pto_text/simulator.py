# SPDX-License-Identifier: Apache-2.0
"""The `emitted` simulator: runs what was emitted rather than what was meant.

Its options are here and NumPy is not, so that a pipeline which names the simulator can be read without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pypto_build.errors import Span
from pypto_build.host.contracts import SimulationRequest, SimulationResult
from pypto_simulators.functional.errors import fail
from pypto_simulators.pto_text.errors import NO_TEXT


@dataclass(frozen=True, slots=True)
class EmittedSimulator:
    """An object's kernels run from their PTO assembly, tiles as bytes at their addresses; the rest from its IR."""

    name: ClassVar[str] = "emitted"
    version: ClassVar[int] = 1

    max_iterations: int = 10_000_000
    """How many loop iterations may run before the program is taken for an endless one."""

    def simulate(self, request: SimulationRequest) -> SimulationResult:
        """Run the entry function of an object.

        Raises:
            UserError: the request has no text of a kernel, the text cannot be read, an input is missing or does not
                fit, or the program does something that it must not.
        """
        from pypto_simulators.functional.running import run_on
        from pypto_simulators.pto_text.machine import TextMachine

        if not any(path.endswith(".pto") for path in request.members):
            message = "there is no PTO assembly to run: the emitted simulator runs objects that the target pto made"
            raise fail(NO_TEXT, message, Span.unknown(), help="run a program without an object with `functional`")
        return run_on(TextMachine(request, max_iterations=self.max_iterations), request)

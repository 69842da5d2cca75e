# SPDX-License-Identifier: Apache-2.0
"""What may look at the program between passes: observers that see it and cannot change it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pypto_build.ir import Program
from pypto_build.passes.contract import Pass


class Instrument(Protocol):
    """Called around every pass of an in-memory run."""

    def before_pass(self, pass_: Pass, program: Program) -> None:
        """Before a pass runs."""
        ...

    def after_pass(self, pass_: Pass, program: Program) -> None:
        """After it ran."""
        ...


@dataclass(frozen=True, slots=True)
class CallbackInstrument:
    """Calls two functions."""

    before: Callable[[Pass, Program], None] | None = None
    after: Callable[[Pass, Program], None] | None = None

    def before_pass(self, pass_: Pass, program: Program) -> None:
        """Before a pass runs."""
        if self.before is not None:
            self.before(pass_, program)

    def after_pass(self, pass_: Pass, program: Program) -> None:
        """After it ran."""
        if self.after is not None:
            self.after(pass_, program)

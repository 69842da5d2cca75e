# SPDX-License-Identifier: Apache-2.0
"""Where a run says what it does, while it does it; a driver with observers listens, and nobody else pays for it."""

from __future__ import annotations

from pypto_build.pipeline.step import Step
from pypto_build.store.key import Key


class Watch:
    """Tells nobody."""

    def looked_up(self, step_id: str, subject: str, key: Key, *, found: bool) -> None:
        """The result of a pass or target was looked for; `subject` is the function, or the unit of a target."""

    def pass_started(self, step: Step, function: str) -> None:
        """A pass is about to run; `function` is empty for one that sees the whole program."""

    def pass_finished(self, step: Step, function: str, *, changed: bool, seconds: float) -> None:
        """A pass ran."""


NOBODY = Watch()

# SPDX-License-Identifier: Apache-2.0
"""Which bodies between two passes go to the store: those that would cost more to make again than to keep."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.ir import Function
from pypto_build.pipeline.bodies import Bodies
from pypto_build.pipeline.outcome import FunctionFacts
from pypto_build.store.policy import keep_body

_USUAL_SIZE = 4_000  # bytes of a serialized function of which nothing is known yet: the median of the examples


class Keeping:
    """What making the bodies of a run again would cost, and the decision after each pass."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self._remake_ms: dict[str, float] = {}  # by digest: from the nearest body that is stored, or from the source
        self._sizes: dict[str, int] = {}  # by name: of the body that was kept last

    def passed(self, before: Iterable[FunctionFacts], after: Iterable[FunctionFacts], cost_ms: float) -> float:
        """Note that a pass made some functions of others; what making them again would cost, 0 if they are stored."""
        known = {facts.digest for facts in before}
        remake = sum(self._remake_ms.get(digest, 0.0) for digest in known) + cost_ms
        new = [facts.digest for facts in after if facts.digest not in known]
        if all(self._bodies.has(digest) for digest in new):
            remake = 0.0
        self._remake_ms.update(dict.fromkeys(new, remake))
        return remake

    def made(self, functions: Iterable[tuple[FunctionFacts, Function]], remake_ms: float) -> None:
        """Keep the bodies that a pass has just made, all or none of them, if that pays."""
        new = tuple(functions)
        size = sum(self._sizes.get(facts.name, _USUAL_SIZE) for facts, _ in new)
        if not new or not keep_body(remake_ms, body_size=size):
            return
        for facts, function in new:
            self._sizes[facts.name] = len(self._bodies.keep(facts.digest, function))
            self._remake_ms[facts.digest] = 0.0

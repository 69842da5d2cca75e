# SPDX-License-Identifier: Apache-2.0
"""What a pass may know of the functions that one function calls, and what stands for that in a key."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.passes.contract import Callee, Callees
from pypto_build.pipeline.state import States


class CalleeView:
    """The callees of one function: their key without loading anything, their signatures when the pass runs."""

    def __init__(self, names: tuple[str, ...], before: States, after: States, summaries: Mapping[str, object]) -> None:
        self._names = names
        self._before = before
        self._after = {name: after[name] for name in names if name in after}
        self._summaries = {name: summaries.get(name) for name in names}

    def key(self) -> dict[str, object]:
        """What decides the result of the caller."""
        return {
            name: (
                self._before[name].facts.signature_digest,
                self._after.get(name, self._before[name]).facts.signature_digest,
                self._summaries[name],
            )
            for name in self._names
        }

    def load(self) -> Callees:
        """The signatures themselves."""
        return Callees(
            {
                name: Callee(
                    self._before[name].signature(),
                    self._after.get(name, self._before[name]).signature(),
                    self._summaries[name],
                )
                for name in self._names
            }
        )


def told(component: tuple[str, ...], own: States, summaries: Mapping[str, object]) -> object:
    """What the functions of a component tell their callers."""
    return [(own[name].facts.signature_digest if name in own else None, summaries[name]) for name in component]

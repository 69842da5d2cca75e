# SPDX-License-Identifier: Apache-2.0
"""One function at one point of the pipeline: its facts always, its body only when somebody asks for it.

A body that is not at hand comes from the store, or from running the pass that made it again on the body before it.
"""

from __future__ import annotations

from collections.abc import Callable

from pypto_build.errors import InternalError
from pypto_build.ir import Function
from pypto_build.passes.contract import Signature
from pypto_build.pipeline.bodies import Bodies
from pypto_build.pipeline.outcome import FunctionFacts, signature_from_stub

Replay = Callable[[], tuple[Function, ...]]


class NondeterministicPassError(InternalError):
    """A pass gave another result for the same input than the one on record."""

    def __init__(self, pass_name: str, function: str) -> None:
        super().__init__(f"pass {pass_name} gave another result for {function!r} than last time on the same input")
        self.pass_name = pass_name
        self.function = function


class FunctionState:
    """A function after some pass; `node` is None until the body is needed."""

    __slots__ = ("_bodies", "_replay", "_signature", "_signature_source", "facts", "node")

    def __init__(
        self,
        facts: FunctionFacts,
        *,
        node: Function | None = None,
        bodies: Bodies | None = None,
        replay: Replay | None = None,
        signature_source: FunctionState | str | None = None,
    ) -> None:
        self.facts = facts
        self.node = node
        self._bodies = bodies
        self._replay = replay
        self._signature_source = signature_source
        self._signature: Signature | None = None

    @staticmethod
    def of(function: Function) -> FunctionState:
        """The state of a function at hand."""
        return FunctionState(FunctionFacts.of(function), node=function)

    def body(self) -> Function:
        """The function with its body."""
        if self.node is None:
            self.node = self._load() or self._made_again()
            self._replay = None
        return self.node

    def signature(self) -> Signature:
        """What callers may know; needs no body."""
        if self.node is not None:
            return Signature.of(self.node)
        if self._signature is None:
            source = self._signature_source
            if isinstance(source, FunctionState):
                return source.signature()
            self._signature = signature_from_stub(source) if source is not None else Signature.of(self.body())
        return self._signature

    def _load(self) -> Function | None:
        return self._bodies.load(self.facts.digest) if self._bodies is not None else None

    def _made_again(self) -> Function:
        if self._replay is None:
            raise InternalError(f"the body of {self.facts.name} can neither be loaded nor made again")
        made = next((f for f in self._replay() if f.name == self.facts.name), None)
        if made is None or FunctionFacts.of(made).digest != self.facts.digest:
            raise NondeterministicPassError("before this point", self.facts.name)
        return made


States = dict[str, FunctionState]

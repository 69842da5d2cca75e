# SPDX-License-Identifier: Apache-2.0
"""One run of a kernel: what its names stand for, and how its operations are carried out one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar, cast

from pypto_build.errors import Span
from pypto_simulators.functional.errors import WRONG_VALUE, fail
from pypto_simulators.functional.frame import Frame
from pypto_simulators.functional.memory import OnChipMemory
from pypto_simulators.functional.values import Block
from pypto_simulators.pto_text.buffers import Place, Tile
from pypto_simulators.pto_text.module import Operation, Region, Value
from pypto_simulators.pto_text.structure_forms import CONDITION, RETURN, YIELD

Executor = Callable[["Activation", Operation], None]
T = TypeVar("T")
_LEAVING: Final = (YIELD, CONDITION, RETURN)


class Activation:
    """The values of one run; `frame` is what the semantics of operations see of it, `span` where the run is.

    A value is a number, a Tile, a Place or Block of global memory, a list for an array on the core's stack.
    """

    def __init__(self, frame: Frame, memory: OnChipMemory, execute: Executor) -> None:
        self.frame = frame
        self.memory = memory
        self.span = Span.unknown()
        self._execute = execute
        self._values: dict[Value, Any] = {}

    def run(self, region: Region, arguments: Sequence[object] = ()) -> tuple[Any, ...]:
        """Carry out the operations of a region; the values that it ends with."""
        for name, value in zip(region.arguments, arguments, strict=True):
            self._values[name] = value
        for operation in region.operations:
            if operation.name in _LEAVING:
                return self.values(operation.operands)
            self.span = operation.span
            self._execute(self, operation)
        return ()

    def give(self, operation: Operation, *values: object) -> None:
        """The results of an operation, as far as they have names."""
        for name, value in zip(operation.results, values, strict=False):
            self._values[name] = value

    def value(self, name: Value) -> Any:
        """What a name stands for."""
        return self._values[name]

    def values(self, names: Sequence[Value]) -> tuple[Any, ...]:
        """What several names stand for."""
        return tuple(self._values[name] for name in names)

    def numbers(self, operation: Operation, name: str) -> tuple[int, ...]:
        """Operands that stand under a name, as integers; none when they are missing."""
        return tuple(int(self._values[value]) for value in operation.named.get(name, ()))

    def tile(self, name: Value) -> Tile:
        """What a name stands for, which must be a tile."""
        return self._checked(name, Tile, "tile")

    def place(self, name: Value) -> Place:
        """The same for a place in global memory."""
        return self._checked(name, Place, "pointer")

    def view(self, name: Value) -> Block:
        """The same for a view of global memory."""
        return self._checked(name, Block, "view of global memory")

    def array(self, name: Value) -> list[Any]:
        """The same for an array on the core's stack."""
        return cast("list[Any]", self._checked(name, list, "array"))

    def _checked(self, name: Value, kind: type[T], what: str) -> T:
        value = self._values[name]
        if not isinstance(value, kind):
            raise fail(WRONG_VALUE, f"{name.name} is no {what}, but {name.type}", self.span)
        return value

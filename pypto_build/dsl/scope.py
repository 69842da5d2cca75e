# SPDX-License-Identifier: Apache-2.0
"""The names of a function body: what they are bound to, which blocks they leave, and when assigning twice is wrong."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.errors import Span
from pypto_build.ir import Expr


@dataclass(frozen=True, slots=True)
class Binding:
    """What a name stands for; `assignable` is False for values that merely have a name, such as a dynamic dimension."""

    value: Expr
    span: Span
    assignable: bool = True


class Scope:
    """Nested blocks of names.

    A block that hands its results out with `pl.yield_` keeps its other names to itself; any other block leaks them, as
    Python does. With `strict` a name may be assigned once in a block.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict
        self._blocks: list[dict[str, Binding]] = [{}]

    def lookup(self, name: str) -> Binding | None:
        """The binding of a name in the innermost block that has one."""
        for block in reversed(self._blocks):
            found = block.get(name)
            if found is not None:
                return found
        return None

    def value(self, name: str) -> Expr | None:
        """The value of a name, or None."""
        found = self.lookup(name)
        return None if found is None else found.value

    def define(self, name: str, binding: Binding) -> None:
        """Bind a name in the current block."""
        self._blocks[-1][name] = binding

    def defined_here(self, name: str) -> Binding | None:
        """The binding of a name in the current block."""
        return self._blocks[-1].get(name)

    def only_here(self, name: str) -> bool:
        """Whether a name is bound in the current block and in none around it."""
        return name in self._blocks[-1] and not any(name in block for block in self._blocks[:-1])

    def enter(self) -> None:
        """Begin a block."""
        self._blocks.append({})

    def leave(self, *, leak: bool, private: tuple[str, ...] = ()) -> None:
        """End a block; `private` names never leak."""
        names = self._blocks.pop()
        if leak:
            for name, binding in names.items():
                if name not in private:
                    self._blocks[-1][name] = binding

    def current(self) -> dict[str, Binding]:
        """The names of the current block."""
        return dict(self._blocks[-1])

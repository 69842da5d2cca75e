# SPDX-License-Identifier: Apache-2.0
"""`pl.MemRef(...)`: an allocation that the author declares, or a byte range of one.

`pl.MemRef()` and `pl.MemRef("name")` declare, `slots=N` with a subscript picks one of N equal parts,
`pl.MemRef(base, byte_offset, size)` describes a range that exists; the two legacy forms start with a number or a space.
"""

from __future__ import annotations

from dataclasses import dataclass


class MemRef:
    """What was written; the reader of annotations makes the IR of it, one per function that refers to it."""

    __slots__ = ("arguments", "slots")

    def __init__(self, *arguments: object, slots: int = 1) -> None:
        """Keep the arguments.

        Raises:
            ValueError: fewer than one slot.
        """
        if slots < 1:
            raise ValueError(f"pl.MemRef needs at least one slot, got slots={slots}")
        self.arguments = arguments
        self.slots = slots

    @property
    def name(self) -> str | None:
        """The declared name; None for the name of the variable that it is bound to."""
        first = self.arguments[0] if len(self.arguments) == 1 else None
        return first if isinstance(first, str) else None

    @property
    def declares(self) -> bool:
        """Whether this declares an allocation (otherwise it describes a range of one)."""
        return len(self.arguments) < 2

    def __getitem__(self, index: object) -> MemRefSlot:
        return MemRefSlot(self, index)

    def __repr__(self) -> str:
        inside = [repr(argument) for argument in self.arguments]
        if self.slots > 1:
            inside.append(f"slots={self.slots}")
        return f"pl.MemRef({', '.join(inside)})"


@dataclass(frozen=True, slots=True)
class MemRefSlot:
    """One slot of a declared allocation."""

    memref: MemRef
    index: object

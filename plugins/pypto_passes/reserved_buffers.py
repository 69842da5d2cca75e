# SPDX-License-Identifier: Apache-2.0
"""The parts of a core's memory that `system.reserve_buffer` sets aside: tiles lie behind them."""

from __future__ import annotations

from dataclasses import dataclass, field

from pypto_build.errors import InternalError
from pypto_build.ir import Call, Function, FunctionType, MemorySpace, collect

AUTOMATIC = -1  # a reserved buffer without a base
RESERVE = "system.reserve_buffer"


@dataclass(slots=True)
class Reserved:
    """The buffers that a function sets aside: their bases by name, the space they are in and where that part ends."""

    space: MemorySpace
    end: int = 0
    bases: dict[str, int] = field(default_factory=dict)
    ranges: list[tuple[int, int]] = field(default_factory=list)

    @staticmethod
    def of(function: Function) -> Reserved:
        """In program order; a buffer without a base lies behind those before it."""
        cube = function.func_type is FunctionType.AIC
        reserved = Reserved(MemorySpace.Mat if cube else MemorySpace.Vec)
        for call in collect(function, Call):
            if call.op.name == RESERVE:
                reserved.add(call, function)
        return reserved

    def add(self, call: Call, function: Function) -> None:
        """Set one buffer aside; InternalError when it overlaps another."""
        name, size = str(call.kwargs["name"]), _number(call.kwargs["size"])
        base = _number(call.kwargs.get("base", AUTOMATIC))
        if base == AUTOMATIC:
            base = self.end
        if any(base < end and start < base + size for start, end in self.ranges):
            text = f"function '{function.name}' has overlapping reserve_buffer ranges: '{name}' at {base}, {size} bytes"
            raise InternalError(text, call.span)
        self.ranges.append((base, base + size))
        self.bases[name] = base
        self.end = max(self.end, aligned(base + size, 32))

    def note(self, space: MemorySpace, function: Function) -> str:
        """What to know about reserved bytes when this space overflows."""
        if not self.ranges or space is not self.space:
            return ""
        text = (
            f"\nThe first {self.end} bytes of that space are reserved by system.reserve_buffer, so tiles are placed "
            "above them"
        )
        if _ring_name(function) not in self.bases:
            return text
        return (
            f"{text} - this is the cross-core pipe ring. Lower its depth with "
            "optimizations=[pl.cross_core_slot(slot_num=N)] on the enclosing pl.at(...), or make the tile that crosses "
            "the cores smaller"
        )


def _ring_name(function: Function) -> str:
    """The name that the compiler gives the ring of a kernel half."""
    cube = function.func_type is FunctionType.AIC
    suffix, ring = ("_aic", "_v2c_slot_buffer") if cube else ("_aiv", "_c2v_slot_buffer")
    return function.name.removesuffix(suffix) + ring


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise InternalError(f"a reserved buffer with {value!r}")
    return value


def aligned(value: int, to: int) -> int:
    """The next multiple."""
    return -(-value // to) * to

# SPDX-License-Identifier: Apache-2.0
"""How an orchestration loop carries its values: what ClassifyIterArgCarry writes and code generation reads.

A trivial carry is another name for the buffer it began with; a rebinding one needs a variable of its own. Readers use
these functions, never the attributes' names. Source: CIC-4, CIC-24, CIC-33.
"""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.ir import ForStmt, FrozenMap, as_int

_REBIND = "iter_arg_rebind_"
_SIZE = "iter_arg_array_size_"


def is_classified(loop: ForStmt, slot: int) -> bool:
    """Whether the plan says anything about a slot."""
    return f"{_REBIND}{slot}" in loop.attrs


def is_rebind(loop: ForStmt, slot: int) -> bool:
    """Whether a slot needs a carry variable of its own."""
    return bool(loop.attrs.get(f"{_REBIND}{slot}", False))


def array_size(loop: ForStmt, slot: int) -> int:
    """The extent of a slot's fence array of task ids; 0 for any other carry."""
    size = loop.attrs.get(f"{_SIZE}{slot}", 0)
    return size if isinstance(size, int) else 0


def with_plan(loop: ForStmt, plan: Mapping[int, tuple[bool, int]]) -> Mapping[str, object]:
    """The loop's attributes with (rebind, array size) per slot in place of what stood there."""
    attrs = {k: v for k, v in loop.attrs.items() if not k.startswith((_REBIND, _SIZE))}
    for slot, (rebind, size) in plan.items():
        attrs[f"{_REBIND}{slot}"] = rebind
        if size > 0:
            attrs[f"{_SIZE}{slot}"] = size
    return loop.attrs if attrs == dict(loop.attrs) else FrozenMap(attrs)


def constant_trip_count(loop: ForStmt) -> int | None:
    """How often a loop with constant bounds runs, upwards or downwards; None when a bound is not constant."""
    start, stop, step = as_int(loop.start), as_int(loop.stop), as_int(loop.step)
    if start is None or stop is None or not step:
        return None
    return max(0, -((start - stop) // step))

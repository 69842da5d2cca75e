# SPDX-License-Identifier: Apache-2.0
"""TileInnermostDimGranularity (PH001): a hint about transfers of global memory in rows shorter than the chip likes.

Each row is a transfer of its own on the bus. Only what actually moves counts, which is the valid part of a tile; and
only loads and stores, whatever memory the tile is in: moves between memories of a core do not touch the bus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, Expr, Function, MemorySpace, TileType, as_int, collect
from pypto_build.passes import Check, Finding, HardwareDescription, PassContext, Phase, Severity

_TRANSFERS = ("tile.load", "tile.store")


@dataclass(frozen=True, slots=True)
class _Transfer:
    """What one load or store moves; counts in elements, sizes in bytes, rows 0 where an extent is not a number."""

    op: str
    span: Span
    dtype: str
    space: str
    innermost: int
    innermost_bytes: int
    rows: int = 0
    row_bytes: int = 0


def find_short_rows(function: Function, context: PassContext) -> Iterable[Finding]:
    """Each load and store of short rows, and how much it moves; alike ones of one place together."""
    chip = context.hardware
    alike: Counter[_Transfer] = Counter()
    for number, call in enumerate(collect(function.body, Call)):
        transfer = _transfer(call) if call.op.name in _TRANSFERS else None
        if transfer is not None and transfer.innermost_bytes < chip.innermost_bytes:
            nowhere = Span("", -number, -number)  # transfers without a place stay apart
            alike[transfer if transfer.span.is_valid() else replace(transfer, span=nowhere)] += 1
    for transfer, count in alike.items():
        place = transfer.span if transfer.span.is_valid() else UNKNOWN_SPAN
        yield Finding(_sentence(transfer, count, chip), place, "make the tile wider on its innermost axis")


def _transfer(call: Call) -> _Transfer | None:
    """None where the innermost extent is not a number."""
    tile = call.type if call.op.name == "tile.load" else call.args[0].type
    if not isinstance(tile, TileType) or not tile.shape:
        return None
    innermost = as_int(tile.shape[-1])
    if innermost is None:
        return None
    bits, space = tile.dtype.get_bit(), (tile.memory_space or MemorySpace.Vec).name
    found = _Transfer(call.op.name, call.span, str(tile.dtype), space, innermost, _bytes(innermost, bits))
    valid = _numbers(tile.effective_tile_view().valid_shape)
    if valid is None:
        return found
    rows = 1
    for extent in valid[:-1]:
        rows *= extent
    return replace(found, rows=rows, row_bytes=_bytes(valid[-1], bits))


def _numbers(extents: Iterable[Expr]) -> list[int] | None:
    found = [as_int(extent) for extent in extents]
    known = [extent for extent in found if extent is not None]
    return known if len(known) == len(found) else None


def _bytes(count: int, bits: int) -> int:
    return (count * bits + 7) // 8


def _sentence(transfer: _Transfer, count: int, chip: HardwareDescription) -> str:
    tile = f"tile {transfer.dtype}[{transfer.innermost}], target_memory={transfer.space}"
    text = f"{transfer.op} has innermost dim = {transfer.innermost_bytes}B ({tile})"
    if transfer.rows:
        total = transfer.rows * transfer.row_bytes
        text += f"; moves {total}B as {transfer.rows} x {transfer.row_bytes}B rows"
    text += f"; recommended >= {chip.innermost_bytes}B for {chip.arch} (L2 cache line = {chip.cache_line_bytes}B)"
    return text if count == 1 else f"{text}; {count} times at this place"


PH001 = Check(
    "TileInnermostDimGranularity",
    Phase.POST_PIPELINE,
    find_short_rows,
    severity=Severity.PERF_HINT,
    code="PH001",
    reads=("hardware",),
)

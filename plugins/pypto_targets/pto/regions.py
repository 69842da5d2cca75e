# SPDX-License-Identifier: Apache-2.0
"""Declared allocations of several slots, where the assembler places tiles: one region, and a slot taken per use.

The assembler keeps the slots of a region apart and synchronizes each on its own. What it cannot describe is refused,
because separate buffers would let it put the slots on top of each other. Source: the public description of the planner.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from pypto_build.analysis.lifetimes import Interval, Lifetimes
from pypto_build.analysis.statement_walk import statement_vars
from pypto_build.errors import UserError
from pypto_build.ir import (
    Call,
    ForStmt,
    Function,
    IfStmt,
    MemorySpace,
    MemRef,
    TileType,
    Var,
    WhileStmt,
    as_int,
    collect,
)
from pypto_targets.pto.handles import tile_type
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.text import Value
from pypto_targets.pto.types import rows_and_columns, tile_buffer

_COUNTS: Final = range(2, 17)  # of slots
_SPACES: Final = (MemorySpace.Vec, MemorySpace.Mat, MemorySpace.Acc)


def declare_regions(kernel: Kernel) -> None:
    """Declare the regions of a kernel in its head, and hand out their slots from now on.

    Raises:
        UserError: an allocation is used in a way that the assembler has no words for.
    """
    if kernel.handles.addressed:
        return
    bound = _bound(kernel.function)
    regions: dict[Var, Value] = {}
    for base, tiles in bound.items():
        _check(kernel.function, base, tiles)
        regions[base] = _declared(kernel, base, tile_type(tiles[0]), _reference(tiles[0]).slot_count)

    def slot(var: Var, ref: MemRef) -> Value:
        return _taken(kernel, regions[ref.base], var, ref)

    kernel.handles.slot = slot


def _bound(function: Function) -> dict[Var, list[Var]]:
    """The tiles of each allocation with slots."""
    bound: dict[Var, list[Var]] = {}
    for var in statement_vars(function):
        kind = var.type
        if isinstance(kind, TileType) and kind.memref is not None and kind.memref.slot_count > 1:
            bound.setdefault(kind.memref.base, []).append(var)
    return bound


def _reference(tile: Var) -> MemRef:
    ref = tile_type(tile).memref
    assert ref is not None
    return ref


def _declared(kernel: Kernel, base: Var, kind: TileType, count: int) -> Value:
    row, column = rows_and_columns(kind.effective_tile_view().valid_shape)
    high = kernel.text.integer(1, "index") if row is None else kernel.index(row)
    region = f"!pto.multi_tile_buf<{tile_buffer(kind)}, count={count}>"
    text = f"pto.alloc_multi_tile valid_row = {high.name} valid_col = {kernel.index(column).name} : {region}"
    return kernel.text.define(text, region, f"{base.name_hint}_mb")


def _taken(kernel: Kernel, region: Value, var: Var, ref: MemRef) -> Value:
    """A slot by its number, from which the assembler sees which accesses cannot meet."""
    assert ref.slot_index is not None
    number, kind = kernel.index(ref.slot_index), tile_buffer(tile_type(var))
    text = f"pto.multi_tile_get {region.name}[{number.name}] : {region.type} -> {kind}"
    return kernel.text.define(text, kind, var.name_hint)


# -- what the assembler has no words for -------------------------------------------------------------------------------


def _check(function: Function, base: Var, tiles: list[Var]) -> None:
    for reason in (*_shape_problems(tiles), *_flow_problems(function, tiles)):
        raise UserError(
            "PTO015",
            f"the allocation '{base.name_hint}' cannot become a region of the assembler: {reason}",
            tiles[0].span,
            help="use the memory planner 'pypto', which places the slots itself",
        )


def _shape_problems(tiles: list[Var]) -> Iterator[str]:
    kinds, count = [tile_type(tile) for tile in tiles], _reference(tiles[0]).slot_count
    if count not in _COUNTS:
        yield f"it has {count} slots, and a region has {_COUNTS[0]} to {_COUNTS[-1]}"
    if any(_reference(tile).slot_index is None for tile in tiles):
        yield "one of its tiles binds it without selecting a slot"
    if len({tile_buffer(kind) for kind in kinds}) > 1:
        yield "its slots hold differently shaped tiles"
    if kinds[0].memory_space not in _SPACES:
        yield f"there are no regions in {kinds[0].memory_space}"
    extents = {tuple(map(as_int, kind.effective_tile_view().valid_shape)) for kind in kinds}
    if any(None in valid for valid in extents):
        yield "its slots have a runtime valid shape, which is not known where the region is declared"
    elif len(extents) > 1:
        yield "its slots have different valid shapes"


def _flow_problems(function: Function, tiles: list[Var]) -> Iterator[str]:
    merged = {var for stmt in collect(function, ForStmt, WhileStmt, IfStmt) for var in stmt.return_vars}
    if any(tile in merged for tile in tiles):
        yield "one of its slots is handed out of a branch or loop"
    lifetimes = Lifetimes(function, held=_nothing)
    alive = sorted(interval for tile in tiles for interval in lifetimes.intervals(tile))
    for loop in collect(function, ForStmt, WhileStmt):
        inside = [one for one in alive if lifetimes.blocks[loop][0].covers(one)]
        if any(_meet(first, second) for first, second in pairwise(inside)):
            yield "two of its slots are live at once inside a loop, which the assembler does not synchronize"


def _nothing(call: Call) -> tuple[int, ...]:
    """No argument is read after the result of its call is written."""
    del call
    return ()


def _meet(first: Interval, second: Interval) -> bool:
    return second[0] <= first[1]

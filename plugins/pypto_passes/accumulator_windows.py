# SPDX-License-Identifier: Apache-2.0
"""Windows of accumulators that products are added to: those that the hardware cannot address are refused.

An accumulator is stored in boxes of 16 x 16, one column of boxes after the other. A product is written without gaps,
so a window is right only if it has all rows of the accumulator, or lies within one column of boxes.
"""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.analysis.tile_spaces import definition_of
from pypto_build.errors import UserError
from pypto_build.ir import Call, Function, MemorySpace, TileType, Var, as_int, collect, implicit_tile_view
from pypto_build.ops import OpRegistry
from pypto_passes.tile_windows import Window

_BOX = 16


def check_accumulator_windows(function: Function, windows: Mapping[Var, Window], ops: OpRegistry) -> None:
    """UserError for a product that is added to a window of an accumulator with gaps in it, as far as that is known."""
    for call in collect(function.body, Call):
        definition = definition_of(call, ops)
        target = None if definition is None or definition.reuses_input is None else call.args[definition.reuses_input]
        window = windows.get(target) if isinstance(target, Var) else None
        if window is not None and window.space is MemorySpace.Acc and _has_gaps(window):
            raise _gaps(call, window)


def _has_gaps(window: Window) -> bool:
    kind = window.base.type
    assert isinstance(kind, TileType)
    view, boxed = kind.effective_tile_view(), implicit_tile_view(kind.shape, MemorySpace.Acc)
    rows, columns = window.shape
    if (view.blayout, view.slayout) != (boxed.blayout, boxed.slayout) or None in (rows, columns, window.base_shape[0]):
        return False
    if rows == window.base_shape[0]:
        return False
    at = as_int(window.column)
    return (columns or 0) > _BOX or (at is not None and at // _BOX != (at + (columns or 0) - 1) // _BOX)


def _gaps(call: Call, window: Window) -> UserError:
    (rows, columns), (all_rows, all_columns) = window.shape, window.base_shape
    text = (
        f"{call.op.name} adds to a window [{rows}, {columns}] of an accumulator [{all_rows}, {all_columns}] that is "
        "not contiguous in L0C's block layout. Put the accumulators side by side, as [rows, columns * count], and cut "
        "columns out of them"
    )
    return UserError("SLICE001", text, call.span)

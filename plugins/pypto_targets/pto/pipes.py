# SPDX-License-Identifier: Apache-2.0
"""Pipes between a cube core and its vector cores: set-up, pushes, pops, and slots that go back.

A slot always holds a whole box, because the consumer reads it at the pitch at which it was written: a tile of which
only a part is valid is widened for the transport and narrowed again on both sides.
Source: the public description of transports between cores.
"""

from __future__ import annotations

import re
from typing import Final

from pypto_build.analysis.pipe_workspace import is_workspace, pipe_calls, pipe_id, pipe_offsets
from pypto_build.errors import InternalError, UserError
from pypto_build.ir import Call, DataType, Expr, FunctionType, ScalarType, TileType, Var, as_int
from pypto_targets.pto.handles import tile_type
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.operations import Handler, integer_kwarg, tile_of
from pypto_targets.pto.text import Value
from pypto_targets.pto.types import tile_buffer

_ELEMENT_BYTES = 4  # the workspace is declared as FP32
_PIPE: Final = ("id", "dir_mask", "slot_size", "slot_num", "local_slot_num")
_NO_SPLIT = 0
_ROW_SPLITS, _COLUMN_SPLITS = (1, 3), (2, 4)  # even and odd extents
_PLAIN_NAME = re.compile(r"\w+\Z", re.ASCII)


def reserve(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`system.reserve_buffer(name, size[, base])`: at its base, or where the assembler wants it."""
    where = "mat" if kernel.function.func_type is FunctionType.AIC else "vec"
    base = call.kwargs.get("base")
    placed = kernel.handles.addressed and isinstance(base, int) and base >= 0
    place = f"auto = false, base = {base}" if placed else "auto = true"
    size = integer_kwarg(call, "size")
    attributes = f'name = "{_name(call, "name")}", size = {size}, location = #pto.address_space<{where}>, {place}'
    kernel.bind(var, f"pto.reserve_buffer {{{attributes}}} -> i32", "i32")


def import_peer(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`system.import_peer_buffer(name, peer_func)`: what the other core reserved."""
    attributes = f'name = "{_name(call, "name")}", peer_func = @{_name(call, "peer_func")}'
    kernel.bind(var, f"pto.import_reserved_buffer {{{attributes}}} -> i32", "i32")


def _name(call: Call, key: str) -> str:
    name = str(call.kwargs.get(key))
    if not _PLAIN_NAME.match(name):
        text = f"{key} of {call.op.name} may only have letters, digits and underscores, but is {name!r}"
        raise UserError("PTO010", text, call.span)
    return name


def initialize(side: str) -> Handler:
    """`system.aic_initialize_pipe`, `system.aiv_initialize_pipe`."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        del var
        given = (
            (name, call.kwargs.get(name)) for name in ("id", "dir_mask", "slot_size", "slot_num", "local_slot_num")
        )
        attributes = ", ".join(f"{name} = {number}" for name, number in given if number is not None)
        head = f"pto.{side}_initialize_pipe {{{attributes}}}"
        parts = [("c2v_consumer_buf", call.args[0]), ("v2c_consumer_buf", call.args[1])]
        buffers = [(name, kernel.integer(arg, DataType.INT32)) for name, arg in parts]
        workspace = _workspace(kernel, call)
        if workspace is not None:
            buffers.insert(0, ("gm_slot_buffer", workspace))
        operands = ", ".join(f"{name} = {value.name} : {value.type}" for name, value in buffers)
        if workspace is None:
            kernel.text.emit(f"{head} ({operands})")
            return
        kernel.text.emit(head, place=False)
        kernel.text.emit(f"    ({operands})")

    return handler


def _workspace(kernel: Kernel, call: Call) -> Value | None:
    """The part of the workspace in global memory that belongs to a pipe, where pipes need one."""
    params = (param for param in kernel.function.params if is_workspace(param))
    param = next(params, None)
    if param is None or not kernel.context.hardware.pipe_through_global_memory:
        return None
    pointer = kernel.values[param]
    start = pipe_offsets(pipe_calls(kernel.function))[pipe_id(call)]
    if not start:
        return pointer
    offset = kernel.text.integer(start // _ELEMENT_BYTES, "index")
    text = f"pto.addptr {pointer.name}, {offset.name} : {pointer.type} -> {pointer.type}"
    return kernel.text.define(text, pointer.type)


def push(side: str) -> Handler:
    """`tile.tpush_to_aiv(tile)`, `tile.tpush_to_aic(tile)`."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        del var
        tile, kind = kernel.value(call.args[0]), tile_of(call, 0)
        logical = kind.effective_tile_view().valid_shape
        transported = _pushed_extents(kernel, call, side)
        if transported is not None:
            if tile.name in kernel.handles.views:
                text = "a window of which only a part is valid cannot be pushed: it has no extents to widen"
                raise UserError("PTO011", text, call.span, help="copy the window with pl.tile.extract before the push")
            kernel.handles.narrow(tile, transported)
        kernel.text.emit(f"pto.tpush_to_{side}({tile.name} : {tile.type}) {_attributes(call)}")
        if transported is not None:
            kernel.handles.narrow(tile, logical)

    return handler


def _pushed_extents(kernel: Kernel, call: Call, side: str) -> tuple[Expr, ...] | None:
    """The extents of a tile while it is pushed, or None when they need no change."""
    kind, split = tile_of(call, 0), integer_kwarg(call, "split")
    valid = kind.effective_tile_view().valid_shape
    numbers = tuple(map(as_int, valid))
    if numbers == tuple(map(as_int, kind.shape)) or 0 in numbers:
        return None
    if split != _NO_SPLIT:
        return kind.shape
    if side == "aiv":
        return None if None in numbers else kind.shape
    if kernel.function.attrs.get("dual_aiv_dispatch"):  # the second lane replays the push with no rows
        return valid[0], kind.shape[1]
    return None


def pop(side: str) -> Handler:
    """`tile.tpop_from_aic()`, `tile.tpop_from_aiv()`: the tile stays in its slot."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        if var is None:
            raise InternalError(f"the result of {call.op.name} is not bound to a variable", call.span)
        kind = tile_type(var)
        valid = kind.effective_tile_view().valid_shape
        wide = _popped_extents(kind, integer_kwarg(call, "split"), side)
        hint = var.name_hint if wide is None else "tpop_transport"
        value = _popped(kernel, call, kind, extents=wide or valid, hint=hint)
        kernel.popped[var] = call
        kernel.values[var] = value if wide is None else kernel.handles.retype(value, kind, "tpop_logical")

    return handler


def _popped(kernel: Kernel, call: Call, kind: TileType, *, extents: tuple[Expr, ...], hint: str) -> Value:
    """Extents are operands unless the whole box is valid, which the type says."""
    whole = tuple(map(as_int, extents)) == tuple(map(as_int, kind.shape))
    stated = extents != kind.effective_tile_view().valid_shape or not whole
    operands = f"({', '.join(_extent(kernel, extent).name for extent in extents)})" if stated else ""
    made = tile_buffer(kind, static_valid=not stated)
    name = call.op.name.removeprefix("tile.")
    return kernel.text.define(f"pto.{name}{operands} {_attributes(call)} -> {made}", made, hint)


def _popped_extents(kind: TileType, split: int, side: str) -> tuple[Expr, ...] | None:
    """The extents of the transport from a cube core, or None when they are those of the tile.

    Along the axis of a split they stay those of the lane: they say where the second lane's part begins.
    """
    valid = kind.effective_tile_view().valid_shape
    numbers = tuple(map(as_int, valid))
    if side != "aic" or None in numbers or 0 in numbers:
        return None
    row = valid[0] if split in _ROW_SPLITS else kind.shape[0]
    column = valid[1] if split in _COLUMN_SPLITS else kind.shape[1]
    return None if (as_int(row), as_int(column)) == numbers else (row, column)


def _extent(kernel: Kernel, extent: Expr) -> Value:
    kind = extent.type
    if isinstance(kind, ScalarType) and kind.dtype is DataType.BOOL:
        text = "tpop valid_shape operand must be integer or index type, got i1"
        raise UserError("PTO012", text, extent.span)
    return kernel.index(extent)


def free(side: str) -> Handler:
    """`system.tfree_to_aic(tile)`, `system.tfree_to_aiv(tile)`: the slot of a popped tile goes back."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        del var
        popped = _popped_by(kernel, call, side)
        attributes = _attributes(call, popped)
        kernel.text.emit(f"pto.tfree_from_{side} {attributes}")

    return handler


def _popped_by(kernel: Kernel, call: Call, side: str) -> Call:
    tile = call.args[0]
    popped = kernel.popped.get(tile) if isinstance(tile, Var) else None
    wanted = f"tile.tpop_from_{side}"
    if popped is None or popped.op.name != wanted:
        found = popped.op.name if popped is not None else str(tile)
        text = f"{call.op.name} requires its tile argument to come from {wanted}, got {found}"
        raise UserError("PTO013", text, call.span)
    own = call.kwargs.get("id")
    if own is not None and own != pipe_id(popped):
        text = f"{call.op.name} pipe id {own} does not match originating {wanted} pipe id {pipe_id(popped)}"
        raise UserError("PTO013", text, call.span)
    return popped


def _attributes(call: Call, origin: Call | None = None) -> str:
    """`{[id = I, ]split = N}`; what a call leaves open is that of the call it belongs to."""
    number = call.kwargs.get("id")
    split = call.kwargs.get("split")
    if origin is not None:
        number = origin.kwargs.get("id") if number is None else number
        split = origin.kwargs.get("split") if split is None else split
    prefix = "" if number is None else f"id = {number}, "
    return f"{{{prefix}split = {split or 0}}}"


HANDLERS: dict[str, Handler] = {
    "system.reserve_buffer": reserve,
    "system.import_peer_buffer": import_peer,
    "system.aic_initialize_pipe": initialize("aic"),
    "system.aiv_initialize_pipe": initialize("aiv"),
    "tile.tpush_to_aiv": push("aiv"),
    "tile.tpush_to_aic": push("aic"),
    "tile.tpop_from_aic": pop("aic"),
    "tile.tpop_from_aiv": pop("aiv"),
    "system.tfree_to_aic": free("aic"),
    "system.tfree_to_aiv": free("aiv"),
}

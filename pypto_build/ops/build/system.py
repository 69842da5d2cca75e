# SPDX-License-Identifier: Apache-2.0
"""Builders of barriers, fences, flags and task ids, and of what the two kinds of core agree on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr, MakeTuple, PipeType, ScalarType, ShapedType, as_expr, as_int
from pypto_build.ir.node import frozen_map
from pypto_build.ops.build.normal import Indices, call, operand
from pypto_build.ops.build.normal import indices as extents
from pypto_build.ops.build.tile.core import tpop_from_aic, tpop_from_aiv, tpush_to_aic, tpush_to_aiv
from pypto_build.ops.builtin import builtin_registry
from pypto_build.ops.families.system import SYNCALL_CORE_TYPES, SYNCALL_MODES

__all__ = [
    "AUTO",
    "aic_initialize_pipe",
    "aiv_initialize_pipe",
    "available_aiv_count",
    "available_cluster_count",
    "bar_all",
    "bar_m",
    "bar_v",
    "cacheinvalid",
    "fence",
    "import_peer_buffer",
    "reserve_buffer",
    "set_ffts",
    "sync_dst",
    "sync_set",
    "sync_src",
    "sync_wait",
    "syncall",
    "syncall_soft",
    "task_dummy",
    "task_invalid",
    "task_is_valid",
    "tfree_to_aic",
    "tfree_to_aiv",
    "tpop_from_aic",
    "tpop_from_aiv",
    "tpush_to_aic",
    "tpush_to_aiv",
]

AUTO = -1
_INT32_MAX = 2**31 - 1
Index = Expr | int


class Plain(Protocol):
    """A function without arguments."""

    def __call__(self, *, span: Span = UNKNOWN_SPAN) -> Call: ...


def _plain(name: str) -> Plain:
    def build(*, span: Span = UNKNOWN_SPAN) -> Call:
        return call(f"system.{name}", (), None, span)

    return build


bar_all = _plain("bar_all")
bar_m = _plain("bar_m")
bar_v = _plain("bar_v")
fence = _plain("fence")
task_invalid = _plain("task_invalid")
available_aiv_count = _plain("available_aiv_count")
available_cluster_count = _plain("available_cluster_count")


def task_dummy(*, deps: Sequence[Expr], span: Span = UNKNOWN_SPAN) -> Call:
    """A task that does nothing but wait for others."""
    if not isinstance(deps, Sequence):  # type: ignore[unnecessary-isinstance]  # users' input
        raise TypeError(f"system.task_dummy deps must be a list of task ids, got {type(deps).__name__}")
    attrs = frozen_map({"manual_dep_edges": tuple(deps)} if deps else None)
    return builtin_registry().create_call("system.task_dummy", (), None, span, attrs)


def task_is_valid(task_id: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """Whether a handle names a task."""
    return call("system.task_is_valid", (task_id,), None, span)


def sync_src(*, set_pipe: PipeType | int, wait_pipe: PipeType | int, event_id: int, span: Span = UNKNOWN_SPAN) -> Call:
    """Set a flag from one pipe to another."""
    kwargs = {"set_pipe": set_pipe, "wait_pipe": wait_pipe, "event_id": event_id}
    return call("system.sync_src", (), kwargs, span)


def sync_dst(*, set_pipe: PipeType | int, wait_pipe: PipeType | int, event_id: int, span: Span = UNKNOWN_SPAN) -> Call:
    """Wait for a flag from another pipe."""
    kwargs = {"set_pipe": set_pipe, "wait_pipe": wait_pipe, "event_id": event_id}
    return call("system.sync_dst", (), kwargs, span)


def sync_set(
    event_id: Index,
    *,
    pipe: PipeType | int,
    ffts_mode: int | None = None,
    core_type: str | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Tell the other core of an event."""
    dynamic, number = _event(event_id)
    kwargs = {"pipe": pipe, "event_id": number, "ffts_mode": ffts_mode, "core_type": core_type}
    return call("system.sync_set", dynamic, kwargs, span)


def sync_wait(
    event_id: Index, *, pipe: PipeType | int, core_type: str | None = None, span: Span = UNKNOWN_SPAN
) -> Call:
    """Wait for an event of the other core."""
    dynamic, number = _event(event_id)
    kwargs = {"pipe": pipe, "event_id": number, "core_type": core_type}
    return call("system.sync_wait", dynamic, kwargs, span)


def _event(event_id: Index) -> tuple[tuple[Expr, ...], int | None]:
    number = as_int(event_id) if isinstance(event_id, Expr) else event_id
    return ((cast("Expr", event_id),), None) if number is None else ((), number)


def set_ffts(workspace: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """Where the event unit keeps its state."""
    return call("system.set_ffts", (workspace,), None, span)


def cacheinvalid(
    tensor: Expr | None = None,
    shapes: Indices | None = None,
    offsets: Indices | None = None,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """Drop the cache line of a region's first element; without arguments everything cached of global memory.

    Raises:
        ValueError: shapes or offsets without a tensor or of another rank than it, or a tensor without them.
        TypeError: extents or offsets that are no integers.
    """
    if tensor is None:
        if shapes is not None or offsets is not None:
            raise ValueError("system.cacheinvalid: the whole-GM form takes no shapes/offsets")
        return call("system.cacheinvalid", (), None, span)
    if shapes is None or offsets is None:
        raise ValueError("system.cacheinvalid of a tensor requires shapes and offsets")
    region = tuple(_coordinates(tensor, values, what) for values, what in ((shapes, "shapes"), (offsets, "offsets")))
    return call("system.cacheinvalid", (tensor, *region), None, span)


def _coordinates(tensor: Expr, values: Indices, what: str) -> Expr:
    made = extents(values)
    elements = made.elements if isinstance(made, MakeTuple) else ()
    for element in elements:
        kind = element.type
        if not (isinstance(kind, ScalarType) and kind.dtype.is_int()):
            raise TypeError(f"system.cacheinvalid {what} must be integers")
    kind = operand(tensor).type
    rank = len(kind.shape) if isinstance(kind, ShapedType) else len(elements)
    if len(elements) != rank:
        raise ValueError(f"system.cacheinvalid {what} must match tensor rank {rank}, got {len(elements)}")
    return made


def syncall(
    *,
    core_type: str = "mix",
    mode: str = "hard",
    gm_workspace: Expr | None = None,
    used_cores: Index | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """A barrier of all cores of a kind: by hardware, or by counting in a workspace.

    Raises:
        ValueError: a mode or core type that does not exist, or soft mode without a workspace or a count of cores.
    """
    if mode not in SYNCALL_MODES:
        raise ValueError(f"system.syncall mode must be one of {SYNCALL_MODES}, got {mode!r}")
    if core_type not in SYNCALL_CORE_TYPES:
        raise ValueError(f"system.syncall core_type must be one of {SYNCALL_CORE_TYPES}, got {core_type!r}")
    if mode == "hard":
        if gm_workspace is not None or used_cores is not None:
            raise ValueError("system.syncall takes gm_workspace and used_cores only with mode='soft'")
        return call("system.syncall", (), {"core_type": core_type}, span)
    if gm_workspace is None:
        raise ValueError("system.syncall with mode='soft' requires a gm_workspace")
    if used_cores is None:
        raise ValueError("system.syncall with mode='soft' requires an explicit used_cores: a count, or 0 for all cores")
    return syncall_soft(core_type, gm_workspace, used_cores=used_cores, span=span)


def syncall_soft(
    core_type: str, gm_workspace: Expr, used_cores: Index | None = None, *, span: Span = UNKNOWN_SPAN
) -> Call:
    """The barrier that counts in a workspace; a count of 0 stands for all cores of the launch.

    Raises:
        ValueError: a count that is no INT32.
    """
    number = as_int(used_cores) if isinstance(used_cores, Expr) else used_cores
    if number is not None and not 0 <= number <= _INT32_MAX:
        raise ValueError(f"system.syncall used_cores must be in the INT32 range [0, {_INT32_MAX}], got {number}")
    counted = () if used_cores is None or number == 0 else (_int32(used_cores, span),)
    return call("system.syncall", (gm_workspace, *counted), {"core_type": core_type, "mode": "soft"}, span)


def aic_initialize_pipe(
    c2v_consumer_buf: Index = 0,
    v2c_consumer_buf: Index = 0,
    *,
    dir_mask: int,
    slot_size: int,
    slot_num: int | None = None,
    local_slot_num: int | None = None,
    id: int | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """The cube side of a pipe between the cores; a buffer of a direction that is not used is 0."""
    buffers = (_int32(c2v_consumer_buf, span), _int32(v2c_consumer_buf, span))
    slots = {"slot_size": slot_size, "slot_num": slot_num, "local_slot_num": local_slot_num}
    return call("system.aic_initialize_pipe", buffers, {"dir_mask": dir_mask, **slots, "id": id}, span)


def aiv_initialize_pipe(
    c2v_consumer_buf: Index = 0,
    v2c_consumer_buf: Index = 0,
    *,
    dir_mask: int,
    slot_size: int,
    slot_num: int | None = None,
    local_slot_num: int | None = None,
    id: int | None = None,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """The vector side of a pipe between the cores; a buffer of a direction that is not used is 0."""
    buffers = (_int32(c2v_consumer_buf, span), _int32(v2c_consumer_buf, span))
    slots = {"slot_size": slot_size, "slot_num": slot_num, "local_slot_num": local_slot_num}
    return call("system.aiv_initialize_pipe", buffers, {"dir_mask": dir_mask, **slots, "id": id}, span)


def reserve_buffer(*, name: str, size: int, base: int = AUTO, span: Span = UNKNOWN_SPAN) -> Call:
    """A buffer that the other core pushes into; the compiler places it unless base says where."""
    return call("system.reserve_buffer", (), {"name": name, "size": size, "base": base}, span)


def import_peer_buffer(*, name: str, peer_func: str, span: Span = UNKNOWN_SPAN) -> Call:
    """The buffer that a function of the other core reserved."""
    return call("system.import_peer_buffer", (), {"name": name, "peer_func": peer_func}, span)


def tfree_to_aic(tile: Expr, *, split: int | None = None, id: int | None = None, span: Span = UNKNOWN_SPAN) -> Call:
    """Give the slot of a tile that was popped back to the cube core."""
    return call("system.tfree_to_aic", (tile,), {"split": split, "id": id}, span)


def tfree_to_aiv(tile: Expr, *, split: int | None = None, id: int | None = None, span: Span = UNKNOWN_SPAN) -> Call:
    """Give the slot of a tile that was popped back to the vector core."""
    return call("system.tfree_to_aiv", (tile,), {"split": split, "id": id}, span)


def _int32(value: Index, span: Span) -> Expr:
    number = as_int(value) if isinstance(value, Expr) and _is_index(value) else value
    return cast("Expr", value) if number is None else as_expr(number, span, like=DataType.INT32)


def _is_index(value: Expr) -> bool:
    return isinstance(value.type, ScalarType) and value.type.dtype is DataType.INDEX

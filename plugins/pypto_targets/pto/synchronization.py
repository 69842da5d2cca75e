# SPDX-License-Identifier: Apache-2.0
"""Barriers, fences, cache maintenance, and events between cores."""

from __future__ import annotations

from pypto_build.ir import Call, ConstInt, DataType, PipeType, Var
from pypto_targets.pto.kernel import Kernel, tuple_items
from pypto_targets.pto.operations import Handler, integer_kwarg, named, typed
from pypto_targets.pto.tensors import part, whole
from pypto_targets.pto.text import Value


def barrier(pipe: str) -> Handler:
    """A barrier of one pipe, or of all."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        del call, var
        wait_for(kernel, pipe)

    return handler


def wait_for(kernel: Kernel, pipe: str) -> None:
    """Wait until a pipe has done what it was given."""
    kernel.text.emit(f"pto.barrier <{pipe}>")


def fence(kernel: Kernel, call: Call | None = None, var: Var | None = None) -> None:
    """`system.fence`: accesses to global memory are ordered."""
    del call, var
    kernel.text.emit("pto.fence.barrier_all #pto.fence_scope<gm>")


def invalidate(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`system.cacheinvalid([tensor, shapes, offsets])`: a region, or everything cached of global memory."""
    del var
    if not call.args:
        kernel.text.emit("pto.cmo.cacheinvalid all #pto.address_space<gm>")
        return
    extents, offsets = tuple_items(call.args[1]), tuple_items(call.args[2])
    invalidate_region(kernel, part(kernel, call.args[0], offsets, extents))


def invalidate_region(kernel: Kernel, region: Value) -> None:
    """Drop what is cached of a partition of a tensor."""
    kernel.text.emit(f"pto.cmo.cacheinvalid {region.name} single_cache_line : {region.type}")


def event(mnemonic: str) -> Handler:
    """`system.sync_set`, `system.sync_wait`: an event of a fixed number, or of one that is computed."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        del var
        pipe = PipeType(integer_kwarg(call, "pipe")).name
        number = kernel.index(call.args[0]).name if call.args else integer_kwarg(call, "event_id")
        mode = call.kwargs.get("ffts_mode")
        attributes = "" if mode is None else f" {{ffts_mode = {mode} : i32}}"
        kernel.text.emit(f"{mnemonic} <PIPE_{pipe}>, {number}{attributes}")

    return handler


def event_workspace(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`system.set_ffts(workspace)`: the event unit works on a raw pointer."""
    del var
    pointer = kernel.pointer(call.args[0])
    kernel.text.emit(f"pto.set_ffts {pointer.name} : {pointer.type}")


def all_cores(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`system.syncall([gm_workspace[, used_cores]])`: by hardware, or by counting in global memory.

    A count of 0 is left out: the device knows how many cores were launched.
    """
    del var
    mode, core = call.kwargs.get("mode", "hard"), call.kwargs.get("core_type", "mix")
    given: list[Value] = []
    if call.args:
        given.append(whole(kernel, call.args[0], "syncgm_pview"))
    count = call.args[1] if len(call.args) > 1 else None
    if count is not None and not (isinstance(count, ConstInt) and count.value == 0):
        given.append(kernel.integer(count, DataType.INT32))
    types = f" : {typed(given)}" if given else ""
    kernel.text.emit(
        f"pto.syncall({named(given)}{types}) mode = #pto.sync_all_mode<{mode}>, core_type = #pto.sync_core_type<{core}>"
    )


HANDLERS: dict[str, Handler] = {
    "system.bar_v": barrier("PIPE_V"),
    "system.bar_m": barrier("PIPE_M"),
    "system.bar_all": barrier("PIPE_ALL"),
    "system.fence": fence,
    "system.cacheinvalid": invalidate,
    "system.sync_set": event("pto.sync.set"),
    "system.sync_wait": event("pto.sync.wait"),
    "system.set_ffts": event_workspace,
    "system.syncall": all_cores,
}

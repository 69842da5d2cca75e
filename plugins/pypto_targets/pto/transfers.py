# SPDX-License-Identifier: Apache-2.0
"""Copies between this rank's memory and a peer's window, through staging tiles."""

from __future__ import annotations

from pypto_build.ir import AtomicType, Call, Expr, TileType, Var
from pypto_targets.pto.kernel import Kernel, tuple_items
from pypto_targets.pto.operations import Handler, named, tensor_of, typed
from pypto_targets.pto.remote import local_part, origin, peer_part, release
from pypto_targets.pto.synchronization import wait_for
from pypto_targets.pto.text import Value

_EVERYTHING = "PIPE_ALL"


def put(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`pld.tile.put(dst, peer, src, stages...[, dst_offsets, src_offsets, shape])`: writes into the peer's window."""
    del var
    stages, (to, come_from, extents) = _staged(kernel, call)
    target = peer_part(kernel, call.args[0], call.args[1], offsets=to, extents=extents)
    source = local_part(kernel, call.args[2], come_from, extents)
    mode = "atomic_add" if call.kwargs.get("atomic") == AtomicType.Add.value else "atomic_none"
    _transfer(kernel, "pto.comm.tput", [target, source], stages, f" {{atomicType = #pto<atomic_type {mode}>}}")
    release(kernel, target)


def get(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`pld.tile.get(dst, peer, src, stages...[, dst_offsets, src_offsets, shape])`: reads from the peer's window."""
    del var
    stages, (to, come_from, extents) = _staged(kernel, call)
    target = local_part(kernel, call.args[0], to, extents)
    source = peer_part(kernel, call.args[2], call.args[1], offsets=come_from, extents=extents)
    _transfer(kernel, "pto.comm.tget", [target, source], stages, "")


def _transfer(kernel: Kernel, mnemonic: str, ends: list[Value], stages: list[Value], attributes: str) -> None:
    """What came before is done when the transfer starts, and the transfer is done when something follows."""
    wait_for(kernel, _EVERYTHING)
    types = typed([*ends, *stages])
    kernel.text.emit(f"{mnemonic}({named(ends)}, buf({named(stages)}) : {types}){attributes}")
    wait_for(kernel, _EVERYTHING)


def _staged(kernel: Kernel, call: Call) -> tuple[list[Value], tuple[tuple[Expr, ...], ...]]:
    """The staging tiles, and where the copy goes to, comes from, and how large it is."""
    rest = call.args[3:]
    tiles = [arg for arg in rest if isinstance(arg.type, TileType)]
    region = rest[len(tiles) :]
    stages = [kernel.value(tile) for tile in tiles]
    if region:
        return stages, tuple(tuple_items(item) for item in region)
    shape = tensor_of(call, 0).shape
    start = origin(len(shape))
    return stages, (start, start, shape)


HANDLERS: dict[str, Handler] = {
    "pld.tile.put": put,
    "pld.tile.get": get,
}

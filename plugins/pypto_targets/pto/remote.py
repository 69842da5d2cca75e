# SPDX-License-Identifier: Apache-2.0
"""Windows of other ranks: where a peer's part of a window lies, and loads and stores there.

A window lies at the same place in the memory of every rank, so a peer's element is this rank's element moved by the
distance of the two windows, which the communication context holds. The distance is computed where it is used: a module
holds kernels of both cores, and a function without a core could be called from neither.
A context is read eight bytes at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pypto_build.analysis.communication_context import RANK_ID_OFFSET, WINDOW_SLOT_STRIDE, WINDOWS_IN_OFFSET
from pypto_build.errors import InternalError
from pypto_build.ir import Call, ConstInt, DataType, Expr, TensorType, TileType, Var
from pypto_targets.pto.handles import tile_type
from pypto_targets.pto.kernel import Kernel, tuple_items
from pypto_targets.pto.memory import atomic_attribute
from pypto_targets.pto.operations import Handler, argument, result, tensor_of, tile_of, write
from pypto_targets.pto.synchronization import fence, invalidate_region
from pypto_targets.pto.tensors import part, partition_of, view_over
from pypto_targets.pto.text import Value

RANK_SLOT: Final = RANK_ID_OFFSET // WINDOW_SLOT_STRIDE  # the rank in the low half, the number of ranks in the high one
_WINDOWS_SLOT: Final = WINDOWS_IN_OFFSET // WINDOW_SLOT_STRIDE


def context_of(kernel: Kernel, tensor: Expr) -> Value:
    """The communication context of a tensor of several ranks."""
    owner = kernel.parameter(tensor)
    context = kernel.communication.get(owner)
    if context is None:
        text = f"{owner.name_hint} has no communication context in kernel {kernel.function.name}"
        raise InternalError(text, owner.span)
    return context


def context_slot(kernel: Kernel, context: Value, slot: Value) -> Value:
    """Eight bytes of a context."""
    return kernel.text.define(f"pto.load_scalar {context.name}[{slot.name}] : {context.type} -> i64", "i64")


def rank_of(kernel: Kernel, context: Value, hint: str = "") -> Value:
    """The rank that the kernel runs on."""
    both = context_slot(kernel, context, kernel.text.integer(RANK_SLOT, "index"))
    return kernel.text.define(f"arith.trunci {both.name} : i64 to i32", "i32", hint)


def peer_pointer(kernel: Kernel, tensor: Expr, peer: Expr) -> Value:
    """The pointer to a peer's part of a window."""
    kind = kernel.parameter(tensor).type
    if not isinstance(kind, TensorType):
        raise InternalError(f"{tensor} is no tensor", tensor.span)
    context, define = context_of(kernel, tensor), kernel.text.define
    own = rank_of(kernel, context)
    mine = _window(kernel, context, define(f"arith.index_cast {own.name} : i32 to index", "index"))
    theirs = _window(kernel, context, kernel.index(peer))
    distance = define(f"arith.subi {theirs.name}, {mine.name} : i64", "i64")
    size = kernel.text.integer(kind.dtype.get_byte(), "i64")
    elements = define(f"arith.divsi {distance.name}, {size.name} : i64", "i64")
    offset = define(f"arith.index_cast {elements.name} : i64 to index", "index")
    base = kernel.pointer(tensor)
    return define(f"pto.addptr {base.name}, {offset.name} : {base.type} -> {base.type}", base.type)


def _window(kernel: Kernel, context: Value, rank: Value) -> Value:
    first = kernel.text.integer(_WINDOWS_SLOT, "index")
    slot = kernel.text.define(f"arith.addi {first.name}, {rank.name} : index", "index")
    return context_slot(kernel, context, slot)


def peer_part(kernel: Kernel, tensor: Expr, peer: Expr, *, offsets: Sequence[Expr], extents: tuple[Expr, ...]) -> Value:
    """A partition of a peer's part of a window."""
    root = kernel.tensor(tensor)
    kind = root.type
    if not isinstance(kind, TensorType):
        raise InternalError(f"{tensor} is no tensor", tensor.span)
    view = view_over(kernel, root, peer_pointer(kernel, tensor, peer))
    hint = f"{root.name_hint}_peer_pview"
    return partition_of(kernel, view, kind, offsets=offsets, extents=extents, hint=hint)


def local_part(kernel: Kernel, tensor: Expr, offsets: Sequence[Expr], extents: tuple[Expr, ...]) -> Value:
    """A partition of this rank's part."""
    return part(kernel, tensor, offsets, extents, f"{kernel.tensor(tensor).name_hint}_local_pview")


def origin(rank: int) -> tuple[Expr, ...]:
    """The offsets of the first element."""
    return (ConstInt(0),) * rank


def release(kernel: Kernel, region: Value) -> None:
    """What was written to a peer is seen there before anything that follows."""
    invalidate_region(kernel, region)
    fence(kernel)


def load(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`pld.tile.remote_load(target, peer, offsets, shape[, valid_shape])`."""
    destination = result(kernel, call, var)
    kind = tile_type(var) if var is not None else tile_of(call)
    extents = _loaded_extents(call, kind)
    source = peer_part(kernel, call.args[0], call.args[1], offsets=tuple_items(call.args[2]), extents=extents)
    write(kernel, "pto.tload", [source], [destination])


def _loaded_extents(call: Call, kind: TileType) -> tuple[Expr, ...]:
    valid = kind.effective_tile_view().valid_shape
    rank = len(tensor_of(call, 0).shape)
    if len(valid) == rank:
        return valid
    narrower = argument(call, 4)
    stated = tuple_items(call.args[3] if narrower is None else narrower)
    return (*stated[:-2], *valid[-2:]) if len(stated) > len(valid) else stated


def store(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`pld.tile.remote_store(tile, target, peer, offsets)`: into the inner two dimensions."""
    del var
    tile = kernel.value(call.args[0])
    valid = tile_of(call, 0).effective_tile_view().valid_shape
    ones = (ConstInt(1, DataType.INDEX),) * (len(tensor_of(call, 1).shape) - len(valid))
    offsets = tuple_items(call.args[3])
    target = peer_part(kernel, call.args[1], call.args[2], offsets=offsets, extents=(*ones, *valid))
    write(kernel, "pto.tstore", [tile], [target], outs=atomic_attribute(call))
    release(kernel, target)


HANDLERS: dict[str, Handler] = {
    "pld.tile.remote_load": load,
    "pld.tile.remote_store": store,
}

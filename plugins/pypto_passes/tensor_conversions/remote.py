# SPDX-License-Identifier: Apache-2.0
"""Transfers between ranks: copies go through staging tiles, which are made here; a computed value is pushed itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pypto_build.ir import Call, Expr, MakeTuple, as_int, const_index
from pypto_build.ops.arithmetic import times
from pypto_passes.tensor_conversions.building import Building, Shape, is_global, refused, tensor_type

_CHUNKS = frozenset({"chunk_rows", "chunk_cols", "pipeline"})
_REGION = 3
"""Where the offsets and the shape of a part of the windows begin, if only a part is copied."""


def put(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """A copy into a peer's window."""
    return _through_stages(to, call, args, hint="tput_stage", local=2)


def got(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """A copy from a peer's window."""
    return _through_stages(to, call, args, hint="tget_stage", local=0)


def pushed(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """A value into a peer's window; one in global memory is loaded first."""
    return to.op("pld.tile.remote_store", to.tile(args[0]), *args[1:], **call.kwargs)


def _through_stages(to: Building, call: Call, args: Sequence[Expr], *, hint: str, local: int) -> Call:
    if not is_global(args[local]):
        what = "src" if local == 2 else "dst"
        instead = "push a computed value with pld.tensor.remote_store"
        raise refused(call, f"{what} must be a GM tensor, but is a computed value", instead=instead)
    window = tensor_type(args[0])
    shape = _stage_shape(call, _transferred(args, window.shape))
    names = [f"{hint}_ping", f"{hint}_pong"] if call.kwargs.get("pipeline") else [hint]
    stages = [to.create(name, shape, window.dtype) for name in names]
    kwargs = {name: value for name, value in call.kwargs.items() if name not in _CHUNKS}
    name = call.op.name.replace("pld.tensor.", "pld.tile.")
    return to.op(name, *args[:_REGION], *stages, *args[_REGION:], **kwargs)


def _transferred(args: Sequence[Expr], whole: Shape) -> Shape:
    part = args[_REGION + 2] if len(args) > _REGION else None
    return part.elements if isinstance(part, MakeTuple) else whole


def _stage_shape(call: Call, shape: Shape) -> Shape:
    """What is copied as a matrix, or a chunk of it."""
    chunks = (call.kwargs.get("chunk_rows", 0), call.kwargs.get("chunk_cols", 0))
    return tuple(_cut(extent, chunk) for extent, chunk in zip((_rows(shape), shape[-1]), chunks, strict=True))


def _rows(shape: Shape) -> Expr:
    """All axes but the last as one."""
    return reduce(times, shape[:-1], const_index(1))


def _cut(extent: Expr, chunk: object) -> Expr:
    """An extent, or a chunk that is smaller or the only constant there is."""
    whole = as_int(extent)
    wanted = chunk if isinstance(chunk, int) else 0
    return const_index(wanted) if wanted and (whole is None or wanted < whole) else extent

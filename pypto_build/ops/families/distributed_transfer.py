# SPDX-License-Identifier: Apache-2.0
"""Copies between the memory of this rank and a peer's window, through staging tiles: put writes, get reads.

With no offsets and shape everything is copied; the three come together. The staging tile may be smaller than what is
copied: the transfer then goes through it chunk by chunk, and with two of them, chunks overlap.
"""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.errors import InternalError
from pypto_build.ir import (
    ArgEffect,
    AtomicType,
    TensorType,
    TileType,
    UnknownType,
    WriteChannel,
    as_int,
)
from pypto_build.ir.types import UNKNOWN_TYPE
from pypto_build.ops.arithmetic import plus
from pypto_build.ops.deduce_distributed import coordinates, local_tensor, scalar, window
from pypto_build.ops.deduce_tensor import require
from pypto_build.ops.definition import ArgDef, CoreAffinity, KwargDef, OpDef
from pypto_build.ops.effects import write_unless_atomic
from pypto_build.ops.families.tensor_assemble import check_atomic
from pypto_build.ops.operands import Operands, kind_of
from pypto_build.ops.proof import product, provably_above, provably_equal, provably_negative
from pypto_build.ops.regions import Region


@dataclass(frozen=True, slots=True)
class _Transfer:
    """What is copied from where to where; `shape` is the extent of the copy."""

    dst: TensorType
    src: TensorType
    shape: Region


def tensor_put(operands: Operands) -> UnknownType:
    """Write into a peer's window."""
    _check_chunks(operands, _put(operands, region_at=3))
    return UNKNOWN_TYPE


def tensor_got(operands: Operands) -> UnknownType:
    """Read from a peer's window."""
    _check_chunks(operands, _got(operands, region_at=3))
    return UNKNOWN_TYPE


def tile_put(operands: Operands) -> UnknownType:
    """The same with staging tiles as arguments."""
    stages = _stages(operands)
    _check_stages(operands, stages, _put(operands, region_at=3 + len(stages)))
    return UNKNOWN_TYPE


def tile_got(operands: Operands) -> UnknownType:
    """The same with staging tiles as arguments."""
    stages = _stages(operands)
    _check_stages(operands, stages, _got(operands, region_at=3 + len(stages)))
    return UNKNOWN_TYPE


def _put(operands: Operands, *, region_at: int) -> _Transfer:
    dst = window(operands, 0, "dst")
    src = local_tensor(operands, 2, "src")
    transfer = _transfer(operands, dst, src, region_at=region_at)
    check_atomic(operands, dst.dtype)
    return transfer


def _got(operands: Operands, *, region_at: int) -> _Transfer:
    dst = local_tensor(operands, 0, "dst")
    src = window(operands, 2, "src")
    return _transfer(operands, dst, src, region_at=region_at)


def _transfer(operands: Operands, dst: TensorType, src: TensorType, *, region_at: int) -> _Transfer:
    scalar(operands, 1, "peer")
    same = dst.dtype is src.dtype
    operands.check(same, f"dst and src must have the same element type, but got {dst.dtype} and {src.dtype}")
    shapes = (dst.shape, src.shape)
    require(operands, len(dst.shape) == len(src.shape), "dst and src must have the same rank, got {} and {}", *shapes)
    for what, shape in (("dst", dst.shape), ("src", src.shape)):
        positive = all(number is None or number > 0 for number in map(as_int, shape))
        require(operands, positive, f"{what} dimensions must be positive, but got {{}}", shape)
    given = len(operands.args) - region_at
    operands.check(given in (0, 3), "requires dst_offsets, src_offsets and shape together, or none of them")
    if given:
        return _Transfer(dst, src, _subregion(operands, dst, src, first=region_at))
    _check_same_shape(operands, dst.shape, src.shape)
    return _Transfer(dst, src, dst.shape)


def _check_same_shape(operands: Operands, dst: Region, src: Region) -> None:
    for have, want in zip(dst, src, strict=True):
        static = as_int(have) is not None and as_int(want) is not None
        text = f"dst and src must have the same {'static ' if static else ''}shape, got {{}} and {{}}"
        require(operands, provably_equal(have, want), text, dst, src)


def _subregion(operands: Operands, dst: TensorType, src: TensorType, *, first: int) -> Region:
    rank = len(dst.shape)
    shape = coordinates(operands, first + 2, "shape", rank=rank)
    for axis, extent in enumerate(shape):
        number = as_int(extent)
        operands.check(number is None or number > 0, f"shape dimension {axis} must be positive, but got {number}")
    for index, what, tensor in ((first, "dst", dst), (first + 1, "src", src)):
        offsets = coordinates(operands, index, f"{what}_offsets", rank=rank)
        _check_inside(operands, what, tensor.shape, offsets=offsets, extents=shape)
    return shape


def _check_inside(operands: Operands, what: str, shape: Region, *, offsets: Region, extents: Region) -> None:
    for axis, (offset, extent, bound) in enumerate(zip(offsets, extents, shape, strict=True)):
        negative = provably_negative(offset)
        require(operands, not negative, f"{what}_offsets dimension {axis} must be non-negative, got {{}}", offset)
        end = plus(offset, extent)
        text = f"{what} subregion dimension {axis} exceeds {what} shape: {{}} > {{}}"
        require(operands, not provably_above(end, bound), text, end, bound)


def _check_chunks(operands: Operands, transfer: _Transfer) -> None:
    rows, columns = operands.value("chunk_rows", 0), operands.value("chunk_cols", 0)
    for name, value in (("chunk_rows", rows), ("chunk_cols", columns)):
        operands.check(value >= 0, f"{name} must be non-negative, but got {value}")
    if operands.value("pipeline", False):
        operands.check(rows > 0 and columns > 0, "pipeline=True requires both chunk_rows>0 and chunk_cols>0")
    bounds = (
        ("leading", transfer.shape[:-1], "chunk_rows", rows),
        ("innermost", transfer.shape[-1:], "chunk_cols", columns),
    )
    for what, extents, name, chunk in bounds:
        bounded = chunk > 0 or all(as_int(extent) is not None for extent in extents)
        operands.check(bounded, f"dynamic {what} transfer dim needs a static {name} to size the staging tile")


def _stages(operands: Operands) -> tuple[TileType, ...]:
    stages: list[TileType] = []
    for index in (3, 4):
        found = operands.args[index].type if operands.has(index) else None
        if isinstance(found, TileType):
            stages.append(found)
        elif index == 3:
            shown = "nothing" if found is None else kind_of(found)
            raise operands.error(f"stage must be a 2D VEC staging tile, but got {shown}")
    return tuple(stages)


def _check_stages(operands: Operands, stages: tuple[TileType, ...], transfer: _Transfer) -> None:
    for name, stage in zip(("stage", "stage2"), stages, strict=False):
        require(operands, len(stage.shape) == 2, f"{name} must be a 2D VEC staging tile, but got {{}}", stage.shape)
        same = stage.dtype is transfer.dst.dtype
        operands.check(same, f"{name} dtype must match dst dtype: got {stage.dtype} for {transfer.dst.dtype}")
    first, *others = (stage.shape for stage in stages)
    for other in others:
        alike = all(map(provably_equal, first, other))
        require(operands, alike, "ping/pong staging tiles must have identical shape, got {} and {}", first, other)
    _check_fit(operands, first, transfer.shape)


def _check_fit(operands: Operands, stage: Region, shape: Region) -> None:
    """A pass made the tile, so one that is too large is a bug of ours."""
    flat: tuple[int | None, ...] = (product(shape[:-1]), as_int(shape[-1]))
    for have, bound in zip(stage, flat, strict=True):
        extent = as_int(have)
        if extent is not None and bound is not None and extent > bound:
            raise InternalError(f"{operands.op}: a staging tile must fit within the transfer: {extent} > {bound}")


_SHAPE = "tuple of ScalarType"
_REGION = tuple(ArgDef(name, _SHAPE, optional=True) for name in ("dst_offsets", "src_offsets", "shape"))
_STAGES = (ArgDef("stage", "TileType"), ArgDef("stage2", "TileType", optional=True))
_CHUNKS = (
    KwargDef("chunk_rows", int, default=0),
    KwargDef("chunk_cols", int, default=0),
    KwargDef("pipeline", bool, default=False),
)
_ATOMIC = KwargDef("atomic", int, default=int(AtomicType.None_))


def _ends(dst: str, src: str) -> tuple[ArgDef, ...]:
    return (ArgDef("dst", dst), ArgDef("peer", "ScalarType"), ArgDef("src", src))


_PUT = _ends("DistributedTensorType", "TensorType")
_GET = _ends("TensorType", "DistributedTensorType")

OPS = (
    OpDef(
        name="pld.tensor.put",
        category="DistributedOp",
        args=(*_PUT, *_REGION),
        kwargs=(_ATOMIC, *_CHUNKS),
        deduce=tensor_put,
        no_memory=True,
        effects={0: write_unless_atomic},
        write_channel=WriteChannel.Dma,
        core_affinity=CoreAffinity.VECTOR,  # the staging tile is in a buffer that only vector cores have
        description="write into a peer's window",
    ),
    OpDef(
        name="pld.tensor.get",
        category="DistributedOp",
        args=(*_GET, *_REGION),
        kwargs=_CHUNKS,
        deduce=tensor_got,
        no_memory=True,
        effects={0: ArgEffect.Write},
        write_channel=WriteChannel.Dma,
        core_affinity=CoreAffinity.VECTOR,
        description="read from a peer's window",
    ),
    OpDef(
        name="pld.tile.put",
        category="DistributedOp",
        args=(*_PUT, *_STAGES, *_REGION),
        kwargs=(_ATOMIC,),
        deduce=tile_put,
        no_memory=True,
        effects={0: write_unless_atomic},
        write_channel=WriteChannel.Dma,
        core_affinity=CoreAffinity.VECTOR,
        description="write into a peer's window through staging tiles",
    ),
    OpDef(
        name="pld.tile.get",
        category="DistributedOp",
        args=(*_GET, *_STAGES, *_REGION),
        deduce=tile_got,
        no_memory=True,
        effects={0: ArgEffect.Write},
        write_channel=WriteChannel.Dma,
        core_affinity=CoreAffinity.VECTOR,
        description="read from a peer's window through staging tiles",
    ),
)

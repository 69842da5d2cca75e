# SPDX-License-Identifier: Apache-2.0
"""Reads of a region of a peer's window into a tile, and pushes of a tile or tensor into one."""

from __future__ import annotations

from pypto_build.ir import (
    AtomicType,
    DistributedTensorType,
    MemorySpace,
    ScalarType,
    TensorLayout,
    TensorType,
    TileLayout,
    TileType,
    TileView,
    UnknownType,
    WriteChannel,
    as_int,
)
from pypto_build.ir.types import UNKNOWN_TYPE
from pypto_build.ops.arithmetic import ONE, plus
from pypto_build.ops.deduce import valid_shape_of
from pypto_build.ops.deduce_distributed import coordinates, scalar, window
from pypto_build.ops.deduce_tensor import layout_of, refuse_mx, require, strides_of
from pypto_build.ops.definition import ArgDef, KwargDef, MemorySpec, OpDef
from pypto_build.ops.effects import write_unless_atomic
from pypto_build.ops.families.tensor_assemble import ATOMIC_ADD_DTYPES
from pypto_build.ops.operands import Operands, kind_of
from pypto_build.ops.proof import provably_above, provably_negative, same_dimensions
from pypto_build.ops.regions import Region, WindowRead, read_region


def loaded(operands: Operands) -> TileType:
    """A tile with a region of a peer's window."""
    target = window(operands, 0, "target")
    refuse_mx(operands, target)
    scalar(operands, 1, "peer")
    rank = len(target.shape)
    offsets = coordinates(operands, 2, "offsets", rank=rank)
    shape = coordinates(operands, 3, "shape", rank=rank)
    requested = _requested(operands, rank) if operands.has(4) else None
    if operands.value("allow_physical_tail_padding", False):
        valid = requested or shape  # made by passes: the window ends in padding that every rank allocates
    else:
        read = WindowRead(target.shape, valid_shape_of(target), shape, offsets, requested, exact=True)
        valid = read_region(operands, read)
    return _tile(target, shape, valid)


def _requested(operands: Operands, rank: int) -> Region:
    valid = coordinates(operands, 4, "valid_shape", rank=rank)
    for i, extent in enumerate(valid):
        integer = isinstance(extent.type, ScalarType) and extent.type.dtype.is_int()
        operands.check(integer, f"valid_shape {i} must be an integer scalar")
        operands.check(not provably_negative(extent), f"valid_shape {i} is provably negative")
    return valid


def _tile(target: DistributedTensorType, shape: Region, valid: Region) -> TileType:
    view = TileType(shape, target.dtype).effective_tile_view()
    if layout_of(target) is TensorLayout.ND and strides_of(target):  # stated, so a single column stays row by row
        view = view.replace(blayout=TileLayout.row_major)
    kept = () if same_dimensions(valid, shape) else valid
    return TileType(shape, target.dtype, None, TileView(kept, (), None, view.blayout, view.slayout, view.fractal))


def tile_pushed(operands: Operands) -> UnknownType:
    """A tile goes into a peer's window."""
    found = operands.args[0].type
    if not isinstance(found, TileType):
        raise operands.error(
            f"src_tile must be a TileType, but got {kind_of(found)}: pld.tensor.remote_store takes tensors"
        )
    return _pushed(operands, found)


def tensor_pushed(operands: Operands) -> UnknownType:
    """A tensor that is computed on the core goes into a peer's window."""
    found = operands.args[0].type
    if isinstance(found, DistributedTensorType):
        raise operands.error("src must not be a window: pld.tensor.put copies from window to window")
    if not isinstance(found, TensorType):
        raise operands.error(f"src must be a TensorType, but got {kind_of(found)}: pld.tile.remote_store takes tiles")
    return _pushed(operands, found)


def _pushed(operands: Operands, source: TileType | TensorType) -> UnknownType:
    target = window(operands, 1, "target")
    scalar(operands, 2, "peer")
    offsets = coordinates(operands, 3, "offsets", rank=len(target.shape))
    same = source.dtype is target.dtype
    operands.check(same, f"src dtype must match the target dtype: got {source.dtype} for {target.dtype}")
    _check_atomic(operands, target)
    require(operands, len(source.shape) >= 2, "src must be at least 2-D, but got {}", source.shape)
    require(operands, len(target.shape) >= 2, "target rank must be >= 2, but got {}", target.shape)
    for axis, dim in enumerate(source.shape[:-2]):
        text = "src leading dimension {} must be 1, because only the inner two dimensions are pushed, but got {}"
        require(operands, as_int(dim) == 1, text, axis, source.shape)
    _check_room(operands, source.shape[-2:], target.shape, offsets)
    return UNKNOWN_TYPE


def _check_room(operands: Operands, pushed: Region, shape: Region, offsets: Region) -> None:
    leading = len(shape) - 2
    for axis, (offset, extent) in enumerate(zip(offsets, shape, strict=True)):
        end = plus(offset, pushed[axis - leading]) if axis >= leading else plus(offset, ONE)
        inside = not (provably_negative(offset) or provably_above(end, extent))
        text = "push exceeds the peer's target region in dimension {}: it ends at {} of {}"
        require(operands, inside, text, axis, end, extent)


def _check_atomic(operands: Operands, target: DistributedTensorType) -> None:
    atomic = operands.value("atomic", int(AtomicType.None_))
    operands.check(atomic in tuple(AtomicType), f"atomic must be AtomicType.None_ or AtomicType.Add, but got {atomic}")
    allowed = atomic != AtomicType.Add or target.dtype in ATOMIC_ADD_DTYPES
    text = f"with AtomicType.Add requires an fp32/bf16/fp16/int32/int16/int8 dtype, but got {target.dtype}"
    operands.check(allowed, text)


_TARGET = ArgDef("target", "DistributedTensorType")
_PEER = ArgDef("peer", "ScalarType")
_OFFSETS = ArgDef("offsets", "tuple of ScalarType")
_SHAPE = "tuple of ScalarType"
_ATOMIC = (KwargDef("atomic", int, default=int(AtomicType.None_)),)

OPS = (
    OpDef(
        name="pld.tile.remote_load",
        category="DistributedOp",
        args=(_TARGET, _PEER, _OFFSETS, ArgDef("shape", _SHAPE), ArgDef("valid_shape", _SHAPE, optional=True)),
        kwargs=(KwargDef("allow_physical_tail_padding", bool, default=False),),
        deduce=loaded,
        no_memory=True,
        no_arg_writes=True,
        description="a tile with a region of a peer's window",
    ),
    OpDef(
        name="pld.tile.remote_store",
        category="DistributedOp",
        args=(ArgDef("src_tile", "TileType"), _TARGET, _PEER, _OFFSETS),
        kwargs=_ATOMIC,
        deduce=tile_pushed,
        memory=MemorySpec(((MemorySpace.Vec, MemorySpace.Acc),)),
        effects={1: write_unless_atomic},
        write_channel=WriteChannel.Dma,
        description="a tile into a region of a peer's window",
    ),
    OpDef(
        name="pld.tensor.remote_store",
        category="DistributedOp",
        args=(ArgDef("src", "TensorType"), _TARGET, _PEER, _OFFSETS),
        kwargs=_ATOMIC,
        deduce=tensor_pushed,
        no_memory=True,
        effects={1: write_unless_atomic},
        write_channel=WriteChannel.Dma,
        description="a computed tensor into a region of a peer's window",
    ),
)

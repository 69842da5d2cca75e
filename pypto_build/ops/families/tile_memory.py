# SPDX-License-Identifier: Apache-2.0
"""Allocating tiles and moving them between global memory and the on-chip buffers, and single elements of them."""

from __future__ import annotations

from pypto_build.ir import (
    PTR_TYPE,
    ArgEffect,
    DataType,
    MemorySpace,
    PtrType,
    ScalarType,
    TensorLayout,
    TensorType,
    TensorView,
    TileLayout,
    TileType,
    TileView,
    WriteChannel,
    as_int,
    scalar_type,
)
from pypto_build.ops.deduce import valid_shape_of
from pypto_build.ops.deduce_tile import checked_valid, tile_type
from pypto_build.ops.definition import AccessEvidence, ArgDef, CoreAffinity, KwargDef, MemorySpec, OpDef
from pypto_build.ops.effects import write_unless_atomic
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import same_dimensions
from pypto_build.ops.regions import RegionWrite, WindowRead, read_region, written_region
from pypto_build.ops.tables import VEC, args, in_space_of, in_vector, tiles
from pypto_build.ops.tensor_layout import packed_strides

SCALE_LAYOUTS = {
    MemorySpace.LeftScale: TileView(blayout=TileLayout.row_major, slayout=TileLayout.row_major, fractal=32),
    MemorySpace.RightScale: TileView(blayout=TileLayout.col_major, slayout=TileLayout.col_major, fractal=32),
}
_MX_LAYOUTS = {
    TensorLayout.MX_A_ZZ: SCALE_LAYOUTS[MemorySpace.LeftScale],
    TensorLayout.MX_B_NN: SCALE_LAYOUTS[MemorySpace.RightScale],
}
_FLAT = TileView(blayout=TileLayout.row_major, slayout=TileLayout.none_box)
_TRANSPOSED = TileView(blayout=TileLayout.row_major, slayout=TileLayout.col_major)
SCALE_TYPES = (DataType.UINT8, DataType.FP8E8M0)
_STORE_HINT = (
    " (tile.store performs no layout conversion: a tile that was read through a transposed view goes back through the "
    "matching view of its destination)"
)


def target_space(operands: Operands, default: MemorySpace | None = None) -> MemorySpace | None:
    """The space that the target_memory attribute names."""
    space = operands.kwargs.get("target_memory", default)
    return space if isinstance(space, MemorySpace) else None


def allocated(operands: Operands) -> PtrType:
    """A pointer to memory of a given space and size."""
    for i in range(2):
        operands.scalar(i)
    return PTR_TYPE


def created(operands: Operands) -> TileType:
    """A tile of a given shape whose elements are not set."""
    shape, dtype, space = operands.elements(0), operands.dtype("dtype"), target_space(operands)
    scale = space in SCALE_LAYOUTS
    operands.check(not scale, "does not support target_memory=LeftScale/RightScale: load into Mat, then move")
    if operands.value("transpose", False):
        matrix = len(shape) == 2 and space is MemorySpace.Mat
        operands.check(matrix, "supports transpose=true only for a 2D tile with target_memory=Mat")
        return tile_type(shape, dtype, space=space, like=_TRANSPOSED)
    if operands.value("flat_layout", False):
        operands.check(space is MemorySpace.Mat, "supports flat_layout=true only with target_memory=Mat")
        return tile_type(shape, dtype, space=space, like=_FLAT)
    return tile_type(shape, dtype, space=space)


def loaded(operands: Operands) -> TileType:
    """A window of a tensor in a tile, valid where the tensor is."""
    tensor, offsets, shape = operands.tensor(0), operands.elements(1), operands.elements(2)
    paired = len(offsets) == len(shape) <= len(tensor.shape)
    given = f"got {len(offsets)} and {len(shape)} for a tensor of {len(tensor.shape)} dimensions"
    operands.check(paired, f"requires as many offsets as shapes, at most one for each dimension, but {given}")
    view = tensor.tensor_view or TensorView()
    if view.layout in _MX_LAYOUTS:
        _check_mx_load(operands, tensor, view, rank=len(shape))
    read = WindowRead(
        shape=tensor.shape,
        valid=valid_shape_of(tensor),
        window=shape,
        offsets=offsets,
        requested=operands.elements(3) if operands.has(3) else None,
        clamp=operands.value("clamp", False),
    )
    space = target_space(operands)
    row = space is MemorySpace.Mat and len(shape) == 2 and as_int(shape[0]) == 1
    layout = _MX_LAYOUTS.get(view.layout) or (_FLAT if row else None)
    return tile_type(shape, tensor.dtype, read_region(operands, read), space=space, like=layout)


def _check_mx_load(operands: Operands, tensor: TensorType, view: TensorView, *, rank: int) -> None:
    explicit = target_space(operands) is MemorySpace.Mat
    operands.check(explicit, "of an MX-layout tensor requires target_memory=MemorySpace.Mat")
    operands.check(rank == 2 and len(tensor.shape) == 2, "of an MX-layout tensor requires a 2D load window")
    known = tensor.dtype in SCALE_TYPES
    operands.check(known, f"of an MX-layout tensor requires dtype UINT8 or FP8E8M0, but got {tensor.dtype}")
    packed = not view.stride or same_dimensions(view.stride, packed_strides(tensor.shape, TensorLayout.ND))
    operands.check(packed, "of an MX-layout tensor requires a packed 2D source")


def stored(operands: Operands) -> TensorType:
    """The destination, valid also where the tile's valid part went."""
    source, offsets, target = operands.tile(0), operands.elements(1), operands.tensor(2)
    valid = checked_valid(operands, source)
    if operands.has(3) or not len(valid) == len(offsets) == len(target.shape):
        return target
    before = valid_shape_of(target)
    write = RegionWrite(target.shape, before, source_valid=valid, offsets=offsets, hint=_STORE_HINT)
    after = written_region(operands, write)
    view = target.tensor_view or TensorView()
    return target if after is before else target.replace(tensor_view=view.replace(valid_shape=after))


def moved(operands: Operands) -> TileType:
    """The tile in another memory space, in the layout of that space."""
    source = operands.tile(0)
    space = target_space(operands, MemorySpace.Vec)
    if space in SCALE_LAYOUTS:
        return _moved_scale(operands, source, space)
    view = source.effective_tile_view()
    implied = _layout_in(source, view, space)
    blayout, slayout = _asked(operands, "blayout", implied.blayout), _asked(operands, "slayout", implied.slayout)
    wanted = TileView(blayout=blayout, slayout=slayout, fractal=implied.fractal)
    valid = checked_valid(operands, source)
    return tile_type(source.shape, source.dtype, valid, space=space, like=wanted, pad=view.pad)


def _asked(operands: Operands, name: str, implied: TileLayout) -> TileLayout:
    layout = operands.kwargs.get(name)
    return layout if isinstance(layout, TileLayout) else implied


def _layout_in(source: TileType, view: TileView, space: MemorySpace | None) -> TileView:
    """What the destination dictates; a flat one keeps the layout of the source."""
    if space is MemorySpace.Right:
        return _TRANSPOSED
    implied = TileType(source.shape, source.dtype, None, None, space).effective_tile_view()
    if implied.slayout is not TileLayout.none_box:
        return implied
    return TileView(blayout=view.blayout, slayout=view.slayout)


def _moved_scale(operands: Operands, source: TileType, space: MemorySpace) -> TileType:
    wanted = SCALE_LAYOUTS[space]
    operands.check(
        source.dtype in SCALE_TYPES, f"to {space.name} requires dtype UINT8 or FP8E8M0, but got {source.dtype}"
    )
    operands.check(len(source.shape) == 2, f"to {space.name} requires a 2D tile, but got rank {len(source.shape)}")
    for name, fixed in (("blayout", wanted.blayout), ("slayout", wanted.slayout)):
        asked = operands.kwargs.get(name, fixed)
        operands.check(asked is fixed, f"to {space.name} has a hardware-fixed layout, so {name} cannot be chosen")
    operands.check(source.memory_space in (None, MemorySpace.Mat), f"to {space.name} requires a source in Mat memory")
    view = source.effective_tile_view()
    stated = source.tile_view is not None and (view.blayout, view.slayout, view.fractal)
    matching = stated in (False, (wanted.blayout, wanted.slayout, wanted.fractal))
    operands.check(matching, f"to {space.name} requires a source of matching row, column and box layout")
    valid = checked_valid(operands, source)
    return tile_type(source.shape, DataType.FP8E8M0, valid, space=space, like=wanted, pad=view.pad)


def element(operands: Operands) -> ScalarType:
    """One element of a tile."""
    source, indices = operands.tile(0), operands.elements(1)
    _check_indices(operands, len(source.shape), len(indices))
    return scalar_type(source.dtype)


def with_element(operands: Operands) -> TileType:
    """The tile with one element replaced."""
    source, indices, value = operands.tile(0), operands.elements(1), operands.scalar(2)
    _check_indices(operands, len(source.shape), len(indices))
    types = f"{value.dtype} for {source.dtype}"
    operands.check(value.dtype is source.dtype, f"requires a value of the tile's dtype, but got {types}")
    return TileType(source.shape, source.dtype, None, source.tile_view, source.memory_space)


def _check_indices(operands: Operands, rank: int, count: int) -> None:
    operands.check(rank == count, f"requires one index per dimension ({rank}), but got {count}")


_SPACE = KwargDef("target_memory", MemorySpace)

OPS = (
    OpDef(
        name="tile.alloc",
        category="TileOp",
        args=args("ScalarType", "memory_space", "size"),
        kwargs=(KwargDef("pinned", bool, default=False),),
        deduce=allocated,
        no_memory=True,
        core_affinity=CoreAffinity.VECTOR,
        access=AccessEvidence.NO_ACCESS,
        description="memory of a space, size in bytes",
    ),
    OpDef(
        name="tile.create",
        category="TileOp",
        args=args("TupleType", "shape"),
        kwargs=(
            KwargDef("dtype", DataType, required=True),
            _SPACE,
            KwargDef("transpose", bool, default=False),
            KwargDef("flat_layout", bool, default=False),
        ),
        deduce=created,
        memory=in_space_of("target_memory"),
        core_affinity=CoreAffinity.SHARED,
        access=AccessEvidence.NO_ACCESS,
        description="a tile whose elements are not set",
    ),
    OpDef(
        name="tile.load",
        category="TileOp",
        args=(*args("TensorType", "tensor"), *args("TupleType", "offsets", "shapes", "valid_shape?")),
        kwargs=(_SPACE, KwargDef("clamp", bool, default=False)),
        deduce=loaded,
        memory=in_space_of("target_memory"),
        access=AccessEvidence.FUNCTIONAL,
        description="a window of a tensor; clamp cuts it at the tensor's edge",
    ),
    OpDef(
        name="tile.store",
        category="TileOp",
        args=(
            *tiles("tile"),
            ArgDef("offsets", "TupleType"),
            ArgDef("output_tensor", "TensorType"),
            ArgDef("shapes", "TupleType", optional=True),
        ),
        kwargs=(KwargDef("atomic", int, default=0),),
        deduce=stored,
        memory=MemorySpec(((MemorySpace.Vec, MemorySpace.Acc),)),
        reuses_input=2,
        effects={2: write_unless_atomic},
        write_channel=WriteChannel.Dma,
        description="the tensor with a tile written to it; atomic=1 adds",
    ),
    OpDef(
        name="tile.move",
        category="TileOp",
        args=tiles("tile"),
        kwargs=(_SPACE, KwargDef("blayout", TileLayout), KwargDef("slayout", TileLayout)),
        deduce=moved,
        memory=in_space_of("target_memory", MemorySpace.Vec),
        not_inplace_safe=True,
        access=AccessEvidence.FUNCTIONAL,
        description="the tile in another memory space or layout",
    ),
    OpDef(
        name="tile.read",
        category="TileOp",
        args=(*tiles("tile"), ArgDef("indices", "TupleType")),
        deduce=element,
        memory=MemorySpec((VEC,)),
        description="one element",
    ),
    OpDef(
        name="tile.write",
        category="TileOp",
        args=(*tiles("tile"), ArgDef("indices", "TupleType"), ArgDef("value", "ScalarType")),
        deduce=with_element,
        memory=in_vector(VEC),
        effects={0: ArgEffect.ReadWrite},
        description="the tile with one element replaced",
    ),
)

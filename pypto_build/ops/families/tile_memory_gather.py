# SPDX-License-Identifier: Apache-2.0
"""Collecting rows or elements of a tensor in global memory into a tile."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.ir import (
    ArgEffect,
    DataType,
    Expr,
    MemorySpace,
    ScalarType,
    TensorLayout,
    TensorType,
    TileType,
    TupleType,
    WriteChannel,
    as_int,
)
from pypto_build.ops.deduce import check_dtype, format_dim, format_shape, valid_shape_of
from pypto_build.ops.deduce_tile import checked_valid, tile_type
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.families.tile_memory import target_space
from pypto_build.ops.families.tile_scatter import alias_of
from pypto_build.ops.operands import Operands, kind_of
from pypto_build.ops.proof import product, provably_above, provably_negative
from pypto_build.ops.regions import Region
from pypto_build.ops.tables import args, in_space_of, tiles
from pypto_build.ops.tensor_layout import packed_strides

ROW, ELEMENT = 0, 1
OUT_OF_BOUNDS = ("undefined", "clamp", "wrap", "zero")
_BOX_ROWS, _BOX_BYTES = 16, 32
_PAYLOAD = (
    *(DataType.INT8, DataType.UINT8, DataType.INT16, DataType.UINT16, DataType.INT32, DataType.UINT32),
    *(DataType.FP16, DataType.BF16, DataType.FP32, DataType.FP8E4M3FN, DataType.FP8E5M2, DataType.HF8),
)


def scratch_effect(kwargs: Mapping[str, object]) -> ArgEffect:
    """The third argument is a scratch tensor only where elements are gathered into Mat; else it is a region."""
    staged = kwargs.get("target_memory") is MemorySpace.Mat and kwargs.get("coalesce", ROW) == ELEMENT
    return ArgEffect.Write if staged else ArgEffect.Read


def gathered_from_memory(operands: Operands) -> TileType:
    """Rows or elements of a tensor, by index."""
    memory = operands.tensor(0)
    check_dtype(operands, memory.dtype, _PAYLOAD, "mem")
    mode, bounds = operands.value("coalesce", ROW), operands.value("gather_oob", 0)
    operands.check(mode in (ROW, ELEMENT), f"requires coalesce to be 0 (row) or 1 (elem), but got {mode}")
    operands.check(0 <= bounds < len(OUT_OF_BOUNDS), f"requires gather_oob in the range [0, 3], but got {bounds}")
    ranked = mode == ELEMENT or len(memory.shape) >= 2
    operands.check(ranked, f"in row mode requires mem rank >= 2, but got {len(memory.shape)}")
    if target_space(operands, MemorySpace.Vec) is MemorySpace.Mat:
        return _into_mat(operands, memory, mode)
    return _into_vector(operands, memory, mode)


def _check_index(operands: Operands, dtype: DataType) -> None:
    operands.check(dtype is DataType.INT32, f"requires idx dtype INT32, but got {dtype}")


def _into_vector(operands: Operands, memory: TensorType, mode: int) -> TileType:
    operands.check(not operands.has(2), "permits scratch only for Mat elem mode")
    index = operands.tile(1)
    _check_index(operands, index.dtype)
    operands.check(len(index.shape) == 2, f"requires a 2D idx tile, but got {format_shape(index.shape)}")
    valid = checked_valid(operands, index, "idx")
    if mode == ELEMENT:
        return tile_type(index.shape, memory.dtype, valid, space=MemorySpace.Vec)
    extents = [as_int(dim) for dim in index.shape]
    if None in extents:
        raise operands.error("in row mode requires a static [1, R] or [R, 1] idx shape")
    shown = format_shape(index.shape)
    operands.check(1 in extents, f"in row mode requires a [1, R] or [R, 1] idx shape, but got {shown}")
    axis = 1 if extents[0] == 1 else 0
    columns, row = memory.shape[-1], valid_shape_of(memory)[-1]
    return tile_type((index.shape[axis], columns), memory.dtype, (valid[axis], row), space=MemorySpace.Vec)


def _into_mat(operands: Operands, memory: TensorType, mode: int) -> TileType:
    if not isinstance(operands.args[1].type, TensorType):
        raise operands.error(f"into Mat requires idx to be a GM TensorType, but got {kind_of(operands.args[1].type)}")
    index = operands.tensor(1)
    _check_index(operands, index.dtype)
    for tensor, what in ((memory, "mem"), (index, "idx")):
        layout = tensor.tensor_view.layout if tensor.tensor_view is not None else TensorLayout.ND
        operands.check(layout is TensorLayout.ND, f"into Mat requires {what} to use ND tensor layout")
    operands.check(len(index.shape) == 2, f"requires a 2D Mat idx tensor, but got {format_shape(index.shape)}")
    shape = index.shape if mode == ELEMENT else _row_shape(operands, memory, index)
    kind = "Mat elem output" if mode == ELEMENT else "Mat output"
    _check_boxes(operands, shape, memory.dtype, kind=kind)
    region = _region(operands, mode)
    if mode == ELEMENT:
        _check_scratch(operands, memory, shape)
    valid = shape if region is None else _checked_region(operands, region, shape)
    return tile_type(shape, memory.dtype, valid, space=MemorySpace.Mat)


def _row_shape(operands: Operands, memory: TensorType, index: TensorType) -> Region:
    row = as_int(index.shape[0])
    operands.check(
        row in (None, 1), f"in row mode requires a [1, R] GM idx tensor, but got {format_shape(index.shape)}"
    )
    return index.shape[1], memory.shape[-1]


def _check_boxes(operands: Operands, shape: Region, dtype: DataType, *, kind: str) -> None:
    units = (("rows", _BOX_ROWS), ("cols", _BOX_BYTES // dtype.get_byte()))
    for dim, (name, unit) in zip(shape, units, strict=True):
        extent = as_int(dim)
        if extent is None:
            raise operands.error(f"requires that {kind} shape must be static, but got {format_shape(shape)}")
        operands.check(extent % unit == 0, f"into Mat: {name} must be a multiple of {unit}, but got {extent}")


def _region(operands: Operands, mode: int) -> Region | None:
    if mode == ELEMENT:
        return operands.elements(3) if operands.has(3) else None
    plain = not operands.has(3) and not (operands.has(2) and not isinstance(operands.args[2].type, TupleType))
    operands.check(plain, "permits scratch only for Mat elem mode: Mat row mode accepts only an optional valid_shape")
    return operands.elements(2) if operands.has(2) else None


def _checked_region(operands: Operands, region: Region, shape: Region) -> Region:
    operands.check(len(region) == 2, f"requires that valid_shape must have rank 2, but got {format_shape(region)}")
    for i, (extent, limit) in enumerate(zip(region, shape, strict=True)):
        number = as_int(extent)
        fits = (number is None or number > 0) and not provably_above(extent, limit)
        bound = f"0 < Mat valid_shape[{i}] <= {format_dim(limit)}"
        operands.check(fits, f"requires {bound}, but got {format_dim(extent)}")
    return region


def _check_scratch(operands: Operands, memory: TensorType, shape: Region) -> None:
    operands.check(operands.has(2), "in Mat elem mode requires GM scratch")
    value = operands.args[2]
    if not isinstance(value.type, TensorType):
        raise operands.error(f"requires that scratch must be a GM tensor, but got {kind_of(value.type)}")
    scratch = value.type
    types = f"{scratch.dtype} and {memory.dtype}"
    aliased = value is operands.args[0] or value is operands.args[1]
    operands.check(not aliased, "requires scratch, which must not alias mem or idx")
    operands.check(scratch.dtype is memory.dtype, f"requires that scratch dtype must match mem dtype, but got {types}")
    have, need = product(scratch.shape), product(shape) or 0
    if have is None:
        raise operands.error(f"requires that scratch shape must be static, but got {format_shape(scratch.shape)}")
    operands.check(_is_contiguous(scratch), "requires scratch in contiguous ND layout")
    operands.check(have >= need, f"requires scratch of at least {need} elements, but got {have}")


def _is_contiguous(tensor: TensorType) -> bool:
    """Whether elements lie row by row without gaps; the stride of an axis of extent 1 does not matter."""
    view = tensor.tensor_view
    if view is None:
        return True
    packed = packed_strides(tensor.shape, TensorLayout.ND)
    pairs = zip(tensor.shape, view.stride, packed, strict=False)
    return view.layout is TensorLayout.ND and all(as_int(d) == 1 or as_int(a) == as_int(b) for d, a, b in pairs)


def gathered_row(operands: Operands) -> TileType:
    """dst with a window of a tensor loaded into it."""
    target, source = operands.tile(0), operands.tensor(1)
    types = f"{target.dtype} and {source.dtype}"
    operands.check(target.dtype is source.dtype, f"requires dst and src to share dtype, but got {types}")
    shapes = operands.elements(4)
    check_window(operands, shapes)
    if operands.has(5):
        check_transfer(operands, operands.elements(5), shapes)
    return alias_of(target)


def check_window(operands: Operands, shapes: Region) -> None:
    """The window of a row gather sizes a static view of the destination."""
    for dim in shapes:
        extent = as_int(dim)
        if extent is None or extent <= 0:
            raise operands.error(
                f"requires shapes of positive compile-time constants, but got {format_dim(dim)}. "
                "Pass a dynamic row count through valid_shape instead"
            )


def check_transfer(operands: Operands, valid: Region, shapes: Region) -> None:
    """What is really transferred: integer extents within the window, constant where rows become columns."""
    ranks = f"{len(valid)} and {len(shapes)}"
    operands.check(len(valid) == len(shapes), f"requires valid_shape to have the same rank as shapes, but got {ranks}")
    for i, (extent, limit) in enumerate(zip(valid, shapes, strict=True)):
        _check_transferred(operands, i, extent, limit=limit)


def _check_transferred(operands: Operands, axis: int, extent: Expr, *, limit: Expr) -> None:
    kind = extent.type
    whole = isinstance(kind, ScalarType) and kind.dtype.is_int()
    operands.check(whole, f"requires valid_shape[{axis}] to be an integer extent")
    negative = provably_negative(extent)
    operands.check(not negative, f"requires valid_shape[{axis}], which must be >= 0, but got {format_dim(extent)}")
    if provably_above(extent, limit):
        sizes = f"{format_dim(extent)} > {format_dim(limit)}"
        raise operands.error(f"got valid_shape[{axis}] that provably exceeds physical shape extent: {sizes}")
    dynamic = as_int(extent) is None and operands.value("transpose", False)
    operands.check(not dynamic, "does not support a dynamic valid_shape together with transpose")


OPS = (
    OpDef(
        name="tile.mgather",
        category="TileOp",
        args=(
            ArgDef("mem", "TensorType"),
            ArgDef("idx", "TileType"),
            ArgDef("scratch", "TensorType", optional=True),
            ArgDef("valid_shape", "TupleType", optional=True),
        ),
        kwargs=(
            KwargDef("coalesce", int, default=ROW),
            KwargDef("gather_oob", int, default=0),
            KwargDef("target_memory", MemorySpace, default=MemorySpace.Vec),
        ),
        deduce=gathered_from_memory,
        memory=in_space_of("target_memory", MemorySpace.Vec),
        not_inplace_safe=True,
        effects={2: scratch_effect},
        write_channel=WriteChannel.Dma,
        description="rows (coalesce=0) or elements (1) of a tensor, by index",
    ),
    OpDef(
        name="tile.gather_row",
        category="TileOp",
        args=(
            *tiles("dst"),
            ArgDef("src", "TensorType"),
            *args("TupleType", "dst_offset", "src_offset", "shapes", "valid_shape?"),
        ),
        kwargs=(KwargDef("transpose", bool, default=False),),
        deduce=gathered_row,
        no_memory=True,
        reuses_input=0,
        effects={0: ArgEffect.ReadWrite},
        description="dst with a window of a tensor loaded into it, rows as columns with transpose",
    ),
)

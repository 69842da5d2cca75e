# SPDX-License-Identifier: Apache-2.0
"""IR types in PTO assembly."""

from __future__ import annotations

from pypto_build.errors import InternalError, UserError
from pypto_build.ir import (
    ArrayType,
    CommCtxType,
    DataType,
    Expr,
    MemorySpace,
    ScalarType,
    TensorType,
    TileType,
    Type,
    as_int,
)

_ELEMENTS = {
    DataType.FP32: "f32",
    DataType.FP16: "f16",
    DataType.BF16: "bf16",
    DataType.INT8: "i8",
    DataType.INT16: "i16",
    DataType.INT32: "i32",
    DataType.INT64: "i64",
    DataType.BOOL: "i1",
    DataType.UINT8: "ui8",
    DataType.UINT16: "ui16",
    DataType.UINT32: "ui32",
    DataType.UINT64: "ui64",
    DataType.INDEX: "index",
    DataType.FP8E4M3FN: "f8E4M3FN",
    DataType.FP8E5M2: "f8E5M2",
    DataType.FP8E8M0: "!pto.f8E8M0",
    DataType.HF8: "!pto.hif8",
    DataType.FP4: "!pto.f4E2M1x2",
    DataType.INT4: "i4",
    DataType.UINT4: "ui4",
}
_LOCATIONS = {
    MemorySpace.DDR: "gm",
    MemorySpace.Vec: "vec",
    MemorySpace.Mat: "mat",
    MemorySpace.Left: "left",
    MemorySpace.Right: "right",
    MemorySpace.Acc: "acc",
    MemorySpace.Bias: "bias",
    MemorySpace.LeftScale: "scaling",
    MemorySpace.RightScale: "scaling",
}


def element(dtype: DataType) -> str:
    """An element type."""
    text = _ELEMENTS.get(dtype)
    if text is None:
        raise UserError("PTO001", f"PTO assembly has no element type {dtype}")
    return text


def pointer(dtype: DataType) -> str:
    """A pointer into global memory."""
    return f"!pto.ptr<{element(dtype)}>"


def tensor_view(kind: TensorType) -> str:
    """The view of a tensor: every extent is left open."""
    return f"!pto.tensor_view<{'?x' * len(kind.shape)}{element(kind.dtype)}>"


def partition(extents: tuple[Expr, ...], dtype: DataType) -> str:
    """The view of a part of a tensor; extents known only at run time are left open."""
    sizes = "x".join("?" if as_int(extent) is None else str(as_int(extent)) for extent in extents)
    return f"!pto.partition_tensor_view<{sizes}x{element(dtype)}>"


def rows_and_columns(shape: tuple[Expr, ...]) -> tuple[Expr | None, Expr]:
    """The two extents of a tile; a one-dimensional tile is one row (None)."""
    if len(shape) == 1:
        return None, shape[0]
    if len(shape) == 2:
        return shape[0], shape[1]
    raise InternalError(f"a tile of {len(shape)} dimensions reached code generation")


def row_bytes(kind: TileType) -> int:
    """The bytes of a row of a packed tile."""
    columns = _static(rows_and_columns(kind.shape)[1], 1)
    return (columns * kind.dtype.get_bit() + 7) // 8


def tile_buffer(kind: TileType, *, static_valid: bool = False) -> str:
    """A tile; the valid extents are operands of its allocation, except on views, where they stand in the type."""
    if kind.memory_space is None:
        raise InternalError("a tile without a memory space reached code generation")
    view = kind.effective_tile_view()
    row, column = rows_and_columns(kind.shape)
    rows, columns = _static(row, 1), _static(column, 1)
    valid_row, valid_column = "?", "?"
    if static_valid:
        row, column = rows_and_columns(view.valid_shape)
        valid_row, valid_column = _known(row), _known(column)
    compact = f", compact={view.compact.value}" if view.compact.value else ""
    return (
        f"!pto.tile_buf<loc={_LOCATIONS[kind.memory_space]}, dtype={element(kind.dtype)}, rows={rows}, "
        f"cols={columns}, v_row={valid_row}, v_col={valid_column}, blayout={view.blayout.name}, "
        f"slayout={view.slayout.name}, fractal={view.fractal}, pad={view.pad.value}{compact}>"
    )


def _static(extent: Expr | None, missing: int) -> int:
    if extent is None:
        return missing
    value = as_int(extent)
    if value is None:
        raise InternalError("the physical shape of a tile must be constant")
    return value


def _known(extent: Expr | None) -> str:
    value = 1 if extent is None else as_int(extent)
    return "?" if value is None else str(value)


def value_type(kind: Type) -> str:
    """The type of a value as a parameter or result."""
    match kind:
        case ScalarType():
            return element(kind.dtype)
        case TensorType():
            return pointer(kind.dtype)
        case CommCtxType():
            return "!pto.ptr<i64>"
        case ArrayType():
            return f"!pto.local_array<{as_int(kind.extent)}x{element(kind.dtype)}>"
        case TileType():
            return tile_buffer(kind)
        case _:
            raise InternalError(f"a value of type {kind} reached code generation")

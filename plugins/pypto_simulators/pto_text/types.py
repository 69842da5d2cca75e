# SPDX-License-Identifier: Apache-2.0
"""The types of values in PTO assembly; two types are the same if they are written the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pypto_build.ir import DataType

ELEMENTS: Final[dict[str, DataType]] = {
    "f32": DataType.FP32,
    "f16": DataType.FP16,
    "bf16": DataType.BF16,
    "i1": DataType.BOOL,
    "i4": DataType.INT4,
    "i8": DataType.INT8,
    "i16": DataType.INT16,
    "i32": DataType.INT32,
    "i64": DataType.INT64,
    "ui4": DataType.UINT4,
    "ui8": DataType.UINT8,
    "ui16": DataType.UINT16,
    "ui32": DataType.UINT32,
    "ui64": DataType.UINT64,
    "index": DataType.INDEX,
    "f8E4M3FN": DataType.FP8E4M3FN,
    "f8E5M2": DataType.FP8E5M2,
    "!pto.f8E8M0": DataType.FP8E8M0,
    "!pto.hif8": DataType.HF8,
    "!pto.f4E2M1x2": DataType.FP4,
}
NAMES: Final = {dtype: name for name, dtype in ELEMENTS.items()}


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number."""

    dtype: DataType

    def __str__(self) -> str:
        return NAMES[self.dtype]


@dataclass(frozen=True, slots=True)
class Vector:
    """Several numbers in a register."""

    count: int
    dtype: DataType

    def __str__(self) -> str:
        return f"vector<{self.count}x{NAMES[self.dtype]}>"


@dataclass(frozen=True, slots=True)
class Pointer:
    """A place in global memory."""

    dtype: DataType

    def __str__(self) -> str:
        return f"!pto.ptr<{NAMES[self.dtype]}>"


@dataclass(frozen=True, slots=True)
class TensorView:
    """Global memory as a tensor; None is an extent known only at run time."""

    extents: tuple[int | None, ...]
    dtype: DataType
    partition: bool = False

    def __str__(self) -> str:
        name = "partition_tensor_view" if self.partition else "tensor_view"
        return f"!pto.{name}<{''.join(f'{_shown(extent)}x' for extent in self.extents)}{NAMES[self.dtype]}>"


@dataclass(frozen=True, slots=True)
class TileBuffer:
    """A tile in on-chip memory.

    loc: the memory space. valid: rows and columns that hold data, None for those known only at run time.
    fractal: bytes of a box. pad: what stands outside of the valid part, 0 to 3 for nothing, zero, largest, smallest.
    """

    loc: str
    dtype: DataType
    shape: tuple[int, int]
    valid: tuple[int | None, int | None]
    blayout: str
    slayout: str
    fractal: int
    pad: int
    compact: int = 0

    def __str__(self) -> str:
        rows, columns = map(_shown, self.valid)
        compact = f", compact={self.compact}" if self.compact else ""
        return (
            f"!pto.tile_buf<loc={self.loc}, dtype={NAMES[self.dtype]}, rows={self.shape[0]}, cols={self.shape[1]}, "
            f"v_row={rows}, v_col={columns}, blayout={self.blayout}, slayout={self.slayout}, "
            f"fractal={self.fractal}, pad={self.pad}{compact}>"
        )


@dataclass(frozen=True, slots=True)
class MultiTileBuffer:
    """Several tiles of one kind, of which one is picked at run time."""

    tile: TileBuffer
    count: int

    def __str__(self) -> str:
        return f"!pto.multi_tile_buf<{self.tile}, count={self.count}>"


@dataclass(frozen=True, slots=True)
class LocalArray:
    """An array on the core's stack."""

    count: int
    dtype: DataType

    def __str__(self) -> str:
        return f"!pto.local_array<{self.count}x{NAMES[self.dtype]}>"


@dataclass(frozen=True, slots=True)
class Handle:
    """Something of which only its name is known, such as an asynchronous event."""

    name: str

    def __str__(self) -> str:
        return self.name


Type = Scalar | Vector | Pointer | TensorView | TileBuffer | MultiTileBuffer | LocalArray | Handle


def _shown(extent: int | None) -> str:
    return "?" if extent is None else str(extent)

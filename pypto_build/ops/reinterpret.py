# SPDX-License-Identifier: Apache-2.0
"""The shape of a buffer when its bytes are read as elements of another type."""

from __future__ import annotations

from pypto_build.ir import DataType, as_int, const_index
from pypto_build.ops.arithmetic import scaled
from pypto_build.ops.deduce import format_dim, format_shape
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import product, same_dimensions
from pypto_build.ops.regions import Region

REINTERPRETED = (
    *(DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64),
    *(DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.UINT64),
    *(DataType.FP16, DataType.BF16, DataType.FP32),
)
Types = tuple[DataType, DataType]


def check_types(operands: Operands, types: Types) -> None:
    """Both types are whole numbers of bytes, and they differ."""
    for what, found in zip(("source", "target"), types, strict=True):
        operands.check(found in REINTERPRETED, f"does not support {what} dtype {found}")
    operands.check(types[0] is not types[1], f"requires source and target dtypes to differ, but both are {types[0]}")


def reinterpreted_shape(
    operands: Operands, shape: Region, types: Types, *, axis: int, asked: Region | None = None, partial: bool = False
) -> Region:
    """The shape in elements of the second type; `axis` is the one that is contiguous in memory.

    Raises:
        ValueError: the axis does not hold a whole number of wide elements, or the shape that is asked for has another
            size in bytes, or is not the implied one although the extents are symbolic or the source partly valid.
    """
    check_types(operands, types)
    have, want = product(shape), None if asked is None else product(asked)
    if asked is not None and have is not None and want is not None and not partial:
        sizes = have * types[0].get_byte(), want * types[1].get_byte()
        shown = f"{sizes[0]} bytes and {sizes[1]} bytes"
        operands.check(sizes[0] == sizes[1], f"requires equal source and target byte sizes, but got {shown}")
        return asked
    implied = reinterpreted_region(operands, shape, types, axis=axis)
    if asked is not None and not same_dimensions(asked, implied):
        shown = f"{format_shape(asked)} and {format_shape(implied)}"
        raise operands.error(f"of a symbolic shape or partial valid_shape requires the implied shape, but got {shown}")
    return implied


def reinterpreted_region(operands: Operands, shape: Region, types: Types, *, axis: int) -> Region:
    """The extents with the contiguous axis counted in elements of the second type."""
    have, want = (dtype.get_byte() for dtype in types)
    extent = shape[axis]
    if have >= want:
        return (*shape[:axis], scaled(extent, have // want), *shape[axis + 1 :])
    ratio, number = want // have, as_int(extent)
    if number is None or number % ratio:
        raise operands.error(f"cannot regroup dimension {axis} ({format_dim(extent)}): it is not divisible by {ratio}")
    return (*shape[:axis], const_index(number // ratio), *shape[axis + 1 :])

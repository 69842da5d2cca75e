# SPDX-License-Identifier: Apache-2.0
"""What the types of the language must satisfy, for annotations and for constructors: ValueError otherwise."""

from __future__ import annotations

from pypto_build.ir import ArrayType, DataType, Expr, as_int

_PACKED = DataType.FP4  # two elements in one byte


def array_type(dtype: DataType, extent: Expr) -> ArrayType:
    """A stack array: integers, flags or task ids, as many as is known now."""
    if not (dtype.is_int() or dtype in (DataType.BOOL, DataType.TASK_ID)):
        raise ValueError(f"ArrayType element dtype must be an integer, BOOL or TASK_ID, but got {dtype}")
    length = as_int(extent)
    if length is None:
        raise ValueError(f"ArrayType extent must be a compile-time ConstInt, but got {extent}")
    if length <= 0:
        raise ValueError(f"ArrayType extent must be positive, but got {length}")
    return ArrayType(dtype, extent)


def check_packed(shape: tuple[Expr, ...], dtype: DataType) -> None:
    """The last dimension of packed elements fills whole bytes."""
    if dtype is not _PACKED:
        return
    if not shape:
        raise ValueError(f"a shape of {dtype} elements must have rank >= 1")
    last = as_int(shape[-1])
    if last is not None and (last <= 0 or last % 2):
        raise ValueError(f"a shape of {dtype} elements needs a positive even logical last dimension, but got {last}")

# SPDX-License-Identifier: Apache-2.0
"""Operations on the small arrays that a core keeps on its stack; a write yields a new value of the same storage."""

from __future__ import annotations

from pypto_build.ir import ArgEffect, ArrayType, DataType, ScalarType, as_int, const_index, scalar_type
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands, kind_of


def created(operands: Operands) -> ArrayType:
    """An array of a known length."""
    extent, dtype = as_int(operands.args[0]), operands.dtype("dtype")
    if extent is None:
        raise operands.error("extent must be a compile-time ConstInt")
    operands.check(extent > 0, f"extent must be positive, but got {extent}")
    allowed = dtype.is_int() or dtype in (DataType.BOOL, DataType.TASK_ID)
    operands.check(allowed, f"element dtype must be an integer, BOOL or TASK_ID, but got {dtype}")
    return ArrayType(dtype, const_index(extent))


def element(operands: Operands) -> ScalarType:
    """One element."""
    return scalar_type(_indexed(operands).dtype)


def updated(operands: Operands) -> ArrayType:
    """The array with one element replaced; an index fits into an array of any integer type."""
    array, value = _indexed(operands), operands.scalar(2)
    fits = value.dtype is array.dtype or (value.dtype is DataType.INDEX and array.dtype.is_int())
    operands.check(fits, f"value dtype {value.dtype} must match array dtype {array.dtype}")
    return array


def _indexed(operands: Operands) -> ArrayType:
    array, index = operands.args[0].type, operands.scalar(1)
    if not isinstance(array, ArrayType):
        raise operands.error(f"first argument must be ArrayType, but got {kind_of(array)}")
    operands.check(index.dtype.is_int(), f"requires an integer index, but got {index.dtype}")
    number, length = as_int(operands.args[1]), as_int(array.extent)
    inside = number is None or length is None or 0 <= number < length
    operands.check(inside, f"index {number} is out of range for {length} elements")
    return array


_ARRAY = ArgDef("array", "ArrayType")
_INDEX = ArgDef("index", "ScalarType")

OPS = (
    OpDef(
        name="array.create",
        category="ArrayOp",
        args=(ArgDef("extent", "ConstInt"),),
        kwargs=(KwargDef("dtype", DataType, required=True),),
        deduce=created,
        no_memory=True,
        description="an array on the stack of the core",
    ),
    OpDef(
        name="array.get_element",
        category="ArrayOp",
        args=(_ARRAY, _INDEX),
        deduce=element,
        description="one element",
    ),
    OpDef(
        name="array.update_element",
        category="ArrayOp",
        args=(_ARRAY, _INDEX, ArgDef("value", "ScalarType")),
        deduce=updated,
        effects={0: ArgEffect.ReadWrite},
        description="the array with one element replaced",
    ),
)

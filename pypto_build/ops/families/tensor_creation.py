# SPDX-License-Identifier: Apache-2.0
"""Tensor operations that bring a tensor or an allocation into being."""

from __future__ import annotations

from pypto_build.ir import DataType, PtrType, ScalarType, TensorLayout, TensorType, TensorView, as_int
from pypto_build.ir.types import PTR_TYPE
from pypto_build.ops.deduce import check_dtype
from pypto_build.ops.deduce_tensor import fresh_tensor, positive_constants, require, tensor_type
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands

_SEQUENCE_DTYPES = (DataType.INT16, DataType.INT32, DataType.UINT16, DataType.UINT32)
_RANDOM_DTYPES = (DataType.INT32, DataType.UINT32)
_RANDOM_ROUNDS = (7, 10)
_RANDOM_SHAPE = 6  # behind two key words and four counter words


def created(operands: Operands) -> TensorType:
    """A tensor without contents, in a layout."""
    layout = operands.kwargs.get("layout", TensorLayout.ND)
    view = TensorView(layout=layout) if isinstance(layout, TensorLayout) else None
    return tensor_type(operands.elements(0), operands.dtype("dtype"), view)


def created_on_chip(operands: Operands) -> TensorType:
    """A tensor that lives in the cube core's first-level buffer, so its size must be known."""
    shape = operands.elements(0)
    positive_constants(operands, shape, "shape")
    return fresh_tensor(shape, operands.dtype("dtype"))


def filled(operands: Operands) -> TensorType:
    """A tensor with one value everywhere."""
    operands.scalar(1)
    return fresh_tensor(operands.elements(0), operands.dtype("dtype"))


def counted(operands: Operands) -> TensorType:
    """start, start + 1, ... along the last axis of a single row."""
    start, shape, dtype = operands.scalar(0), operands.elements(1), operands.dtype("dtype", DataType.INT32)
    check_dtype(operands, dtype, _SEQUENCE_DTYPES, "result")
    operands.check(start.dtype.is_int(), f"requires an integer start, but got {start.dtype}")
    operands.check(len(shape) > 0, "requires a shape with at least 1 dimension")
    operands.check(as_int(shape[-1]) != 1, "requires the innermost dimension to be longer than 1")
    leading = all(as_int(dim) == 1 for dim in shape[:-1])
    require(operands, leading, "fills one row, so leading dimensions must be 1, but got {}", shape)
    return fresh_tensor(shape, dtype)


def random_bits(operands: Operands) -> TensorType:
    """Counter-based random numbers from a key and a counter."""
    for index in range(_RANDOM_SHAPE):
        word = operands.scalar(index)
        operands.check(word.dtype.is_int(), f"requires integer key and counter words, but got {word.dtype}")
    shape, dtype = operands.elements(_RANDOM_SHAPE), operands.dtype("dtype", DataType.UINT32)
    check_dtype(operands, dtype, _RANDOM_DTYPES, "result")
    rounds = operands.value("rounds", 10)
    operands.check(rounds in _RANDOM_ROUNDS, f"requires rounds to be 7 or 10, but got {rounds}")
    require(operands, len(shape) == 2, "requires a 2D shape, but got {}", shape)
    return fresh_tensor(shape, dtype)


def allocated(operands: Operands) -> PtrType:
    """An allocation in global memory."""
    for index in (0, 1):
        operands.check(isinstance(operands.args[index].type, ScalarType), "requires a memory space and a size in bytes")
    return PTR_TYPE


_SHAPE = ArgDef("shape", "tuple of ScalarType")
_DTYPE = KwargDef("dtype", DataType, required=True)

OPS = (
    OpDef(
        name="tensor.create",
        category="TensorOp",
        args=(_SHAPE,),
        kwargs=(
            _DTYPE,
            KwargDef("layout", TensorLayout, default=TensorLayout.ND),
            KwargDef("manual_dep", bool, default=False),
            KwargDef("init_value", float),
        ),
        deduce=created,
        description="a tensor in global memory, filled with init_value if one is given",
    ),
    OpDef(
        name="tensor.create_l1",
        category="TensorOp",
        args=(_SHAPE,),
        kwargs=(_DTYPE, KwargDef("transpose", bool, default=False)),
        deduce=created_on_chip,
        description="a tensor in the first-level buffer of the cube core",
    ),
    OpDef(
        name="tensor.full",
        category="TensorOp",
        args=(_SHAPE, ArgDef("value", "ScalarType")),
        kwargs=(_DTYPE,),
        deduce=filled,
        description="a tensor with one value everywhere",
    ),
    OpDef(
        name="tensor.ci",
        category="TensorOp",
        args=(ArgDef("start", "ScalarType"), _SHAPE),
        kwargs=(KwargDef("dtype", DataType, default=DataType.INT32), KwargDef("descending", bool, default=False)),
        deduce=counted,
        description="consecutive integers from start, up or down",
    ),
    OpDef(
        name="tensor.random",
        category="TensorOp",
        args=(
            *(ArgDef(f"key{i}", "ScalarType") for i in range(2)),
            *(ArgDef(f"counter{i}", "ScalarType") for i in range(4)),
            _SHAPE,
        ),
        kwargs=(KwargDef("dtype", DataType, default=DataType.UINT32), KwargDef("rounds", int, default=10)),
        deduce=random_bits,
        description="random integers from a key and a counter",
    ),
    OpDef(
        name="tensor.alloc",
        category="TensorOp",
        args=(ArgDef("memory_space", "ScalarType"), ArgDef("size", "ScalarType")),
        deduce=allocated,
        no_memory=True,
        description="an allocation of a size in bytes",
    ),
)

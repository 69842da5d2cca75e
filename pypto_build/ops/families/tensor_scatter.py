# SPDX-License-Identifier: Apache-2.0
"""Tensor operations that put elements where an index or a column mask says; what they do not name stays."""

from __future__ import annotations

from pypto_build.ir import DataType, TensorType
from pypto_build.ops.arithmetic import times
from pypto_build.ops.deduce import check_dtype
from pypto_build.ops.deduce_tensor import fresh_tensor, require
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.patterns import spread
from pypto_build.ops.proof import provably_different

_DTYPES = (
    *(DataType.INT8, DataType.INT16, DataType.INT32),
    *(DataType.FP16, DataType.FP32, DataType.BF16),
)
_UPDATE_RANKS = (2, 4)


def scattered(operands: Operands) -> TensorType:
    """Each element of src into the column that the index names."""
    target, index, source = operands.tensor(0), operands.tensor(1), operands.tensor(2)
    dim = operands.value("dim", -1)
    operands.check(dim in (-1, len(target.shape) - 1), f"supports dim=-1 (the last axis) only, but got {dim}")
    for what in (target, index, source):
        require(operands, len(what.shape) == 2, "requires 2D tensors, but got {}", what.shape)
    check_dtype(operands, target.dtype, _DTYPES, "input")
    same = source.dtype is target.dtype
    operands.check(same, f"requires src dtype {target.dtype} as the input has, but got {source.dtype}")
    wanted = DataType.INT32 if target.dtype.get_byte() == 4 else DataType.INT16
    given = index.dtype
    operands.check(given is wanted, f"requires index dtype {wanted} for a {target.dtype} input, but got {given}")
    for have, want in zip(index.shape, source.shape, strict=True):
        fits = not provably_different(have, want)
        require(operands, fits, "requires index and src of the same shape, got {} and {}", index.shape, source.shape)
    return fresh_tensor(target.shape, target.dtype)


def masked(operands: Operands) -> TensorType:
    """The columns of a compact input into the columns of dst that a mask marks."""
    source, target = operands.tensor(0), operands.tensor(1)
    pattern = operands.value("mask_pattern", 0)
    operands.check(1 <= pattern <= 7, f"requires mask_pattern in [1, 7], but got {pattern}")
    same = source.dtype is target.dtype
    operands.check(same, f"requires input and dst of the same dtype, but got {source.dtype} and {target.dtype}")
    shapes = (source.shape, target.shape)
    same_rank = len(source.shape) == len(target.shape) > 0
    require(operands, same_rank, "requires input and dst of the same rank, got {} and {}", *shapes)
    expected = spread(operands, source.shape)
    for want, have in zip(expected, target.shape, strict=True):
        text = f"requires dst of shape {{}} for mask_pattern={pattern}, but got {{}}"
        require(operands, not provably_different(want, have), text, expected, target.shape)
    return fresh_tensor(target.shape, target.dtype)


def updated(operands: Operands) -> TensorType:
    """The rows of src into the rows of the input that the index names."""
    target, index, source = operands.tensor(0), operands.tensor(1), operands.tensor(2)
    dim = operands.value("dim", -2)
    operands.check(dim == -2, f"supports dim=-2 (whole rows) only, but got {dim}")
    ranks = (len(target.shape), len(source.shape))
    fits = ranks[0] == ranks[1] and ranks[0] in _UPDATE_RANKS
    require(operands, fits, "requires input and src both 2D or both 4D, got {} and {}", target.shape, source.shape)
    require(operands, len(index.shape) == 2, "requires a 2D index, but got {}", index.shape)
    operands.check(index.dtype.is_int(), f"requires an integer index dtype, but got {index.dtype}")
    same = source.dtype is target.dtype
    operands.check(same, f"requires src dtype {target.dtype} as the input has, but got {source.dtype}")
    if ranks[0] == 2:
        rows = times(index.shape[0], index.shape[1])
        agree = not provably_different(rows, source.shape[0])
        require(operands, agree, "requires one row of src per index, got {} for {}", source.shape, index.shape)
    wide = not provably_different(target.shape[-1], source.shape[-1])
    require(operands, wide, "requires rows of the same length, got {} and {}", target.shape, source.shape)
    return fresh_tensor(target.shape, target.dtype)


_INPUT = ArgDef("input", "TensorType")
_INDEXED = (_INPUT, ArgDef("index", "TensorType"), ArgDef("src", "TensorType"))

OPS = (
    OpDef(
        name="tensor.scatter",
        category="TensorOp",
        args=_INDEXED,
        kwargs=(KwargDef("dim", int, default=-1),),
        deduce=scattered,
        description="elements put into the columns that an index names",
    ),
    OpDef(
        name="tensor.scatter_mask",
        category="TensorOp",
        args=(_INPUT, ArgDef("dst", "TensorType")),
        kwargs=(KwargDef("mask_pattern", int, required=True),),
        deduce=masked,
        description="columns put into the columns that a mask marks",
    ),
    OpDef(
        name="tensor.scatter_update",
        category="TensorOp",
        args=_INDEXED,
        kwargs=(KwargDef("dim", int, default=-2),),
        deduce=updated,
        description="rows put into the rows that an index names",
    ),
)

# SPDX-License-Identifier: Apache-2.0
"""Tensor operations on two tensors, or a tensor and a scalar, element by element.

A result has memory of its own. It is known to be valid where its operands are only when no broadcast is involved, both
regions are provably the same, and the operation that it lowers to keeps them.
"""

from __future__ import annotations

from pypto_build.ir import DataType, Expr, ScalarType, TensorType
from pypto_build.ops.deduce import broadcast_shapes, check_dtype, common_dtype, names_of
from pypto_build.ops.deduce_tensor import checked_valid, fresh_tensor, is_plain
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands, kind_of
from pypto_build.ops.proof import same_dimensions

_KEEPS_REGION = frozenset(f"tensor.{name}" for name in ("add", "sub", "mul", "div", "fmod", "maximum", "minimum"))
_DIV_DTYPES = (DataType.INT16, DataType.INT32, DataType.FP16, DataType.FP32)
_HIGH_PRECISION_DTYPES = (DataType.FP16, DataType.FP32)
_SUBS_DTYPES = (
    DataType.INT8,
    DataType.INT16,
    DataType.INT32,
    DataType.FP16,
    DataType.FP32,
    DataType.BF16,
)


def common_region(operands: Operands, left: TensorType, right: TensorType) -> tuple[Expr, ...]:
    """The valid region that two operands of the same shape share; empty when it is not provably one."""
    if not (is_plain(left) and is_plain(right) and same_dimensions(left.shape, right.shape)):
        return ()
    region = checked_valid(operands, left)
    return region if same_dimensions(region, checked_valid(operands, right)) else ()


def own_region(operands: Operands, tensor: TensorType) -> tuple[Expr, ...]:
    """The valid region of the only tensor operand; empty for a window, whose lowering is not settled."""
    return checked_valid(operands, tensor) if is_plain(tensor) else ()


def binary(operands: Operands) -> TensorType:
    """Two tensors that broadcast against each other."""
    left, right = operands.tensor(0), operands.tensor(1)
    dtype = common_dtype(operands, left.dtype, right.dtype)
    shape = broadcast_shapes(operands, left.shape, right.shape)
    region = common_region(operands, left, right) if operands.op in _KEEPS_REGION else ()
    return fresh_tensor(shape, dtype, region)


def with_scalar(operands: Operands) -> TensorType:
    """A tensor and a scalar; a truth value counts as 0 or 1 of the tensor's type."""
    left, right = operands.tensor(0), operands.scalar(1)
    dtype = left.dtype if right.dtype is DataType.BOOL else common_dtype(operands, left.dtype, right.dtype)
    return fresh_tensor(left.shape, dtype, own_region(operands, left))


def binary_or_scalar(operands: Operands) -> TensorType:
    """A tensor and either a tensor or a scalar."""
    kind = operands.args[1].type
    if not isinstance(kind, ScalarType):
        if not isinstance(kind, TensorType):
            raise operands.error(f"requires second argument to be a TensorType or ScalarType, but got {kind_of(kind)}")
        return binary(operands)
    if operands.op in _KEEPS_REGION:
        return with_scalar(operands)
    left = operands.tensor(0)
    return fresh_tensor(left.shape, common_dtype(operands, left.dtype, kind.dtype))


def divided(operands: Operands) -> TensorType:
    """A quotient of element types that the division instruction has."""
    left, right = operands.tensor(0), operands.tensor(1)
    if operands.value("high_precision", False):
        for dtype in (left.dtype, right.dtype):
            wanted = f"supports high_precision only for {' or '.join(d.attribute for d in _HIGH_PRECISION_DTYPES)}"
            operands.check(dtype in _HIGH_PRECISION_DTYPES, f"{wanted} inputs, but got {dtype}")
    check_dtype(operands, left.dtype, _DIV_DTYPES, "lhs")
    check_dtype(operands, right.dtype, _DIV_DTYPES, "rhs")
    return binary(operands)


def scalar_subtracted(operands: Operands) -> TensorType:
    """A tensor minus a scalar; the scalar's element type does not change the tensor's."""
    left, right = operands.tensor(0), operands.scalar(1)
    check_dtype(operands, left.dtype, _SUBS_DTYPES, "tensor")
    allowed = names_of(_SUBS_DTYPES)
    operands.check(right.dtype in _SUBS_DTYPES, f"requires scalar dtype in {{{allowed}}}, but got {right.dtype}")
    return fresh_tensor(left.shape, left.dtype, own_region(operands, left))


_PAIR = (ArgDef("lhs", "TensorType"), ArgDef("rhs", "TensorType"))
_EITHER = (ArgDef("lhs", "TensorType"), ArgDef("rhs", "TensorType or ScalarType"))
_SOURCES = (ArgDef("src0", "TensorType"), ArgDef("src1", "TensorType"))
_SCALAR = (ArgDef("lhs", "TensorType"), ArgDef("rhs", "ScalarType"))

_TABLE = (
    ("tensor.add", _PAIR, binary, "lhs + rhs"),
    ("tensor.sub", _PAIR, binary, "lhs - rhs"),
    ("tensor.mul", _PAIR, binary, "lhs * rhs"),
    ("tensor.fmod", _PAIR, binary, "the remainder of lhs / rhs, with the sign of lhs"),
    ("tensor.maximum", _EITHER, binary_or_scalar, "the larger of lhs and rhs"),
    ("tensor.minimum", _EITHER, binary_or_scalar, "the smaller of lhs and rhs"),
    ("tensor.part_add", _SOURCES, binary, "src0 + src1 where both are valid, the valid one elsewhere"),
    ("tensor.part_mul", _SOURCES, binary, "src0 * src1 where both are valid, the valid one elsewhere"),
    ("tensor.part_max", _SOURCES, binary, "the larger where both are valid, the valid one elsewhere"),
    ("tensor.part_min", _SOURCES, binary, "the smaller where both are valid, the valid one elsewhere"),
    ("tensor.adds", _SCALAR, with_scalar, "lhs + a scalar"),
    ("tensor.muls", _SCALAR, with_scalar, "lhs * a scalar"),
    ("tensor.divs", _SCALAR, with_scalar, "lhs / a scalar"),
    ("tensor.fmods", _SCALAR, with_scalar, "the remainder of lhs / a scalar, with the sign of lhs"),
    ("tensor.subs", _SCALAR, scalar_subtracted, "lhs - a scalar"),
)

OPS = (
    *(
        OpDef(name=name, category="TensorOp", args=args, deduce=deduce, description=description)
        for name, args, deduce, description in _TABLE
    ),
    OpDef(
        name="tensor.div",
        category="TensorOp",
        args=_PAIR,
        kwargs=(KwargDef("high_precision", bool, default=False),),
        deduce=divided,
        description="lhs / rhs",
    ),
    OpDef(
        name="tensor.cmp",
        category="TensorOp",
        args=_EITHER,
        kwargs=(KwargDef("cmp_type", int, default=0),),
        deduce=binary_or_scalar,
        description="1 where the comparison (eq, ne, lt, le, gt, ge as 0 to 5) holds, else 0",
    ),
)

# SPDX-License-Identifier: Apache-2.0
"""Tensors that cross between the cube core and its two vector cores: halved on one way, joined on the other."""

from __future__ import annotations

from collections.abc import Callable

from pypto_build.ir import DistributedTensorType, Expr, SplitMode, TensorType
from pypto_build.ops.arithmetic import divided_up, scaled
from pypto_build.ops.deduce_tensor import checked_valid, fresh_tensor, require, tensor_type
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands

_MODES = tuple(mode.value for mode in SplitMode)


def halved(operands: Operands) -> TensorType:
    """The half that one vector core gets, rounded up: both get the same box."""
    return _crossed(operands, lambda extent: divided_up(extent, 2))


def joined(operands: Operands) -> TensorType:
    """Both halves as one."""
    return _crossed(operands, lambda extent: scaled(extent, 2))


def _crossed(operands: Operands, change: Callable[[Expr], Expr]) -> TensorType:
    source = operands.tensor(0)
    window = isinstance(source, DistributedTensorType)
    operands.check(not window, "requires a non-distributed TensorType, but got DistributedTensorType")
    split = operands.value("split", 0)
    operands.check(split in _MODES, f"split must be 0 (none), 1 (rows) or 2 (columns), but got {split}")
    if split == SplitMode.NONE.value:
        return tensor_type(source.shape, source.dtype, source.tensor_view)
    text = "requires a 2D tensor to split, but got {}. Reshape the operand to 2D first"
    require(operands, len(source.shape) == 2, text, source.shape)
    axis = split - 1
    shape, valid = list(source.shape), list(checked_valid(operands, source))
    shape[axis], valid[axis] = change(shape[axis]), change(valid[axis])
    return fresh_tensor(shape, source.dtype, valid)


OPS = tuple(
    OpDef(
        name=name,
        category="CrossCoreOp",
        args=(ArgDef("tensor", "TensorType"),),
        kwargs=(KwargDef("split", int, required=True),),
        deduce=deduce,
        description=description,
    )
    for name, deduce, description in (
        ("tensor.aiv_shard", halved, "from the cube core to its vector cores, each of which gets a half"),
        ("tensor.aic_gather", joined, "from the vector cores to their cube core, which gets both halves"),
    )
)

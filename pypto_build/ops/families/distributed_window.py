# SPDX-License-Identifier: Apache-2.0
"""Windows that ranks share, and who this rank is."""

from __future__ import annotations

from pypto_build.ir import (
    CommCtxType,
    DataType,
    DistributedTensorType,
    MakeTuple,
    PtrType,
    ScalarType,
    as_int,
    scalar_type,
)
from pypto_build.ir.types import PTR_TYPE
from pypto_build.ops.deduce_distributed import scalar, window
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands, kind_of

COMM_CTX = CommCtxType()


def allocated(operands: Operands) -> PtrType:
    """A buffer of a size in bytes on every rank, known by a name."""
    scalar(operands, 0, "size")
    operands.check(operands.value("name", "") != "", "requires a non-empty 'name'")
    return PTR_TYPE


def window_made(operands: Operands) -> DistributedTensorType:
    """A buffer seen as a tensor; which buffer it is, is found out when buffers are collected."""
    found, shape = operands.args[0].type, operands.args[1]
    operands.check(isinstance(found, PtrType), f"requires a Ptr handle of a window buffer, but got {kind_of(found)}")
    if not isinstance(shape, MakeTuple):
        raise operands.error(f"requires a shape tuple, but got {kind_of(shape.type)}")
    for dim in shape.elements:
        extent = as_int(dim)
        operands.check(extent is None or extent > 0, f"requires positive extents, but got {extent}")
    return DistributedTensorType(shape.elements, operands.dtype("dtype"))


def context(operands: Operands) -> CommCtxType:
    """The group of ranks that share a window."""
    window(operands, 0, "dist_tensor")
    return COMM_CTX


def number_in_context(operands: Operands) -> ScalarType:
    """A number that a group of ranks tells."""
    found = operands.args[0].type
    operands.check(isinstance(found, CommCtxType), f"ctx must be a CommCtx, but got {kind_of(found)}")
    return scalar_type(DataType.INT32)


def device_count(_: Operands) -> ScalarType:
    """How many devices take part."""
    return scalar_type(DataType.INT64)


_CTX = (ArgDef("ctx", "CommCtxType"),)

OPS = (
    OpDef(
        name="pld.tensor.alloc_window_buffer",
        category="DistributedOp",
        args=(ArgDef("size", "ScalarType"),),
        kwargs=(KwargDef("name", str, required=True),),
        deduce=allocated,
        no_memory=True,
        description="a buffer of this size in bytes on every rank",
    ),
    OpDef(
        name="pld.tensor.window",
        category="DistributedOp",
        args=(ArgDef("buf", "PtrType"), ArgDef("shape", "tuple of ScalarType")),
        kwargs=(KwargDef("dtype", DataType, required=True),),
        deduce=window_made,
        no_memory=True,
        description="a window buffer as a tensor",
    ),
    OpDef(
        name="pld.system.get_comm_ctx",
        category="DistributedOp",
        args=(ArgDef("dist_tensor", "DistributedTensorType"),),
        deduce=context,
        no_memory=True,
        description="the ranks that share a window",
    ),
    OpDef(
        name="pld.system.rank",
        category="DistributedOp",
        args=_CTX,
        deduce=number_in_context,
        no_memory=True,
        description="the number of this rank",
    ),
    OpDef(
        name="pld.system.nranks",
        category="DistributedOp",
        args=_CTX,
        deduce=number_in_context,
        no_memory=True,
        description="how many ranks there are",
    ),
    OpDef(
        name="pld.system.world_size",
        category="DistributedOp",
        deduce=device_count,
        no_memory=True,
        description="how many devices take part",
    ),
)

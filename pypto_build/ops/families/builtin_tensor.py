# SPDX-License-Identifier: Apache-2.0
"""The device side of collectives that a host starts: made by a pass, one call per device, never written by users."""

from __future__ import annotations

from pypto_build.ir import ArgEffect, DataType, UnknownType
from pypto_build.ir.types import UNKNOWN_TYPE
from pypto_build.ops.deduce_distributed import window
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands


def dispatched(operands: Operands) -> UnknownType:
    """A call for its effect on windows."""
    for index, argument in enumerate(_ARGS[operands.op]):
        window(operands, index, argument)
    return UNKNOWN_TYPE


_ROOT = KwargDef("root", int, required=True)
_REDUCE = KwargDef("op", int, required=True)
_DTYPE = KwargDef("dtype", DataType, required=True)
_CORES = KwargDef("core_num", int, default=1)
_UPDATE = {0: ArgEffect.ReadWrite, 1: ArgEffect.ReadWrite}
_EXCHANGE = {1: ArgEffect.Write, 2: ArgEffect.ReadWrite}

_TABLE: tuple[tuple[str, tuple[str, ...], tuple[KwargDef, ...], dict[int, ArgEffect], str], ...] = (
    ("allreduce", ("src", "signal"), (_REDUCE, _DTYPE, _CORES), _UPDATE, "reduce over all devices directly"),
    ("allreduce_ring", ("src", "signal"), (_REDUCE, _DTYPE), _UPDATE, "reduce over all devices round a ring"),
    ("barrier", ("signal",), (), {0: ArgEffect.ReadWrite}, "wait until all devices have arrived"),
    ("broadcast", ("target", "signal"), (_ROOT, _DTYPE), _UPDATE, "the data of one device to all"),
    ("reduce_scatter", ("target", "signal"), (_REDUCE, _DTYPE), _UPDATE, "a chunk of the sum to every device"),
    ("allgather", ("input", "target", "signal"), (_DTYPE,), _EXCHANGE, "the data of all devices to all"),
    ("all_to_all", ("input", "target", "signal"), (_DTYPE,), _EXCHANGE, "one chunk from every device to every device"),
    (
        "all_to_all_v",
        ("input", "target", "signal", "send_counts", "recv_counts"),
        (_DTYPE,),
        {**_EXCHANGE, 4: ArgEffect.Write},
        "a number of rows from every device to every device",
    ),
)
_ARGS = {f"builtin.tensor.{name}": args for name, args, _, _, _ in _TABLE}

OPS = tuple(
    OpDef(
        name=f"builtin.tensor.{name}",
        category="DistributedOp",
        args=tuple(ArgDef(arg, "DistributedTensorType") for arg in args),
        kwargs=kwargs,
        deduce=dispatched,
        no_memory=True,
        effects=effects,
        internal_only=True,
        description=description,
    )
    for name, args, kwargs, effects, description in _TABLE
)

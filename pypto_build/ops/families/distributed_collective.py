# SPDX-License-Identifier: Apache-2.0
"""Operations in which all ranks take part: each updates a window in place and yields it, ordered by a signal window."""

from __future__ import annotations

from pypto_build.ir import ArgEffect, DataType, DistributedTensorType, ReduceOp, as_int
from pypto_build.ops.deduce_distributed import local_tensor, one_of, signal, window
from pypto_build.ops.deduce_tensor import require
from pypto_build.ops.definition import ArgDef, Deduce, KwargDef, OpDef
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import provably_different

ALLREDUCE_MODES = ("mesh", "ring")
_ALLREDUCE_DTYPES = (DataType.FP16, DataType.FP32)
_REDUCE_WORDS = "ReduceOp.Sum, Max, Min, or Prod"


def all_reduced(operands: Operands) -> DistributedTensorType:
    """The window with the reduction of all ranks; on the host the signal may be left to a pass."""
    target = window(operands, 0, "target")
    if operands.has(1):
        signal(operands, 1)
    allowed = target.dtype in _ALLREDUCE_DTYPES
    operands.check(allowed, f"target dtype must be FP16 or FP32, but got {target.dtype}")
    one_of(operands, "op", len(ReduceOp), default=ReduceOp.Sum, wanted=_REDUCE_WORDS)
    cores = operands.value("core_num", 1)
    operands.check(cores > 0, f"core_num must be positive, but got {cores}")
    return target


def synchronized(operands: Operands) -> DistributedTensorType:
    """The signal window, once all ranks have arrived."""
    return signal(operands, 0)


def broadcast(operands: Operands) -> DistributedTensorType:
    """The window with what the root rank has in it."""
    target = window(operands, 0, "target")
    signal(operands, 1)
    root = operands.value("root", 0)
    operands.check(root >= 0, f"root must be a rank number, but got {root}")
    return target


def reduced_and_scattered(operands: Operands) -> DistributedTensorType:
    """The window with this rank's chunk of the sum of all ranks."""
    target = window(operands, 0, "target")
    signal(operands, 1)
    reduction = one_of(operands, "op", len(ReduceOp), default=ReduceOp.Sum, wanted=_REDUCE_WORDS)
    operands.check(reduction == ReduceOp.Sum, "supports ReduceOp.Sum only")
    return target


def exchanged(operands: Operands) -> DistributedTensorType:
    """The target window with what all ranks sent from their input."""
    source, target = local_tensor(operands, 0, "input"), window(operands, 1, "target")
    signal(operands, 2)
    same = source.dtype is target.dtype
    operands.check(same, f"input and target must have the same element type, got {source.dtype} and {target.dtype}")
    return target


def exchanged_by_count(operands: Operands) -> DistributedTensorType:
    """The same with a number of rows per peer; how many arrived is left in recv_counts."""
    count = len(operands.args)
    operands.check(count == 5, f"requires 5 args (input, target, signal, send_counts, recv_counts), but got {count}")
    target = exchanged(operands)
    source, counters = local_tensor(operands, 0, "input"), signal(operands, 2)
    for what, tensor in (("input", source), ("target", target), ("signal", counters)):
        require(operands, len(tensor.shape) == 2, f"{what} must be 2D, but got {{}}", tensor.shape)
    _check_counts(operands, counters)
    agree = not any(map(provably_different, source.shape, target.shape))
    require(operands, agree, "input and target must have the same shape, got {} and {}", source.shape, target.shape)
    ranks, rows = as_int(counters.shape[0]), as_int(target.shape[0])
    divides = ranks is None or rows is None or (ranks > 0 and rows % ranks == 0)
    operands.check(divides, f"the number of ranks {ranks} (signal dim 0) must divide target dim 0, but got {rows}")
    return target


def _check_counts(operands: Operands, counters: DistributedTensorType) -> None:
    sent, received = local_tensor(operands, 3, "send_counts"), signal(operands, 4, "recv_counts")
    operands.check(sent.dtype is DataType.INT32, f"send_counts must have INT32 element type, but got {sent.dtype}")
    flat = len(sent.shape) == 1 or (len(sent.shape) == 2 and as_int(sent.shape[1]) in (None, 1))
    require(operands, flat, "send_counts must be 1D, or 2D with one column, but got {}", sent.shape)
    require(operands, len(received.shape) == 2, "recv_counts must be 2D, but got {}", received.shape)
    single = as_int(received.shape[1]) in (None, 1)
    require(operands, single, "recv_counts second dimension must be 1, but got {}", received.shape)
    for what, tensor in (("send_counts", sent), ("recv_counts", received)):
        agree = not provably_different(tensor.shape[0], counters.shape[0])
        text = f"{what} dim 0 must be the number of ranks (signal dim 0), but got {{}} for {{}}"
        require(operands, agree, text, tensor.shape, counters.shape)


_TARGET = ArgDef("target", "DistributedTensorType")
_INPUT = ArgDef("input", "TensorType")
_SIGNAL = ArgDef("signal", "DistributedTensorType")
_SEND = ArgDef("send_counts", "TensorType")
_RECEIVE = ArgDef("recv_counts", "DistributedTensorType", optional=True)  # its absence is explained by the deduction
_REDUCE = KwargDef("op", int, default=int(ReduceOp.Sum))
_UPDATE = {0: ArgEffect.ReadWrite, 1: ArgEffect.ReadWrite}
_EXCHANGE = {1: ArgEffect.Write, 2: ArgEffect.ReadWrite}

_TABLE: tuple[tuple[str, tuple[ArgDef, ...], tuple[KwargDef, ...], dict[int, ArgEffect], Deduce, str], ...] = (
    (
        "allreduce",
        (_TARGET, ArgDef("signal", "DistributedTensorType", optional=True)),
        (_REDUCE, KwargDef("mode", str, default="mesh"), KwargDef("core_num", int, default=1)),
        _UPDATE,
        all_reduced,
        "the reduction of all ranks, on every rank",
    ),
    ("barrier", (_SIGNAL,), (), {0: ArgEffect.ReadWrite}, synchronized, "wait until all ranks have arrived"),
    (
        "broadcast",
        (_TARGET, _SIGNAL),
        (KwargDef("root", int, required=True),),
        _UPDATE,
        broadcast,
        "the data of one rank, on every rank",
    ),
    (
        "reduce_scatter",
        (_TARGET, _SIGNAL),
        (_REDUCE,),
        _UPDATE,
        reduced_and_scattered,
        "a chunk of the sum of all ranks, on every rank",
    ),
    ("allgather", (_INPUT, _TARGET, _SIGNAL), (), _EXCHANGE, exchanged, "the data of all ranks, on every rank"),
    ("all_to_all", (_INPUT, _TARGET, _SIGNAL), (), _EXCHANGE, exchanged, "one chunk from every rank to every rank"),
    (
        "all_to_all_v",
        (_INPUT, _TARGET, _SIGNAL, _SEND, _RECEIVE),
        (),
        {**_EXCHANGE, 4: ArgEffect.Write},
        exchanged_by_count,
        "a number of rows from every rank to every rank",
    ),
)

OPS = tuple(
    OpDef(
        name=f"pld.tensor.{name}",
        category="DistributedOp",
        args=args,
        kwargs=kwargs,
        deduce=deduce,
        no_memory=True,
        effects=effects,
        description=description,
    )
    for name, args, kwargs, effects, deduce, description in _TABLE
)

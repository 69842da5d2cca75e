# SPDX-License-Identifier: Apache-2.0
"""`pld`: window buffers, remote memory and collectives."""

from __future__ import annotations

from pypto_build.dsl.language.distributed import system, tensor, tile
from pypto_build.dsl.language.operations import namespace
from pypto_build.dsl.language.values import CommCtx, DistributedTensor
from pypto_build.ir import AtomicType, CommCtxType, NotifyOp, ReduceOp, WaitCmp

__getattr__, __dir__ = namespace("pld")

__all__ = [
    "AtomicType",
    "CommCtx",
    "CommCtxType",
    "DistributedTensor",
    "NotifyOp",
    "ReduceOp",
    "WaitCmp",
    "system",
    "tensor",
    "tile",
]

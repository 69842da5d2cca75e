# SPDX-License-Identifier: Apache-2.0
"""VectorKernelSplit: a divided vector kernel is dispatched to both vector cores, and its body is that of one lane."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import FunctionType, Program, SplitAivScopeStmt, collect
from pypto_build.passes import PassContext
from pypto_passes.vector_lanes import is_divided

_KERNELS = (FunctionType.AIC, FunctionType.AIV)


def verify_vector_kernel_split(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every divided vector kernel that one core alone would run, and every region that is still to be divided."""
    del context
    for function in program.functions.values():
        if function.func_type not in _KERNELS:
            continue
        for region in collect(function.body, SplitAivScopeStmt):
            text = f"kernel '{function.name}' still has a pl.split_aiv region"
            yield Diagnostic("error", "VectorKernelSplit", text, region.span)
        one_lane = function.func_type is FunctionType.AIV and not function.attrs.get("dual_aiv_dispatch")
        if one_lane and is_divided(function):
            text = f"vector kernel '{function.name}' is divided between two cores, but not dispatched to both"
            yield Diagnostic("error", "VectorKernelSplit", text, function.span)

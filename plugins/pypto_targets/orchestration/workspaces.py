# SPDX-License-Identifier: Apache-2.0
"""How large the workspaces of pipes are: what the pipes of the launched kernels take, once for each block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from pypto_build.analysis.pipe_workspace import is_workspace, workspace_elements
from pypto_build.ir import Call, Expr, Function, GlobalVar, Submit, Var, collect
from pypto_targets.orchestration.callees import CalleeTable

Extent: TypeAlias = tuple[int, object]
"""The elements of one block, and the number of blocks of the launch: a number, an expression, or None for one block."""


def workspace_extents(function: Function, callees: CalleeTable) -> Mapping[Var, Extent]:
    """The extents of the tensors that an orchestration function hands to launches as workspaces."""
    found: dict[Var, Extent] = {}
    for call in collect(function.body, Call, Submit):
        if isinstance(call.op, GlobalVar):
            found.update(_workspace(call, callees))
    return found


def _workspace(call: Call | Submit, callees: CalleeTable) -> Iterable[tuple[Var, Extent]]:
    for param, arg in zip(callees.get(call).params, call.args, strict=False):
        if is_workspace(param) and isinstance(arg, Var):
            launch = callees.launch(call)
            size = max(workspace_elements(kernel.function) for kernel in launch.kernels)
            yield arg, (size, launch.core_num)


def blocks_of(extent: Extent | None) -> tuple[Expr, ...]:
    """The number of blocks, where it is an expression."""
    return (extent[1],) if extent is not None and isinstance(extent[1], Expr) else ()

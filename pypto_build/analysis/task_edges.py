# SPDX-License-Identifier: Apache-2.0
"""Dependencies between tasks that a pass has found: what AutoDeriveTaskDependencies writes and others read.

A derived edge names tasks by a variable: the id of a task, or a tensor or tuple that tasks have made; the result of a
loop stands for the tasks of all its iterations. A carried edge is a carry and stands for the task of the iteration
before.
"""

from __future__ import annotations

from typing import cast

from pypto_build.ir import Call, Expr, Submit

DERIVED = "compiler_manual_dep_edges"
CARRIED = "compiler_carried_dep_edges"


def derived_edges(call: Call | Submit) -> tuple[Expr, ...]:
    """What a pass found that a task has to wait for."""
    return cast("tuple[Expr, ...]", call.attrs.get(DERIVED, ()))


def carried_edges(call: Call | Submit) -> tuple[Expr, ...]:
    """The carries whose tasks of the iteration before a task has to wait for."""
    return cast("tuple[Expr, ...]", call.attrs.get(CARRIED, ()))

# SPDX-License-Identifier: Apache-2.0
"""Barriers, fences and flags, task ids, and questions about the launch."""

from __future__ import annotations

from pypto_build.ir import DataType, ScalarType, TensorType, UnknownType, scalar_type
from pypto_build.ir.types import UNKNOWN_TYPE
from pypto_build.ops.deduce import unknown
from pypto_build.ops.deduce_tensor import check_integer_extents, require
from pypto_build.ops.definition import ArgDef, Deduce, KwargDef, OpDef
from pypto_build.ops.effects import soft_sync_effect
from pypto_build.ops.operands import Operands

SYNCALL_CORE_TYPES = ("aiv_only", "aic_only", "mix")
SYNCALL_MODES = ("hard", "soft")


def task_id(_: Operands) -> ScalarType:
    """A handle of a task."""
    return scalar_type(DataType.TASK_ID)


def task_is_valid(operands: Operands) -> ScalarType:
    """Whether a handle names a task."""
    dtype = operands.scalar(0).dtype
    operands.check(dtype is DataType.TASK_ID, f"requires a task id, but got {dtype}")
    return scalar_type(DataType.BOOL)


def core_count(_: Operands) -> ScalarType:
    """A number that the device tells at run time."""
    return scalar_type(DataType.INT32)


def cache_dropped(operands: Operands) -> UnknownType:
    """The cache line of a region's first element, or all of global memory."""
    count = len(operands.args)
    operands.check(count in (0, 3), f"requires no arguments or a tensor, shapes and offsets, but got {count}")
    if not count:
        return UNKNOWN_TYPE
    rank = len(operands.tensor(0).shape)
    for index, what in ((1, "shapes"), (2, "offsets")):
        values = operands.elements(index)
        require(operands, len(values) == rank, f"{what} must match tensor rank {rank}, but got {{}}", values)
        check_integer_extents(operands, values, what)
    return UNKNOWN_TYPE


def all_synchronized(operands: Operands) -> UnknownType:
    """A barrier of all cores: by hardware without arguments, or by counting in a workspace."""
    core_type, mode = operands.value("core_type", "mix"), operands.value("mode", "hard")
    operands.check(core_type in SYNCALL_CORE_TYPES, f"core_type must be one of {SYNCALL_CORE_TYPES}, got '{core_type}'")
    operands.check(mode in SYNCALL_MODES, f"mode must be one of {SYNCALL_MODES}, but got '{mode}'")
    if mode == "hard":
        operands.check(not operands.args, "takes no arguments in hard mode")
        return UNKNOWN_TYPE
    operands.check(operands.has(0), "requires a gm_workspace in soft mode")
    _check_workspace(operands, operands.tensor(0))
    if operands.has(1):
        dtype = operands.scalar(1).dtype
        operands.check(dtype is DataType.INT32, f"requires used_cores of type INT32, but got {dtype}")
    return UNKNOWN_TYPE


def _check_workspace(operands: Operands, workspace: TensorType) -> None:
    operands.check(workspace.dtype is DataType.INT32, f"requires an INT32 gm_workspace, but got {workspace.dtype}")


_NAMED: tuple[tuple[str, str, Deduce, str], ...] = (
    ("bar_all", "SyncOp", unknown, "wait for all pipes"),
    ("bar_v", "SyncOp", unknown, "wait for the vector pipe"),
    ("bar_m", "SyncOp", unknown, "wait for the matrix pipe"),
    ("fence", "SyncOp", unknown, "order accesses to global memory"),
    ("task_invalid", "TaskOp", task_id, "the handle that names no task"),
    ("task_dummy", "TaskOp", task_id, "a task that does nothing but wait for others"),
    ("available_cluster_count", "TaskOp", core_count, "how many cube cores with their vector cores this run has"),
    ("available_aiv_count", "TaskOp", core_count, "how many vector cores this run has"),
)
_FLAG = (
    KwargDef("set_pipe", int, required=True),
    KwargDef("wait_pipe", int, required=True),
    KwargDef("event_id", int, required=True),
)

OPS = (
    *(
        OpDef(name=f"system.{name}", category=category, deduce=deduce, description=description)
        for name, category, deduce, description in _NAMED
    ),
    OpDef(
        name="system.task_is_valid",
        category="TaskOp",
        args=(ArgDef("task_id", "ScalarType"),),
        deduce=task_is_valid,
        description="whether a handle names a task",
    ),
    OpDef(
        name="system.sync_src",
        category="SyncOp",
        kwargs=_FLAG,
        deduce=unknown,
        description="set a flag from one pipe to another",
    ),
    OpDef(
        name="system.sync_dst",
        category="SyncOp",
        kwargs=_FLAG,
        deduce=unknown,
        description="wait for a flag from another pipe",
    ),
    OpDef(
        name="system.cacheinvalid",
        category="SyncOp",
        args=(
            ArgDef("tensor", "TensorType", optional=True),
            ArgDef("shapes", "tuple of ScalarType", optional=True),
            ArgDef("offsets", "tuple of ScalarType", optional=True),
        ),
        deduce=cache_dropped,
        description="drop a cache line, or everything cached of global memory",
    ),
    OpDef(
        name="system.syncall",
        category="SyncOp",
        args=(
            ArgDef("gm_workspace", "TensorType", optional=True),
            ArgDef("used_cores", "ScalarType", optional=True),
        ),
        kwargs=(KwargDef("core_type", str, default="mix"), KwargDef("mode", str, default="hard")),
        deduce=all_synchronized,
        effects={0: soft_sync_effect},
        description="a barrier of all cores",
    ),
)

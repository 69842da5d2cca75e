# SPDX-License-Identifier: Apache-2.0
"""What tasks of an orchestration function do with buffers, and how a later task can name them.

An access is named by variables: the id of its task, or a result of it. A loop hands on a name for the tasks of all its
iterations if it yields one of the names; a branch does if it yields one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pypto_build.analysis.iter_arg_carry import constant_trip_count
from pypto_build.ir import (
    Call,
    DataType,
    Expr,
    ForKind,
    ForStmt,
    MemRef,
    ScalarType,
    Submit,
    TensorType,
    Var,
    WhileStmt,
    as_int,
)
from pypto_passes.storage_regions import Region
from pypto_passes.task_id_arrays import Named

Loop = ForStmt | WhileStmt


@dataclass(slots=True, eq=False)
class RuntimeScope:
    """A scope around tasks: whether its tasks get dependencies, and whether that has failed.

    The whole body of a function whose scopes the compiler places is one too, `virtual`; failing there costs only what
    rests on knowing all.
    """

    analyzed: bool
    by_hand: bool = False
    virtual: bool = False
    parent: RuntimeScope | None = None
    failed: bool = False

    @property
    def is_opaque(self) -> bool:
        """Whether nobody outside may wait for tasks inside."""
        scope: RuntimeScope | None = self
        while scope is not None:
            if scope.by_hand or (scope.failed and not scope.virtual):
                return True
            scope = scope.parent
        return False


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """A task reads or writes a part of a buffer; a buffer that is not known is None.

    loops are those around the task, born those around the place where the buffer comes into being; repeated says that
    the names stand for the tasks of several iterations, dynamic that their number is not known; looks_up says that the
    runtime orders the task behind earlier writers.
    """

    task: Call | Submit
    root: Var | None
    region: Region
    writes: bool
    names: tuple[Var, ...]
    scope: RuntimeScope
    loops: tuple[Loop, ...]
    born: tuple[Loop, ...] = ()
    looks_up: bool = False
    repeated: bool = False
    dynamic: bool = False
    filled: Named | None = None

    def conflicts(self, root: Var | None, region: Region, *, writes: bool) -> bool:
        """Whether an access to a part of a buffer has to keep its order with this one."""
        if not (writes or self.writes):
            return False
        if root is None or self.root is None:
            return True
        return self.region.may_overlap(region) if root is self.root else _share_memory(root, self.root)

    def surely_meets(self, other: Access) -> bool:
        """Whether both certainly touch an element of the same buffer."""
        return self.root is other.root and self.root is not None and self.region.surely_overlaps(other.region)


def storage_key(root: Var | None) -> Var | None:
    """What buffers that may lie in the same memory have in common."""
    memory = _memory(root) if root is not None else None
    return memory.base if memory is not None else root


def _memory(root: Var) -> MemRef | None:
    return root.type.memref if isinstance(root.type, TensorType) else None


def _share_memory(left: Var, right: Var) -> bool:
    """Whether two buffers are parts of one allocation that overlap."""
    one, other = _memory(left), _memory(right)
    if one is None or other is None or one.base is not other.base:
        return False
    begin, start = as_int(one.byte_offset), as_int(other.byte_offset)
    return begin is None or start is None or (begin < start + other.size and start < begin + one.size)


# -- out of loops and branches -----------------------------------------------------------------------------------------


def is_task_id(var: Var) -> bool:
    """Whether a variable is the id of a task."""
    return isinstance(var.type, ScalarType) and var.type.dtype is DataType.TASK_ID


def out_of_branch(access: Access, results: Sequence[Var], yielded: Sequence[Expr]) -> Access:
    """An access as it is seen after the branches."""
    return replace(access, names=_handed_on(access, results, yielded), filled=None)


def out_of_loop(access: Access, loop: Loop, yielded: Sequence[Expr]) -> Access:
    """The accesses of all iterations as they are seen after a loop."""
    trips = constant_trip_count(loop) if isinstance(loop, ForStmt) else None
    parallel = isinstance(loop, ForStmt) and loop.kind is ForKind.Parallel
    known = trips is not None or (parallel and not access.repeated and len(access.loops) == 1)
    return replace(
        access,
        names=_handed_on(access, loop.return_vars, yielded) if known and not access.dynamic else (),
        loops=access.loops[:-1],
        repeated=access.repeated or trips != 1,
        dynamic=access.dynamic or trips is None,
        filled=_filled_by(access, loop),
    )


def _handed_on(access: Access, results: Sequence[Var], yielded: Sequence[Expr]) -> tuple[Var, ...]:
    """The results that name the access, ids of tasks first."""
    found = [var for var, value in zip(results, yielded, strict=False) if value in access.names]
    return tuple(sorted(found, key=lambda var: not is_task_id(var)))


def _filled_by(access: Access, loop: Loop) -> Named | None:
    """What an array names if the loop writes the id of each iteration into it."""
    ids = [var for var in access.names if is_task_id(var)]
    return Named(ids[0], loop) if ids and not access.repeated and isinstance(loop, ForStmt) else None

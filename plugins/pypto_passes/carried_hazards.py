# SPDX-License-Identifier: Apache-2.0
"""Tasks that must come after tasks of an earlier iteration of the same loop.

Within one iteration an order is often implied: a task that waits for one which itself comes after the earlier iteration
needs nothing more. Where it is not implied, a carry that yields the earlier task names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pypto_build.ir import Expr, Var
from pypto_passes.access_journal import Accesses
from pypto_passes.task_accesses import Access, Loop, is_task_id
from pypto_passes.task_plans import Slot, TaskPlan


def add_carried_hazards(
    plans: Iterable[TaskPlan], loop: Loop, own: Accesses, *, yielded: Sequence[Expr], by_task: dict[object, TaskPlan]
) -> None:
    """Note for the tasks of a sequential loop what earlier iterations mean to them; plans are in program order."""
    for plan in plans:
        for slot in plan.slots:
            for earlier in _conflicting(slot, own):
                _note_order(plan, loop, earlier, yielded=yielded, by_task=by_task)
                if earlier.writes and not _is_looked_up(plan, loop, earlier):
                    slot.spans_rounds = slot.spans_rounds or slot.reads


def _conflicting(slot: Slot, own: Accesses) -> Iterable[Access]:
    for root, region in slot.location.items():
        for access in own.near(root, region, writes=slot.writes):
            if access.conflicts(root, region, writes=slot.writes):
                yield access


def _note_order(
    plan: TaskPlan, loop: Loop, earlier: Access, *, yielded: Sequence[Expr], by_task: dict[object, TaskPlan]
) -> None:
    """See to it that the plan's task comes after an earlier iteration's, by what it waits for or by a carry.

    An order that holds between the iterations of a loop inside says nothing of the first one, which begins anew.
    """
    if (earlier.task, loop) in plan.after:
        return
    before = [by_task[access.task] for access in plan.waits if loop in access.loops and access.task in by_task]
    carry = _carry_of(earlier, loop, yielded)
    if not any((earlier.task, loop) in other.after for other in before):
        if carry is None:
            plan.has_open_rounds = True
            return
        plan.carried[carry] = None
    plan.after.add((earlier.task, loop))


def _carry_of(earlier: Access, loop: Loop, yielded: Sequence[Expr]) -> Var | None:
    """The carry that names the task of the iteration before, an id of a task rather than a result."""
    if earlier.repeated or earlier.loops[-1:] != (loop,) or earlier.scope.is_opaque:
        return None
    found = [arg for arg, value in zip(loop.iter_args, yielded, strict=False) if value in earlier.names]
    return min(found, key=lambda arg: not is_task_id(arg), default=None)


def _is_looked_up(plan: TaskPlan, loop: Loop, earlier: Access) -> bool:
    """Whether the task waits for one of its iteration that the runtime puts behind the earlier one."""
    return any(
        access.looks_up
        and loop in access.loops
        and loop not in access.born
        and access.surely_meets(earlier)
        and access.task is not plan.task
        for access in plan.waits
    )

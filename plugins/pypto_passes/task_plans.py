# SPDX-License-Identifier: Apache-2.0
"""What is decided about one task: which tasks it waits for, and which of its arguments the runtime need not look up."""

from __future__ import annotations

from dataclasses import dataclass, field

from pypto_build.ir import ArgDirection, Call, Submit, Var
from pypto_passes.storage_locations import Location
from pypto_passes.storage_regions import DYNAMIC
from pypto_passes.task_accesses import Access, Loop, RuntimeScope

READS = (ArgDirection.Input, ArgDirection.InOut)
WRITES = (ArgDirection.InOut, ArgDirection.OutputExisting, ArgDirection.Output)
_RELIEVED = {ArgDirection.Input: ArgDirection.NoDep, ArgDirection.InOut: ArgDirection.OutputExisting}


@dataclass(slots=True, eq=False)
class Slot:
    """One tensor argument: where it lies, and what it must come after.

    is_open says that not all of that is named; spans_rounds that it must come after an earlier iteration of a loop, for
    which the runtime has to look unless the whole function names its orders.
    """

    index: int
    direction: ArgDirection
    location: Location
    hazards: list[Access] = field(default_factory=list[Access])
    is_open: bool = False
    spans_rounds: bool = False

    @property
    def reads(self) -> bool:
        """Whether the task reads the argument."""
        return self.direction in READS

    @property
    def writes(self) -> bool:
        """Whether the task writes the argument."""
        return self.direction in WRITES

    @property
    def relieved(self) -> ArgDirection:
        """The direction that spares the runtime a look-up, if the explicit dependencies say all that it would find."""
        dynamic = any(region == DYNAMIC for region in self.location.values())
        spared = bool(self.hazards) and not (self.is_open or self.spans_rounds or dynamic)
        return _RELIEVED.get(self.direction, self.direction) if spared else self.direction


@dataclass(slots=True, eq=False)
class TaskPlan:
    """The decisions about one task.

    edges name the tasks to wait for; carried are carries of loops, each standing for the task of the iteration before;
    waits are the accesses that the task comes after because something says so explicitly; after are tasks of earlier
    iterations of a loop that it follows.
    """

    task: Call | Submit
    scope: RuntimeScope
    loops: tuple[Loop, ...]
    slots: list[Slot] = field(default_factory=list[Slot])
    edges: dict[Var, None] = field(default_factory=dict[Var, None])
    carried: dict[Var, None] = field(default_factory=dict[Var, None])
    waits: list[Access] = field(default_factory=list[Access])
    after: set[tuple[Call | Submit, Loop]] = field(default_factory=set[tuple[Call | Submit, Loop]])
    has_open_rounds: bool = False  # an earlier iteration's task that it must follow cannot be named

    @property
    def is_complete(self) -> bool:
        """Whether all that the task must come after is named."""
        return not self.has_open_rounds and not any(slot.is_open for slot in self.slots)

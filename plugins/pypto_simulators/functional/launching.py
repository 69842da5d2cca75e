# SPDX-License-Identifier: Apache-2.0
"""Where a called function runs: on several blocks, on both vector cores of a block, on a group of cores at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pypto_build.errors import Span
from pypto_build.ir import Call, Expr, Function, FunctionType, SplitAivScopeStmt, SplitMode, Submit, collect
from pypto_simulators.functional.crossing import Team
from pypto_simulators.functional.frame import Launch
from pypto_simulators.functional.scheduler import Pending
from pypto_simulators.functional.values import Value

if TYPE_CHECKING:
    from pypto_simulators.functional.frame import Frame
    from pypto_simulators.functional.machine import Machine

_LANES: Final = 2
_DIVIDING: Final = frozenset(f"{level}.{name}" for level in ("tile", "tensor") for name in ("aiv_shard", "aic_gather"))
_MEMBERS: Final = (FunctionType.AIC, FunctionType.AIV)


def launched(machine: Machine, frame: Frame, call: Call | Submit, *, args: list[Value], core_num: object) -> Value:
    """A function on as many blocks as are asked for; what the last of them yields."""
    function = machine.function(call.op.name, call.span)
    if core_num is None:
        start = partial(on_block, machine, function, args=args, launch=frame.launch, span=call.span)
        if frame.function.func_type is FunctionType.Group and function.func_type in _MEMBERS:
            return _beside_others(machine, frame, function, start)
        return start()
    count = machine.evaluate(frame, core_num) if isinstance(core_num, Expr) else core_num
    blocks = int(count)  # type: ignore[call-overload]  # an integer, whether it was an expression or an attribute
    launches = [replace(frame.launch, block=i, blocks=blocks, team=Team()) for i in range(blocks)]
    jobs = [partial(on_block, machine, function, args=args, launch=launch, span=call.span) for launch in launches]
    results = machine.run_all(jobs, function.body)
    return results[-1] if results else None


def _beside_others(machine: Machine, frame: Frame, function: Function, start: Callable[[], Any]) -> Value:
    """A member of a group that waits for the others begins, and is waited for when the group ends."""
    if not machine.waits(function.body):
        return start()
    cores = machine.scheduler.start([start])
    frame.started.extend(cores)
    return Pending(cores[0])


def on_block(machine: Machine, function: Function, *, args: list[Value], launch: Launch, span: Span) -> Value:
    """A function on one block; on both vector cores if it is divided between them, the result being the first's."""
    if function.func_type is FunctionType.Group:
        launch = replace(launch, team=Team(_lanes_of_group(machine, function)))
    lanes = machine.lanes_of(function)
    if lanes == 1:
        return machine.run(function, args, launch=launch, span=span)
    if function.func_type is not FunctionType.AIV:
        launch = replace(launch, team=Team(lanes))
    launches = [replace(launch, lane=i, lanes=lanes) for i in range(lanes)]
    jobs = [partial(machine.run, function, args, launch=one, span=span) for one in launches]
    return machine.run_all(jobs, function.body)[0]


def lanes_of(function: Function) -> int:
    """On how many vector cores of a block a function runs."""
    if function.func_type is FunctionType.AIV:
        split = function.attrs.get("split", SplitMode.NONE)
        divided = split not in (SplitMode.NONE, SplitMode.NONE.value)
        return _LANES if divided or function.attrs.get("dual_aiv_dispatch") is True else 1
    if function.func_type is FunctionType.InCore and _divides(function):
        return _LANES
    return 1


def _divides(function: Function) -> bool:
    """Whether a kernel divides tiles between lanes without saying where: all of it runs on both."""
    if any(True for _ in collect(function, SplitAivScopeStmt)):
        return False
    return any(call.op.name in _DIVIDING for call in collect(function, Call))


def _lanes_of_group(machine: Machine, group: Function) -> int:
    members = [machine.program.get_function(c.op.name) for kind in (Call, Submit) for c in collect(group, kind)]
    return max((machine.lanes_of(member) for member in members if member is not None), default=1)

# SPDX-License-Identifier: Apache-2.0
"""The target `orchestration`: one C++ source and one description for each Orchestration function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.errors import InternalError
from pypto_build.host import FunctionOutline, Member, TargetContext, Unit
from pypto_build.ir import FunctionType, Program
from pypto_build.passes import IRProperty
from pypto_targets.orchestration.callees import KERNELS, CalleeTable
from pypto_targets.orchestration.description import orchestration_description
from pypto_targets.orchestration.module import orchestration_source

P = IRProperty


@dataclass(frozen=True, slots=True)
class OrchestrationTarget:
    """C++ for the task runtime, one file per Orchestration function, and a description of its kernels."""

    name: ClassVar[str] = "orchestration"
    requires: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.CallDirectionsResolved, P.RuntimeScopesMaterialized, P.IterArgCarryClassified, P.ReturnParamsExplicit}
    )
    version: ClassVar[int] = 1

    def units(self, outlines: Mapping[str, FunctionOutline]) -> tuple[Unit, ...]:
        """One unit per Orchestration function: it, all that it launches, and the Groups that its kernels are in."""
        units: list[Unit] = []
        for outline in outlines.values():
            if outline.func_type is FunctionType.Orchestration:
                names = _reached(outline.name, outlines)
                groups = {o.name for o in outlines.values() if _is_group_of(o, names, outlines)}
                for group in groups:
                    names |= _reached(group, outlines)
                units.append(Unit(outline.name, tuple(sorted(names))))
        return tuple(sorted(units, key=lambda unit: unit.name))

    def emit(self, unit: Unit, program: Program, context: TargetContext) -> tuple[Member, ...]:
        """The source and the description of a unit."""
        function = program.get_function(unit.name)
        if function is None:
            raise InternalError(f"unit {unit.name} lacks its function")
        callees = CalleeTable(program, function)
        path = f"orchestration/{unit.name}.cpp"
        text, locations = orchestration_source(function, callees, context)
        description = orchestration_description(function, callees, path)
        return (
            Member(path, text.encode(), locations),
            Member(f"orchestration/{unit.name}.json", description),
        )


def _reached(name: str, outlines: Mapping[str, FunctionOutline]) -> set[str]:
    """A function and all that it calls, directly or not."""
    found: set[str] = set()
    pending = [name]
    while pending:
        current = pending.pop()
        if current in outlines and current not in found:
            found.add(current)
            pending.extend(outlines[current].callees)
    return found


def _is_group_of(outline: FunctionOutline, names: set[str], outlines: Mapping[str, FunctionOutline]) -> bool:
    """Whether a function is a Group with a kernel among these: the kernel's text is in the Group's member then."""
    kernels = {name for name in names if outlines[name].func_type in KERNELS}
    return outline.func_type is FunctionType.Group and bool(kernels & set(outline.callees))

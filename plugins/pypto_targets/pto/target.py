# SPDX-License-Identifier: Apache-2.0
"""The target `pto`: which functions are kernels, and the module of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.host import FunctionOutline, Member, TargetContext, Unit
from pypto_build.ir import FunctionType, Program
from pypto_build.passes import IRProperty
from pypto_targets.pto.module import kernel_module

KERNELS = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)


@dataclass(frozen=True, slots=True)
class PtoTarget:
    """PTO assembly, one file per kernel; the members of a Group share one file."""

    name: ClassVar[str] = "pto"
    requires: ClassVar[frozenset[IRProperty]] = frozenset(
        {IRProperty.AllocatedMemoryAddr, IRProperty.PipelineResolved, IRProperty.NoNestedCalls}
    )
    version: ClassVar[int] = 2

    def units(self, outlines: Mapping[str, FunctionOutline]) -> tuple[Unit, ...]:
        """One unit per Group with kernels of its own, and one per remaining kernel."""
        grouped: dict[str, tuple[str, ...]] = {}
        for outline in outlines.values():
            members = [c for c in outline.callees if c in outlines and outlines[c].func_type in KERNELS]
            if outline.func_type is FunctionType.Group and members:
                grouped[outline.name] = tuple(members)
        taken = {name for members in grouped.values() for name in members}
        units = [Unit(name, members) for name, members in grouped.items()]
        units += [Unit(o.name, (o.name,)) for o in outlines.values() if o.func_type in KERNELS and o.name not in taken]
        return tuple(sorted(units, key=lambda unit: unit.name))

    def emit(self, unit: Unit, program: Program, context: TargetContext) -> tuple[Member, ...]:
        """The module of a unit."""
        functions = [f for name in unit.functions if (f := program.get_function(name)) is not None]
        text, locations = kernel_module(functions, context)
        return (Member(f"kernels/{unit.name}.pto", text.encode(), locations),)

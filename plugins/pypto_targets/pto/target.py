# SPDX-License-Identifier: Apache-2.0
"""The target `pto`: which functions are kernels, and the module of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.host import FunctionOutline, Member, TargetContext, Unit
from pypto_build.ir import Function, FunctionType, Program
from pypto_build.passes import IRProperty
from pypto_targets.pto.assembled import embedded
from pypto_targets.pto.entry import kernel_source
from pypto_targets.pto.entry_arguments import Arguments, unpacked_arguments
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

    def kernel_source(
        self, function: Function, assembled: str, context: TargetContext, *, beside_blocks: bool = False
    ) -> str:
        """The C++ source of a kernel, given what the assembler made of its module: see `entry.kernel_source`."""
        return kernel_source(function, assembled, context.hardware, beside_blocks=beside_blocks)

    def embedded(self, assembled: str) -> str:
        """What the assembler made, as part of a larger source: see `assembled.embedded`."""
        return embedded(assembled)

    def unpacked_arguments(self, function: Function, *, per_block: bool = False) -> Arguments:
        """How a kernel gets its arguments: see `entry_arguments.unpacked_arguments`."""
        return unpacked_arguments(function, per_block=per_block)

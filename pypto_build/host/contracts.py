# SPDX-License-Identifier: Apache-2.0
"""What a target and a simulator are, and the frozen values they exchange with the host.

A contribution is a frozen dataclass whose fields are its options; the YAML schema, the documentation and the cache key
are derived from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, runtime_checkable

from pypto_build.errors import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pypto_build.ir import FunctionType, Program
    from pypto_build.ops import OpRegistry
    from pypto_build.passes import HardwareDescription, IRProperty

LocationMode = Literal["map", "inline", "none"]


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an object: its path inside the archive, its bytes, and where its lines come from.

    `locations` are `(line, place)` pairs, lines counted from 1. They go to the source map beside the object, so that
    a comment edit leaves `data` alone.
    """

    path: str
    data: bytes
    locations: tuple[tuple[int, Span], ...] = ()


@dataclass(frozen=True, slots=True)
class TargetContext:
    """All that a target may know besides the program.

    `memory_planner` says who decides where tiles lie: with `ptoas` they have no addresses, and the assembler gives them
    some. `locations` says where source places go: `map` into `Member.locations`, `inline` into the emitted text, `none`
    nowhere.
    """

    hardware: HardwareDescription
    ops: OpRegistry
    locations: LocationMode = "map"
    memory_planner: str = "pypto"


@dataclass(frozen=True, slots=True)
class FunctionOutline:
    """What a target may know of a function before it is loaded: enough to divide a program into units."""

    name: str
    func_type: FunctionType
    callees: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of a program that is translated on its own.

    `functions` are all that the translation looks at; they decide the key of its result, so an edit of another
    function leaves it alone.
    """

    name: str
    functions: tuple[str, ...]


@runtime_checkable
class Target(Protocol):
    """Turns a final program into the files of an object; a frozen dataclass whose fields are its options.

    `requires` are the properties that the program must have; `version` goes up when the output changes for equal input.
    """

    name: ClassVar[str]
    requires: ClassVar[frozenset[IRProperty]]
    version: ClassVar[int]

    def units(self, outlines: Mapping[str, FunctionOutline]) -> tuple[Unit, ...]:
        """Divide a program, given the outline of each of its functions by name."""
        ...

    def emit(self, unit: Unit, program: Program, context: TargetContext) -> tuple[Member, ...]:
        """Translate one unit, one to one; `program` has the unit's functions and may lack others.

        The same unit, functions and context give the same bytes.
        """
        ...


@dataclass(frozen=True, slots=True)
class SimulationRequest:
    """What to simulate: one entry function of a program at any stage of its pipeline, on named arrays.

    A function writes its results into arrays that it was given; the simulator leaves those of the request alone and
    returns the written ones. `members` are the files of the object that the program comes from, by path; none where it
    comes from no object.
    """

    program: Program
    entry: str
    inputs: Mapping[str, NDArray[np.generic] | int | float | bool]
    hardware: HardwareDescription
    ops: OpRegistry
    members: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """What came out: arrays by name, facts for the report (plain data), and files such as a trace."""

    outputs: Mapping[str, NDArray[np.generic]]
    report: Mapping[str, object] = field(default_factory=dict[str, object])
    members: tuple[Member, ...] = ()


@runtime_checkable
class Simulator(Protocol):
    """Runs a program on arrays; a frozen dataclass whose fields are its options."""

    name: ClassVar[str]
    version: ClassVar[int]

    def simulate(self, request: SimulationRequest) -> SimulationResult:
        """Run the entry function; equal requests give equal results."""
        ...

# SPDX-License-Identifier: Apache-2.0
"""A plugin of passes that do nothing, with the declarations of real ones: what the error cases are written against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, Literal

from pypto_build.host import hookimpl
from pypto_build.passes import Check, Phase


class Property(Enum):
    SSAForm = 0
    NormalizedStmtStructure = 1
    NoNestedCalls = 2
    HasMemRefs = 3
    PipelineResolved = 4
    NeverMade = 5


P = Property


NARROW_TILE = Check("NarrowTile", Phase.PRE_PIPELINE, lambda *_: (), code="PH900")


class Packing(Enum):
    FIRST_FIT = 1
    BEST_FIT = 2


@hookimpl
def pypto_register_passes() -> Mapping[str, str]:
    return {
        "convert_to_ssa": ":ConvertToSSA",
        "simplify": ":Simplify",
        "normalize_stmt_structure": ":NormalizeStmtStructure",
        "flatten_call_expr": ":FlattenCallExpr",
        "lower_pipeline_loops": ":LowerPipelineLoops",
        "canonicalize_io_order": ":CanonicalizeIOOrder",
        "init_mem_ref": ":InitMemRef",
        "memory_reuse": ":MemoryReuse",
        "needs_the_impossible": ":NeedsTheImpossible",
        "needs_an_option": ":NeedsAnOption",
        "no_run": ":NoRun",
        "odd_option": ":OddOption",
        "gone": ":Gone",
        "unimportable": "no_such_module_anywhere:Pass",
    }


@hookimpl
def pypto_register_verifiers() -> Mapping[str, str]:
    return {"ssa_form": "no_such_module_anywhere:verify", "narrow_tile": ":NARROW_TILE"}


@hookimpl
def pypto_register_targets() -> Mapping[str, str]:
    return {"pto": ":Pto", "undivided": ":Undivided", "orchestration": ":Orchestration"}


@hookimpl
def pypto_register_simulators() -> Mapping[str, str]:
    return {"functional": ":Functional"}


@dataclass(frozen=True)
class FakePass:
    name: ClassVar[str]
    requires: ClassVar[frozenset[Property]] = frozenset()
    produces: ClassVar[frozenset[Property]] = frozenset()
    invalidates: ClassVar[frozenset[Property]] = frozenset()
    after: ClassVar[tuple[str, ...]] = ()
    before: ClassVar[tuple[str, ...]] = ()
    reads: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[int] = 1

    def run(self, function, *_):
        return function


@dataclass(frozen=True)
class ConvertToSSA(FakePass):
    name = "ConvertToSSA"
    produces = frozenset({P.SSAForm})
    invalidates = frozenset({P.NormalizedStmtStructure})


@dataclass(frozen=True)
class Simplify(FakePass):
    name = "Simplify"
    max_iterations: int = field(default=4, metadata={"doc": "How often at most.", "minimum": 1, "maximum": 64})
    fold: bool = True
    level: Literal["fast", "full"] = "full"
    scale: float = 1.0
    only: tuple[str, ...] = ()
    packing: Packing = Packing.FIRST_FIT
    limit: int | None = None


@dataclass(frozen=True)
class NormalizeStmtStructure(FakePass):
    name = "NormalizeStmtStructure"
    produces = frozenset({P.NormalizedStmtStructure})


@dataclass(frozen=True)
class FlattenCallExpr(FakePass):
    name = "FlattenCallExpr"
    requires = frozenset({P.SSAForm, P.NormalizedStmtStructure})
    produces = frozenset({P.NoNestedCalls})


@dataclass(frozen=True)
class LowerPipelineLoops(FakePass):
    name = "LowerPipelineLoops"
    before = ("CanonicalizeIOOrder",)


@dataclass(frozen=True)
class CanonicalizeIOOrder(FakePass):
    name = "CanonicalizeIOOrder"
    requires = frozenset({P.SSAForm})
    produces = frozenset({P.PipelineResolved})
    after = ("LowerPipelineLoops",)


@dataclass(frozen=True)
class InitMemRef(FakePass):
    name = "InitMemRef"
    requires = frozenset({P.SSAForm})
    produces = frozenset({P.HasMemRefs})
    invalidates = frozenset({P.SSAForm})


@dataclass(frozen=True)
class MemoryReuse(FakePass):
    name = "MemoryReuse"
    requires = frozenset({P.HasMemRefs})
    after = ("LowerPipelineLoops",)
    alignment: int = 32
    pools: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.alignment & (self.alignment - 1):
            raise ValueError(f"alignment {self.alignment} is not a power of two")


@dataclass(frozen=True)
class NeedsTheImpossible(FakePass):
    name = "NeedsTheImpossible"
    requires = frozenset({P.NeverMade})


@dataclass(frozen=True)
class NeedsAnOption(FakePass):
    name = "NeedsAnOption"
    size: int


class NoRun:
    name = "NoRun"


@dataclass(frozen=True)
class OddOption(FakePass):
    name = "OddOption"
    when: complex = 0j


@dataclass(frozen=True)
class Pto:
    name: ClassVar[str] = "pto"
    requires: ClassVar[frozenset[Property]] = frozenset({P.PipelineResolved})
    version: ClassVar[int] = 1
    comments: bool = True

    def units(self, *_):
        return ()

    def emit(self, *_):
        return ()


@dataclass(frozen=True)
class Undivided:
    name: ClassVar[str] = "undivided"
    version: ClassVar[int] = 1

    def emit(self, *_):
        return ()


@dataclass(frozen=True)
class Orchestration:
    name: ClassVar[str] = "orchestration"
    version: ClassVar[int] = 1

    def units(self, *_):
        return ()

    def emit(self, *_):
        return ()


@dataclass(frozen=True)
class Functional:
    name: ClassVar[str] = "functional"
    version: ClassVar[int] = 1

    def simulate(self, request):
        raise NotImplementedError

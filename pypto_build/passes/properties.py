# SPDX-License-Identifier: Apache-2.0
"""The properties that passes establish and verifiers check.

Source: the public list of IR properties and the sets in which they are verified.
"""

from __future__ import annotations

from enum import Enum


class IRProperty(Enum):
    """A fact about a whole program."""

    SSAForm = 0
    TypeChecked = 1
    NoNestedCalls = 2
    NormalizedStmtStructure = 3
    NoRedundantBlocks = 4
    SplitIncoreOrch = 5
    HasMemRefs = 6
    IncoreTileOps = 7
    AllocatedMemoryAddr = 8
    MixedKernelExpanded = 9
    ClusterOutlined = 10
    TileOps2D = 11
    TileMemoryInferred = 12
    BreakContinueValid = 13
    UseAfterDef = 14
    HierarchyOutlined = 15
    StructuredCtrlFlow = 16
    VectorKernelSplit = 17
    OutParamNotShadowed = 18
    NoNestedInCore = 19
    InOutUseValid = 20
    PipelineLoopValid = 21
    PipelineResolved = 22
    CallDirectionsResolved = 23
    TileTypeCoherence = 24
    InlineFunctionsEliminated = 25
    OrchestrationReferencesResolved = 26
    TensorViewCanonical = 27
    ArrayNotEscaped = 28
    CommDomainScopesMaterialized = 29
    DistTensorCtxMaterialized = 30
    RuntimeScopesMaterialized = 31
    AssignTypeSymmetry = 32
    ManualDepsOnSubmitOnly = 33
    ReturnParamsExplicit = 34
    UnrollResolved = 35
    AivSplitValid = 36
    HardSyncallOccupancyValid = 37
    IterArgCarryClassified = 38
    AccToGmStoreValid = 39
    AtomicAddDtypeValid = 40


P = IRProperty
PropertySet = frozenset[IRProperty]

STRUCTURAL: PropertySet = frozenset(
    {
        P.TypeChecked,
        P.NoRedundantBlocks,
        P.BreakContinueValid,
        P.UseAfterDef,
        P.OutParamNotShadowed,
        P.NoNestedInCore,
        P.InOutUseValid,
        P.PipelineLoopValid,
        P.ArrayNotEscaped,
        P.ManualDepsOnSubmitOnly,
        P.AtomicAddDtypeValid,
    }
)
"""True of every well-formed program, at any stage."""

DEFAULT_VERIFY: PropertySet = frozenset(
    {
        P.SSAForm,
        P.TypeChecked,
        P.NoNestedCalls,
        P.NoRedundantBlocks,
        P.BreakContinueValid,
        P.UseAfterDef,
        P.OutParamNotShadowed,
        P.NoNestedInCore,
        P.TileTypeCoherence,
        P.ArrayNotEscaped,
    }
)
"""What an explicit verification pass checks."""

VERIFIED_BASIC: PropertySet = frozenset(
    {
        P.SSAForm,
        P.TypeChecked,
        P.NoRedundantBlocks,
        P.AllocatedMemoryAddr,
        P.MixedKernelExpanded,
        P.TileMemoryInferred,
        P.BreakContinueValid,
        P.InOutUseValid,
        P.CallDirectionsResolved,
        P.DistTensorCtxMaterialized,
        P.RuntimeScopesMaterialized,
        P.ManualDepsOnSubmitOnly,
        P.ReturnParamsExplicit,
        P.AivSplitValid,
        P.HardSyncallOccupancyValid,
        P.IterArgCarryClassified,
        P.AccToGmStoreValid,
        P.AtomicAddDtypeValid,
    }
)
"""What level `basic` checks when a pass produces it."""

AUTHORED: PropertySet = frozenset({P.AivSplitValid, P.HardSyncallOccupancyValid, P.AccToGmStoreValid})
"""What no pass can establish, only the author: it is checked where a pass has made it visible."""


def names(properties: PropertySet) -> str:
    """`{A, B}` in declaration order."""
    return "{" + ", ".join(p.name for p in sorted(properties, key=lambda p: p.value)) + "}"

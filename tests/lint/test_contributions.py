# SPDX-License-Identifier: Apache-2.0
"""What the first-party plugins register is where its name says, says what it is for, and is tested and checked."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
import reference

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = ("pypto_passes", "pypto_targets", "pypto_simulators")
PASSES = reference.passes()
# Order rules may name any pass of the public pipeline, also one that is not here yet.
PUBLIC = {
    "InlineFunctions",
    "UnrollLoops",
    "CtrlFlowTransform",
    "ConvertToSSA",
    "Simplify",
    "NormalizeStmtStructure",
    "FlattenCallExpr",
    "OutlineHierarchyScopes",
    "OutlineIncoreScopes",
    "OutlineClusterScopes",
    "ConvertTensorToTileOps",
    "OptimizeOrchTensors",
    "LowerCompositeOps",
    "FlattenTileNdTo2D",
    "LegalizeTileCast",
    "AutoTileMatmulL0",
    "CanonicalizeTileSlice",
    "InferTileMemorySpace",
    "InsertMxScaleAddr",
    "ResolveBackendOpLayouts",
    "LowerAutoVectorSplit",
    "ExpandMixedKernel",
    "InjectGMPipeBuffer",
    "SplitVectorKernel",
    "StampTfreeSplit",
    "NormalizeReturnOrder",
    "SkewCrossCorePipeline",
    "LowerPipelineToSlots",
    "LowerPipelineLoops",
    "CanonicalizeIOOrder",
    "MaterializeTensorStrides",
    "InitMemRef",
    "MaterializeSemanticAliases",
    "MemoryReuse",
    "AllocateMemoryAddr",
    "FoldNoOpReshape",
    "FuseCreateAssembleToSlice",
    "DeriveCallDirections",
    "AutoDeriveTaskDependencies",
    "ExpandManualPhaseFence",
    "SynthesizeAllReduceSignals",
    "MaterializeCommDomainScopes",
    "LowerHostTensorCollectives",
    "MaterializeDistTensorCtx",
    "MaterializeRuntimeScopes",
    "ClassifyIterArgCarry",
    "InsertCommFence",
    "MaterializeValidShapeSymbols",
}
VERIFIED = set(import_module("pypto_passes.plugin").pypto_register_verifiers())
REGISTERED = [
    pytest.param(name, target, id=f"{plugin}:{name}")
    for plugin in PLUGINS
    for hook, register in sorted(vars(import_module(f"{plugin}.plugin")).items())
    if hook.startswith("pypto_register_")
    for name, target in register().items()
]


def words(name: str) -> str:
    """A name without what distinguishes its spellings: `SSAForm`, `ssa_form` and `ssaform` are one name."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


@pytest.mark.parametrize(("name", "target"), REGISTERED)
def test_what_is_registered_exists_and_is_documented(name: str, target: str):
    module, attribute = target.split(":")
    assert inspect.getdoc(getattr(import_module(module), attribute)), f"{name} has no docstring"


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_has_one_name_in_python_in_yaml_and_on_disk(name: str):
    cls = PASSES[name]
    assert cls.name == cls.__name__
    assert words(cls.name) == words(name)
    assert cls.__module__ == f"pypto_passes.{name}"


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_has_tests(name: str):
    assert list((ROOT / "tests" / "passes").glob(f"test_{name}*.py"))


@pytest.mark.parametrize("name", PASSES)
def test_every_property_that_a_pass_produces_has_a_verifier(name: str):
    produced = {words(one.name) for one in PASSES[name].produces}
    assert produced <= {words(verified) for verified in VERIFIED}


@pytest.mark.parametrize("name", PASSES)
def test_order_rules_of_a_pass_name_passes_that_exist(name: str):
    known = {cls.name for cls in PASSES.values()}
    assert {*PASSES[name].after, *PASSES[name].before} <= known | PUBLIC


def test_the_reference_has_a_section_for_every_pass():
    page = reference.passes_page()
    assert [line[3:] for line in page.splitlines() if line.startswith("## ")] == list(PASSES)

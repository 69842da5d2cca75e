# SPDX-License-Identifier: Apache-2.0
"""HardSyncallOccupancyValid: launches that never get past a barrier."""

import pytest
from pypto_passes.verifiers.hard_syncall_occupancy import verify_hard_syncall_occupancy

from pypto_build.ir import EvalStmt, FunctionType, GlobalVar, Submit, frozen_map
from pypto_build.passes import ASCEND910B, PassContext
from tests.passes.verifiers.findings import found
from tests.unit.ir.build import assign, call, function, number, op, program, scalar

AIC, AIV, GROUP, SPMD = FunctionType.AIC, FunctionType.AIV, FunctionType.Group, FunctionType.Spmd
CHIP = PassContext(hardware_description=ASCEND910B)
ALL, CLUSTERS = number(ASCEND910B.vector_cores), number(ASCEND910B.cube_cores)
AIVS, GROUPS = op("system.available_aiv_count"), op("system.available_cluster_count")


def barrier(kind, core_type, *, name="k", mode="hard", **attrs):
    stmt = EvalStmt(op("system.syncall", core_type=core_type, mode=mode))
    return function(name, (), stmt, func_type=kind, attrs=frozen_map(attrs))


def wrapper(kind, *names, name="w", **attrs):
    calls = [EvalStmt(call(one)) for one in names]
    return function(name, (), *calls, func_type=kind, attrs=frozen_map(attrs))


def problems(width, *kernels, **launch):
    """What is said of a launch of the last of some kernels, without the head of the sentence."""
    stmt = EvalStmt(call(kernels[-1].name, core_num=width, **launch))
    of = program(*kernels, function("main", (), stmt, func_type=FunctionType.Orchestration))
    return [text.partition("' ")[2] for _, text in found(verify_hard_syncall_occupancy, of, context=CHIP)]


VECTOR = barrier(AIV, "aiv_only")
MIXED = (barrier(AIC, "mix", name="c"), barrier(AIV, "mix", name="v"), wrapper(GROUP, "c", "v"))
PARTIAL = "waits for all of them: the launch must fill all 48 AIV cores, but it has 24 blocks"
WAVES = "waits for all blocks: the launch needs sync_start=True"


@pytest.mark.parametrize(
    ("width", "kernels"), [(ALL, (VECTOR,)), (AIVS, (VECTOR,)), (CLUSTERS, MIXED), (GROUPS, MIXED)]
)
def test_a_launch_on_all_cores_at_once_passes(width, kernels):
    assert problems(width, *kernels, sync_start=True) == []
    assert problems(width, *kernels) == [WAVES]


@pytest.mark.parametrize(
    ("width", "kernels", "problem"),
    [
        (CLUSTERS, (VECTOR,), PARTIAL),
        (CLUSTERS, (VECTOR, wrapper(SPMD, "k")), PARTIAL),
        (GROUPS, (VECTOR,), "is launched on pl.system.available_cluster_count() blocks, which are not its cores: "),
        (AIVS, MIXED, "is launched on pl.system.available_aiv_count() blocks, which are not its cores: "),
        (ALL, MIXED, "waits for all of them: the launch must fill all 24 core-groups, but it has 48 blocks"),
        (ALL, (barrier(AIC, "aic_only"),), "waits for all of them: the launch must fill all 24 AIC cores, "),
        (ALL, (barrier(AIV, "mix"),), "can never complete: only AIV cores are launched, all with this kernel"),
    ],
)
def test_a_launch_on_other_cores_is_found(width, kernels, problem):
    said = problems(width, *kernels, sync_start=True)
    assert [one.startswith(problem) for one in said] == [True]


@pytest.mark.parametrize(
    ("width", "kernel"),
    [
        (CLUSTERS, barrier(AIV, "aiv_only", mode="soft")),
        (scalar("n"), VECTOR),
        (CLUSTERS, barrier(AIV, "mix", dual_aiv_dispatch=True)),
        (CLUSTERS, barrier(FunctionType.InCore, "mix")),
    ],
)
def test_soft_barriers_unknown_widths_and_unexpanded_kernels_pass(width, kernel):
    assert problems(width, kernel) == []


def test_a_width_is_followed_through_variables():
    width = scalar("n")
    launch = EvalStmt(call("k", core_num=width, sync_start=True))
    of = program(VECTOR, function("main", (), assign(width, number(24)), launch))
    assert [text.endswith(PARTIAL) for _, text in found(verify_hard_syncall_occupancy, of, context=CHIP)] == [True]


def test_a_submitted_task_is_a_launch_too():
    task = Submit(GlobalVar("k"), (), (), core_num=CLUSTERS, sync_start=True)
    of = program(VECTOR, function("main", (), EvalStmt(task)))
    assert [text.endswith(PARTIAL) for _, text in found(verify_hard_syncall_occupancy, of, context=CHIP)] == [True]


def test_the_width_in_a_wrapper_counts_unless_the_launch_says_another():
    wrapped = (VECTOR, wrapper(SPMD, "k", core_num=24))
    assert problems(None, *wrapped)[0] == PARTIAL
    assert problems(ALL, *wrapped, sync_start=True) == []


def test_a_kernel_that_nobody_launches_on_several_cores_passes():
    of = program(VECTOR, function("main", (), EvalStmt(call("k"))))
    assert found(verify_hard_syncall_occupancy, of, context=CHIP) == []

# SPDX-License-Identifier: Apache-2.0
"""ExpandMixedKernel: the core that runs a kernel, and kernels that would need both."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.expand_mixed_kernel import ExpandMixedKernel, verify_mixed_kernel_expanded

from pypto_build.analysis.core_affinity import core_affinity
from pypto_build.errors import UserError
from pypto_build.ir import Call, FunctionType, Level, MemorySpace, Program, Role, collect, frozen_map, rebuilt
from pypto_build.ops import builtin_registry
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs
from tests.unit.ir.build import op, tile

T = "pl.Tensor[[16, 16], pl.FP32]"
VECTOR = "a = pl.tile.load(x, [0, 0], [16, 16])\nb = pl.tile.adds(a, 1.0)\n"
CUBE = """
m = pl.tile.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)
l = pl.tile.move(m, target_memory=pl.Mem.Left)
r = pl.tile.move(m, target_memory=pl.Mem.Right)
c = pl.tile.matmul(l, r)
""".lstrip()


def kernel(text: str, kind: str = "InCore") -> Program:
    """A kernel."""
    body = indent(dedent(text).strip("\n"), "    ")
    return programs.program(f"@pl.function(type=pl.FunctionType.{kind})\ndef kernel(self, x: {T}):\n{body}")


def expanded(text: str) -> Program:
    """The program afterwards, which nobody complains of and another run leaves alone."""
    made = apply_pass(ExpandMixedKernel(), kernel(text))
    programs.assert_unchanged(ExpandMixedKernel(), made)
    assert problems(made) == []
    return made


def problems(made: Program) -> list[str]:
    """What the verifier says."""
    return [found.message for found in verify_mixed_kernel_expanded(made, PassContext())]


def kind(text: str) -> FunctionType:
    """The kind of the kernel afterwards."""
    return programs.method(expanded(text), "kernel").func_type


def test_vector_work_makes_a_vector_kernel():
    programs.assert_becomes(ExpandMixedKernel(), kernel(VECTOR), kernel(VECTOR, "AIV"))


def test_a_matrix_product_makes_a_cube_kernel():
    programs.assert_becomes(ExpandMixedKernel(), kernel(CUBE), kernel(CUBE, "AIC"))


def test_a_load_into_the_memory_of_the_cube_makes_a_cube_kernel():
    assert kind("m = pl.tile.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)") is FunctionType.AIC


def test_what_both_cores_can_do_makes_a_vector_kernel():
    assert kind("v = pl.tensor.read(x, [0, 0])") is FunctionType.AIV


def test_the_product_may_stand_in_a_branch_of_a_loop():
    text = f"for i in pl.range(4):\n    if i == 0:\n{indent(CUBE, '        ')}"
    assert kind(text) is FunctionType.AIC


def test_the_level_and_role_of_a_kernel_follow_its_kind():
    made = programs.method(expanded(CUBE), "kernel")
    assert (made.level, made.role) == (Level.AIC, Role.SubWorker)


def test_attributes_stay_as_they_are():
    before = kernel(VECTOR)
    attrs = frozen_map({"split": 1, "split_aiv": True, "note": "kept"})
    before = before.with_functions([rebuilt(programs.method(before, "kernel"), {"attrs": attrs})])
    assert programs.method(apply_pass(ExpandMixedKernel(), before), "kernel").attrs is attrs


@pytest.mark.parametrize("other", ["AIC", "AIV", "Orchestration", "Group"])
def test_a_function_that_is_no_incore_function_is_left_alone(other: str):
    programs.assert_unchanged(ExpandMixedKernel(), kernel("v = pl.tensor.read(x, [0, 0])", other))


def test_a_kernel_that_needs_both_cores_is_refused_with_both_places():
    before = kernel(VECTOR + CUBE)
    calls = {call.op.name: call for call in reversed(collect(before, Call))}
    with pytest.raises(UserError) as caught:
        apply_pass(ExpandMixedKernel(), before)
    assert caught.value.code == "CORE001"
    assert caught.value.message == "kernel 'kernel' needs the cube core and the vector core"
    assert caught.value.span == calls["tile.load"].span
    assert [text for text, _ in caught.value.notes] == [
        "tile.load runs on the cube core",
        "tile.load runs on the vector core",
    ]


def test_a_move_between_the_cores_is_refused_where_it_stands():
    before = kernel(CUBE + "v = pl.tile.move(c, target_memory=pl.Mem.Vec)")
    (move,) = (call for call in collect(before, Call) if call.op.name == "tile.move" and is_vector(call))
    with pytest.raises(UserError, match="needs the cube core and the vector core") as caught:
        apply_pass(ExpandMixedKernel(), before)
    assert caught.value.span == move.span


def is_vector(call: Call) -> bool:
    """Whether the result lies in the memory of the vector core."""
    return call.type.memory_space is MemorySpace.Vec


@pytest.mark.parametrize(
    ("source", "target", "core"),
    [
        (MemorySpace.Vec, MemorySpace.Vec, "VECTOR"),
        (MemorySpace.Mat, MemorySpace.Left, "CUBE"),
        (MemorySpace.Acc, MemorySpace.Vec, "MIXED"),
        (None, None, "SHARED"),
    ],
)
def test_the_memories_of_its_tiles_say_which_core_moves_them(
    source: MemorySpace | None, target: MemorySpace | None, core: str
):
    made = tile("t", 16, 16, space=target)
    move = op("tile.move", tile("s", 16, 16, space=source), type=made.type)
    assert core_affinity(move, builtin_registry()).name == core


def test_what_is_no_operation_runs_on_either_core():
    assert core_affinity(tile("t", 16, 16), builtin_registry()).name == "SHARED"


def test_an_incore_function_that_is_left_is_reported():
    assert problems(kernel(VECTOR)) == ["function 'kernel' is still InCore"]


def test_an_operation_of_the_other_core_is_reported():
    text = "tile.matmul in AIV function 'kernel' runs on the other core"
    assert text in problems(kernel(CUBE, "AIV"))
    assert "tile.adds in AIC function 'kernel' runs on the other core" in problems(kernel(VECTOR, "AIC"))

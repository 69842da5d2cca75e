# SPDX-License-Identifier: Apache-2.0
"""ExpandMixedKernel: the core that runs a kernel, and kernels that need both: their halves and their group."""

from __future__ import annotations

from textwrap import dedent, indent

import numpy as np
import pytest
from pypto_passes.expand_mixed_kernel import ExpandMixedKernel
from pypto_passes.flatten_call_expr import FlattenCallExpr
from pypto_passes.verifiers.mixed_kernel_expanded import verify_mixed_kernel_expanded

from pypto_build.analysis.core_affinity import core_affinity
from pypto_build.errors import UserError
from pypto_build.ir import Call, FunctionType, Level, MemorySpace, Program, Role, collect, frozen_map, rebuilt
from pypto_build.ops import builtin_registry
from pypto_build.passes import ASCEND910B, ASCEND950, HardwareDescription, PassContext, apply_pass
from tests.passes import programs
from tests.simulators.running import simulate
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


# Adds 1 on the vector core and multiplies on the cube core; then the vector core stores.
WORK = """
a = pl.tile.load(x, [0, 0], [16, 16])
b = pl.tile.adds(a, 1.0)
m = pl.tile.move(b, target_memory=pl.Mem.Mat)
l = pl.tile.move(m, target_memory=pl.Mem.Left)
n = pl.tile.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)
r = pl.tile.move(n, target_memory=pl.Mem.Right)
c = pl.tile.matmul(l, r)
"""
BOTH = f"""{WORK}
v = pl.tile.move(c, target_memory=pl.Mem.Vec, blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)
end = pl.tile.store(v, [0, 0], out)
return end
"""
CUBE_HALF = """
kernel_v2c_slot_buffer = pl.system.reserve_buffer(name="kernel_v2c_slot_buffer", size=2048, base=-1)
kernel_c2v_slot_buffer_import = pl.system.import_peer_buffer(name="kernel_c2v_slot_buffer", peer_func="kernel_aiv")
pl.system.aic_initialize_pipe(kernel_c2v_slot_buffer_import, kernel_v2c_slot_buffer, {pipe})
m: pl.Tile[[16, 16], pl.FP32, pl.Mem.Mat] = pl.tile.tpop_from_aiv(split=0)
l = pl.tile.move(m, target_memory=pl.Mem.Left)
pl.system.tfree_to_aiv(m)
n = pl.tile.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)
r = pl.tile.move(n, target_memory=pl.Mem.Right)
c = pl.tile.matmul(l, r)
pl.tile.tpush_to_aiv(c, split=0)
"""
VECTOR_HALF = """
pl.func_attr({{"dual_aiv_dispatch": True}})
kernel_v2c_slot_buffer_import = pl.system.import_peer_buffer(name="kernel_v2c_slot_buffer", peer_func="kernel_aic")
kernel_c2v_slot_buffer = pl.system.reserve_buffer(name="kernel_c2v_slot_buffer", size=2048, base=-1)
pl.system.aiv_initialize_pipe(kernel_c2v_slot_buffer, kernel_v2c_slot_buffer_import, {pipe})
a = pl.tile.load(x, [0, 0], [16, 16])
b = pl.tile.adds(a, 1.0)
pl.tile.tpush_to_aic(b, split=0)
v: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=0)
end = pl.tile.store(v, [0, 0], out)
pl.system.tfree_to_aic(v)
return end
"""
GROUP = """
self.kernel_aic(x, out)
self.kernel_aiv(x, out)
return out
"""
PIPE = "dir_mask=3, slot_size=1024, slot_num=2"


def part(text: str, kind: str, name: str, *, result: str = f" -> {T}") -> str:
    """A function that takes a tensor and an output."""
    body = indent(dedent(text.format(pipe=PIPE)).strip("\n"), "    ")
    return f"@pl.function(type=pl.FunctionType.{kind})\ndef {name}(self, x: {T}, out: pl.Out[{T}]){result}:\n{body}\n"


def mixed(text: str = BOTH, *more: str) -> Program:
    """A kernel with an output."""
    return programs.program("\n".join([part(text, "InCore", "kernel"), *more]))


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


def test_a_kernel_of_both_cores_becomes_two_halves_and_their_group():
    halves = [part(CUBE_HALF, "AIC", "kernel_aic", result=""), part(VECTOR_HALF, "AIV", "kernel_aiv")]
    expected = programs.program("\n".join([*halves, part(GROUP, "Group", "kernel")]))
    made = programs.assert_becomes(ExpandMixedKernel(), mixed(), expected)
    assert problems(made) == []
    programs.assert_unchanged(ExpandMixedKernel(), made)


@pytest.mark.parametrize("chip", [ASCEND910B, ASCEND950])
def test_the_halves_compute_together_what_the_kernel_computes(chip: HardwareDescription):
    x = np.arange(256, dtype=np.float32).reshape(16, 16) / 256
    made = apply_pass(ExpandMixedKernel(), mixed(), PassContext(chip))
    assert np.allclose(simulate(made, {"x": x}, entry="kernel").outputs["out"], (x + 1) @ x)


def test_a_group_calls_the_halves_of_its_kernel_itself():
    caller = "result = self.kernel(x, out)\nreturn result"
    made = programs.method(apply_pass(ExpandMixedKernel(), mixed(BOTH, part(caller, "Group", "both"))), "both")
    assert [call.op.name for call in collect(made, Call)] == ["kernel_aic", "kernel_aiv"]


def test_another_caller_calls_the_group():
    made = apply_pass(ExpandMixedKernel(), mixed(BOTH, part("return self.kernel(x, out)", "Orchestration", "main")))
    assert [call.op.name for call in collect(programs.method(made, "main"), Call)] == ["kernel"]
    assert programs.method(made, "kernel").func_type is FunctionType.Group


def test_the_number_of_slots_may_be_stated():
    made = apply_pass(ExpandMixedKernel(), mixed('pl.func_attr({{"slot_num": 4}})\n' + BOTH))
    setup = [call for call in collect(made, Call) if call.op.name.endswith("initialize_pipe")]
    assert [call.kwargs["slot_num"] for call in setup] == [4, 4]


def test_a_way_to_split_means_nothing_to_a_kernel_of_one_core():
    before = kernel(VECTOR)
    before = before.with_functions([rebuilt(programs.method(before, "kernel"), {"attrs": frozen_map({"split": 1})})])
    assert not programs.method(apply_pass(ExpandMixedKernel(), before), "kernel").attrs


def test_a_divided_kernel_is_not_replayed_on_the_second_core():
    made = apply_pass(ExpandMixedKernel(), mixed('pl.func_attr({{"split": pl.SplitMode.UP_DOWN}})\n' + BOTH))
    assert dict(programs.method(made, "kernel_aiv").attrs) == {"split": 1}


def test_what_only_the_other_core_computes_is_refused_with_both_places():
    before = mixed("if pl.tile.read(b, [0, 0]) > 0.0:\n    pl.tile.store(c, [0, 0], out)\nreturn out".join([WORK, ""]))
    with pytest.raises(
        UserError, match=r"cube core of kernel 'kernel' needs .*, which the vector core computes"
    ) as caught:
        apply_pass(ExpandMixedKernel(), apply_pass(FlattenCallExpr(), before))
    assert caught.value.code == "CORE002"
    assert [text for text, _ in caught.value.notes] == ["computed on the vector core"]


def test_an_operation_with_tiles_of_both_cores_is_refused():
    before = kernel(CUBE + VECTOR + "d = pl.tile.assemble(m, b, [0, 0])")
    with pytest.raises(UserError, match="memories of the cube core and the vector core") as caught:
        apply_pass(ExpandMixedKernel(), before)
    assert caught.value.code == "CORE001"


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


def test_halves_between_which_nothing_crosses_need_no_pipe_and_no_second_core():
    apart = CUBE + "pl.tile.store(c, [0, 0], out)\n" + VECTOR + "pl.tile.store(b, [0, 0], out)\nreturn out"
    made = apply_pass(ExpandMixedKernel(), mixed(apart))
    assert not programs.method(made, "kernel_aiv").attrs
    assert not [call for call in collect(made, Call) if call.op.name.startswith("system.")]

# SPDX-License-Identifier: Apache-2.0
"""Launches: arguments, results, numbers of kernels, cores, blocks."""

from __future__ import annotations

from typing import cast

import pytest

from pypto_build.errors import UserError
from pypto_build.ir import Function, GlobalVar, Program, Rewriter, Submit, rebuilt
from pypto_build.passes import ASCEND950
from tests.targets.orchestration.generating import KERNELS, PARAMS, T, body, finished, parsed, source, text

BLOCKS = f"""
    @pl.function(type=pl.FunctionType.Spmd)
    def many(self, x: {T}, out: pl.Out[{T}]) -> {T}:
        pl.func_attr({{"core_num": 4, "sync_start": True}})
        out = self.copy(x, out)
        return out
"""
LANES = '        pl.func_attr({"dual_aiv_dispatch": True})\n'
DUAL = KERNELS.replace("        return pl.store(pl.load(x", f"{LANES}        return pl.store(pl.load(x", 1)


def test_a_source_has_the_two_functions_that_the_runtime_looks_for():
    expected = """
    extern "C" {

    __attribute__((visibility("default")))
    PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs& orch_args) {
        (void)orch_args;
        return PTO2OrchestrationConfig{
            .expected_arg_count = 2,
        };
    }

    __attribute__((visibility("default")))
    void aicpu_orchestration_entry(const ChipTaskArgs& orch_args) {
        // External tensors
        const ChipTensor& ext_x = orch_args.tensor(0).ref();
        const ChipTensor& ext_out = orch_args.tensor(1).ref();

        PTO2_SCOPE() {
    """
    assert text(expected) in source("out = self.copy(x, out)\nreturn out")


def test_a_task_takes_its_arguments_in_the_directions_of_the_call():
    expected = """
    PTO2_SCOPE() {

        // Task 0: copy
        CoreTaskArgs params_t0;
        params_t0.add_input(ext_x);
        params_t0.add_output(ext_out);
        rt_submit_aiv_task(0, params_t0);
    }
    """
    assert body("out = self.copy(x, out)\nreturn out") == text(expected)


def test_a_parameter_that_nobody_reads_is_not_declared():
    params = f"spare: {T}, x: {T}, out: pl.Out[{T}], n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX]"
    found = source("for i in pl.range(m):\n    out = self.copy(x, out)\nreturn out", params=params)
    assert "ext_spare" not in found
    assert "const ChipTensor& ext_x = orch_args.tensor(1).ref();" in found
    assert "scalar(0)" not in found
    assert "int64_t m = from_u64<int64_t>(orch_args.scalar(1));" in found


def test_a_parameter_that_is_only_returned_is_not_declared():
    params = f"x: {T}, mid: pl.Out[{T}], out: pl.Out[{T}]"
    assert "ext_out" not in source("mid = self.copy(x, mid)\nreturn out", params=params)


def test_a_result_is_known_by_the_buffer_that_it_was_written_into():
    found = body("done = self.copy(x, out)\nout = self.grow(x, done)\nreturn out")
    assert "params_t1.add_inout(ext_out);" in found
    assert "done" not in found


def test_an_argument_without_dependencies_is_passed_as_such():
    assert "params_t0.add_no_dep(ext_x);" in body("out = self.copy(pl.no_dep(x), out)\nreturn out")


def test_scalars_follow_the_tensors():
    found = body("out = self.scale(x, 0.5, out)\nreturn out")
    assert found.index("add_output(ext_out)") < found.index("add_scalar(to_u64(0.500000f))")


def test_a_float_that_six_decimals_cannot_say_keeps_its_digits():
    assert "add_scalar(to_u64(1e-09f))" in body("out = self.scale(x, 1e-9, out)\nreturn out")


def test_kernels_are_numbered_in_name_order_whatever_the_order_of_launches():
    found = body("out = self.scale(x, 2.0, out)\nout = self.copy(x, out)\nreturn out")
    assert "rt_submit_aiv_task(1, params_t0);" in found
    assert "rt_submit_aiv_task(0, params_t1);" in found


def test_the_elements_of_a_tuple_are_the_buffers_that_the_kernel_returns():
    found = body("""
        a = pl.create_tensor([16, 16], dtype=pl.FP32)
        b = pl.create_tensor([16, 16], dtype=pl.FP32)
        first, second = self.pair(x, a, b)
        out = self.copy(second, out)
        return out
    """)
    assert "params_t1.add_input(b);" in found


def test_a_result_that_is_a_parameter_before_the_last_output_is_that_parameter():
    kernels = KERNELS.replace("return first, second", "return second, first").replace(
        f"-> tuple[{T}, {T}]", f"-> tuple[{T}, {T}]"
    )
    found = body(
        "a, b = self.pair(x, out, other)\nlast = self.copy(a, third)\nreturn last",
        params=(f"x: {T}, out: pl.Out[{T}], other: pl.Out[{T}], third: pl.Out[{T}]"),
        kernels=kernels,
    )
    assert "params_t1.add_input(ext_other);" in found


def test_a_cube_kernel_goes_to_a_cube_core():
    assert "rt_submit_aic_task(0, params_t0);" in body("out = self.product(x, out)\nreturn out")


def test_a_kernel_without_a_core_goes_to_the_cube_core_if_it_uses_its_memory():
    kernels = KERNELS.replace("FunctionType.AIC", "FunctionType.InCore")
    assert "rt_submit_aic_task(0, params_t0);" in body("out = self.product(x, out)\nreturn out", kernels=kernels)


def test_the_kernels_of_a_group_are_launched_together():
    found = body("out = self.both(x, out)\nreturn out")
    assert "MixedKernels mixed_0 = {1, 0, INVALID_KERNEL_ID};\n    rt_submit_task(mixed_0, params_t0);" in found


def test_a_vector_kernel_of_both_lanes_takes_both_slots():
    found = body("out = self.both(x, out)\nreturn out", kernels=DUAL)
    assert "MixedKernels mixed_0 = {1, 0, 0};" in found


def test_a_vector_kernel_of_both_lanes_is_mixed_even_alone():
    found = body("out = self.copy(x, out)\nreturn out", kernels=DUAL)
    assert "MixedKernels mixed_0 = {INVALID_KERNEL_ID, 0, 0};" in found


def test_many_blocks_are_launched_as_the_wrapper_says():
    expected = """
        params_t0.launch_spec.set_block_num(4);
        params_t0.launch_spec.set_require_sync_start(true);
        rt_submit_aiv_task(0, params_t0);
    """
    found = body("out = self.many(x, out)\nreturn out", kernels=KERNELS + BLOCKS)
    assert "\n".join(line.strip() for line in text(expected).splitlines()) in found.replace("    ", "")


def test_the_other_generation_counts_cores_instead_of_blocks():
    found = body("out = self.many(x, out)\nreturn out", kernels=KERNELS + BLOCKS, hardware=ASCEND950)
    assert "params_t0.launch_spec.set_core_num(4);" in found


def test_a_submission_may_say_how_many_blocks_it_takes():
    found = body("out, _ = pl.spmd_submit(self.copy, x, out, core_num=3)\nreturn out")
    assert "params_t0.launch_spec.set_block_num(3);" in found


def test_a_plain_call_may_say_how_many_blocks_it_takes():
    found = body("out = self.copy(x, out, attrs={'core_num': 5, 'sync_start': True})\nreturn out")
    assert "params_t0.launch_spec.set_block_num(5);" in found
    assert "params_t0.launch_spec.set_require_sync_start(true);" in found


class _DropOutput(Rewriter):
    """Launches of `copy` lose their last argument."""

    def visit_submit(self, submit: Submit) -> Submit:
        return rebuilt(submit, {"args": submit.args[:1]}) if submit.op.name == "copy" else submit


def test_an_output_that_is_not_passed_is_allocated_with_the_task():
    made = parsed("a, _ = pl.submit(self.copy, x, out)\nout = self.grow(a, out)\nreturn out")
    main = cast(Function, _DropOutput().visit(made.functions[GlobalVar("main")]))
    found = body(finished(made.with_functions((*kernels_of(made), main))))
    assert "TensorCreateInfo params_t0_synth_out_1(params_t0_synth_out_1_shapes, 2, DataType::FLOAT32);" in found
    assert "params_t0.add_output(params_t0_synth_out_1);" in found
    assert "const ChipTensor& a = task_0_outs.get_ref(0);" in found
    assert "params_t1.add_input(a);" in found


def kernels_of(made: Program) -> tuple[Function, ...]:
    """All functions but the orchestration."""
    return tuple(function for function in made.functions.values() if function.name != "main")


def test_the_kernels_of_a_group_must_take_the_same_arguments():
    other = KERNELS.replace("out = self.product(x, out)", "out = self.product(out, x)")
    with pytest.raises(UserError, match="the kernels of 'both' take different arguments"):
        source("out = self.both(x, out)\nreturn out", kernels=other.replace("def both(self, x: ", "def both(self, x: "))


def test_a_function_that_is_neither_kernel_nor_wrapper_cannot_be_launched():
    other = KERNELS.replace("AIV)\n    def copy", "Opaque)\n    def copy")
    with pytest.raises(UserError, match="cannot launch 'copy': it is Opaque"):
        source("out = self.copy(x, out)\nreturn out", kernels=other)


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("Orchestration", "make it a Graph function, whose tasks are submitted where it is called"),
        ("Graph", "put the pass inline_graph_functions into the pipeline"),
    ],
)
def test_a_function_that_launches_tasks_is_not_launched_itself(kind: str, advice: str):
    inner = f"""
    @pl.function(type=pl.FunctionType.{kind})
    def inner(self, x: {T}, out: pl.Out[{T}]) -> {T}:
        return self.copy(x, out)
"""
    with pytest.raises(UserError, match=f"cannot launch 'inner': it is {kind}") as caught:
        source("out = self.inner(x, out)\nreturn out", kernels=KERNELS + inner)
    assert caught.value.help == advice


LENGTH = f"""
    @pl.function(type=pl.FunctionType.AIV)
    def length(self, x: {T}, out: pl.Out[{T}]) -> tuple[{T}, pl.Scalar[pl.INDEX]]:
        out = pl.store(pl.load(x, [0, 0], [16, 16]), [0, 0], out)
        return out, 16 + 1
"""


def test_a_number_that_a_kernel_returns_cannot_be_read():
    main = "out, n = self.length(x, out)\nfor i in pl.range(n):\n    out = self.copy(x, out)\nreturn out"
    with pytest.raises(UserError, match="result 1 of the launch is none of the buffers"):
        source(main, kernels=KERNELS + LENGTH)


def test_a_number_that_a_kernel_returns_may_be_left_alone():
    assert "rt_submit_aiv_task(0" in body("out, n = self.length(x, out)\nreturn out", kernels=KERNELS + LENGTH)


def test_a_task_takes_a_limited_number_of_arguments():
    numbers = [f"n{i}" for i in range(17)]
    params = ", ".join(f"{n}: pl.Scalar[pl.INDEX]" for n in numbers)
    many = f"""
    @pl.function(type=pl.FunctionType.AIV)
    def many(self, x: {T}, {params}, out: pl.Out[{T}]) -> {T}:
        return pl.store(pl.load(x, [0, 0], [16, 16]), [0, 0], out)
"""
    with pytest.raises(UserError, match="takes 2 tensors and 17 scalars; a task takes 32 and 16"):
        source(f"out = self.many(x, {', '.join('1' for _ in numbers)}, out)\nreturn out", kernels=KERNELS + many)


PIPES = """
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, __gm_pipe_buffer: pl.Out[pl.Tensor[[1], pl.FP32]]):
        ring = pl.system.reserve_buffer(name="ring", size=1024)
        pl.system.aic_initialize_pipe(0, ring, dir_mask=2, slot_size=512, slot_num=2, id=0)
        pl.system.aic_initialize_pipe(0, ring, dir_mask=3, slot_size=256, slot_num=4, id=1)
"""
WORKSPACE = """
    gm_pipe_buffer_0 = pl.tensor.create([1], dtype=pl.FP32, manual_dep=True)
    self.cube(gm_pipe_buffer_0)
    return out
"""


def test_a_workspace_has_room_for_the_slots_of_all_pipes():
    assert f"gm_pipe_buffer_0_ci_shapes[1] = {{{(2 * 512 + 2 * 4 * 256) // 4}}};" in body(WORKSPACE, kernels=PIPES)


@pytest.mark.parametrize(("blocks", "text"), [("3", "3"), ("n", "n")])
def test_a_workspace_has_room_for_each_block_of_the_launch(blocks: str, text: str):
    main = WORKSPACE.replace("(gm_pipe_buffer_0)", f"(gm_pipe_buffer_0, attrs={{'core_num': {blocks}}})")
    made = body(main, kernels=PIPES, params=f"{PARAMS}, n: pl.Scalar[pl.INDEX]")
    assert f"gm_pipe_buffer_0_ci_shapes[1] = {{static_cast<uint32_t>((768) * ({text}))}};" in made


def test_a_communication_context_is_handed_on_as_an_address():
    window = "pld.DistributedTensor[[16, 16], pl.FP32]"
    kernel = f"""
    @pl.function(type=pl.FunctionType.AIV)
    def tell(self, w: pl.InOut[{window}], w_ctx: pld.CommCtx):
        pld.system.wait(w, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Eq)
"""
    made = body(
        "self.tell(w, w_ctx)\nreturn out", kernels=kernel, params=f"{PARAMS}, w: pl.InOut[{window}], w_ctx: pld.CommCtx"
    )
    assert "uint64_t w_ctx = orch_args.scalar(0);" in made
    assert "params_t0.add_scalar(w_ctx);" in made

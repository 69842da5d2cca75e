# SPDX-License-Identifier: Apache-2.0
"""ConvertTensorToTileOps: kernels that compute with tensors load, compute with tiles, and store."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.convert_tensor_to_tile_ops import ConvertTensorToTileOps, verify_incore_tile_ops

from pypto_build.errors import UserError
from pypto_build.ir import Call, Program, collect
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs

T = "pl.Tensor[[16, 16], pl.FP32]"
OUT = f"pl.Out[{T}]"
WHOLE = "[0, 0], [16, 16]"


def kernel(text: str, params: str = f"x: {T}, y: {T}", kind: str = "InCore") -> str:
    """A kernel."""
    body = indent(dedent(text).strip("\n"), "    ")
    return f"@pl.function(type=pl.FunctionType.{kind})\ndef kernel(self, {params}) -> {T}:\n{body}"


def caller(text: str, kind: str = "Orchestration", params: str = f"x: {T}, y: {T}") -> str:
    """A function that calls the kernel."""
    body = indent(dedent(text).strip("\n"), "    ")
    return f"@pl.function(type=pl.FunctionType.{kind})\ndef main(self, {params}) -> {T}:\n{body}"


def assert_converted(before: str, *expected: str) -> None:
    """The expected functions come out, and converting them again changes nothing."""
    made = programs.assert_becomes(ConvertTensorToTileOps(), programs.program(before), programs.program(*expected))
    programs.assert_unchanged(ConvertTensorToTileOps(), made)
    assert problems(made) == []


def problems(made: Program) -> list[str]:
    """What the verifier says."""
    return [found.message for found in verify_incore_tile_ops(made, PassContext())]


def operations(text: str, params: str = f"x: {T}, y: {T}") -> list[str]:
    """The operations of a kernel afterwards."""
    made = apply_pass(ConvertTensorToTileOps(), programs.program(kernel(text, params)))
    return [call.op.name for call in collect(programs.method(made, "kernel"), Call)]


def test_a_kernel_loads_computes_and_stores_into_an_output_of_its_own():
    before = kernel("""
        a = pl.tensor.add(x, y)
        b = pl.tensor.muls(a, 2.0)
        return b
    """)
    after = f"""
        tx = pl.tile.load(x, {WHOLE})
        ty = pl.tile.load(y, {WHOLE})
        a = pl.tile.add(tx, ty)
        b = pl.tile.muls(a, 2.0)
        stored = pl.tile.store(b, [0, 0], out)
        return stored
    """
    assert_converted(before, kernel(after, f"x: {T}, y: {T}, out: {OUT}"))


def test_a_caller_creates_the_tensor_for_the_result():
    both = programs.program(kernel("a = pl.tensor.adds(x, 1.0)\nreturn a"), caller("r = self.kernel(x, y)\nreturn r"))
    made = apply_pass(ConvertTensorToTileOps(), both)
    after = "out = pl.tensor.create([16, 16], dtype=pl.FP32)\nr = self.kernel(x, y, out)\nreturn r"
    stored = f"t = pl.tile.load(x, {WHOLE})\na = pl.tile.adds(t, 1.0)\ns = pl.tile.store(a, [0, 0], out)\nreturn s"
    expected = programs.program(kernel(stored, f"x: {T}, y: {T}, out: {OUT}"), caller(after))
    programs.assert_structural_equal(made, expected, enable_auto_mapping=True)


def test_a_wrapper_hands_an_output_of_its_own_on():
    text = caller("r = self.kernel(x, y)\nreturn r", "Group")
    made = apply_pass(ConvertTensorToTileOps(), programs.program(kernel("a = pl.tensor.adds(x, 1.0)\nreturn a"), text))
    main = programs.method(made, "main")
    assert [direction.name for direction in main.param_directions] == ["In", "In", "Out"]
    assert collect(main, Call)[0].args[2] is main.params[2]


def test_operands_of_a_matrix_product_are_loaded_into_mat():
    before = kernel("c = pl.tensor.matmul(x, y)\nreturn c")
    bridge = "target_memory=pl.Mem.Mat, attrs={'__compiler_tensor_to_tile_mat_bridge': True}"
    after = f"""
        tx = pl.tile.load(x, {WHOLE}, {bridge})
        ty = pl.tile.load(y, {WHOLE}, {bridge})
        c = pl.tile.matmul(tx, ty)
        stored = pl.tile.store(c, [0, 0], out)
        return stored
    """
    assert_converted(before, kernel(after, f"x: {T}, y: {T}, out: {OUT}"))


def test_a_window_of_a_tensor_is_a_load_of_that_window():
    assert operations("a = pl.tensor.slice(x, [8, 16], [8, 0])\nb = pl.tensor.assemble(y, a, [0, 0])\nreturn b") == [
        "tile.load",
        "tile.store",
    ]


def test_a_window_of_what_was_computed_is_a_window_of_the_tile():
    text = "a = pl.tensor.adds(x, 1.0)\nb = pl.tensor.slice(a, [8, 16], [8, 0])\nc = pl.tensor.assemble(y, b, [0, 0])"
    assert operations(text + "\nreturn c") == ["tile.load", "tile.adds", "tile.slice", "tile.store"]


def test_a_scalar_as_second_operand_selects_the_operation_with_a_scalar():
    assert operations("a = pl.tensor.mul(x, 2.0)\nreturn a")[1] == "tile.muls"


def test_elements_of_a_tensor_are_read_where_they_are():
    text = "v = pl.tensor.read(x, [0, 0])\na = pl.tensor.muls(y, v)\nreturn a"
    assert operations(text) == ["tile.load", "tensor.read", "tile.muls", "tile.store"]


def test_a_parameter_that_is_written_becomes_an_output():
    text = "a = pl.tensor.adds(x, 1.0)\nb = pl.tensor.assemble(y, a, [0, 0])\nreturn b"
    made = apply_pass(ConvertTensorToTileOps(), programs.program(kernel(text)))
    assert programs.method(made, "kernel").param_directions[1].name == "Out"


def test_a_parameter_that_a_loop_only_fills_becomes_an_output():
    text = """
        for i, (acc,) in pl.range(2, init_values=(y,)):
            a = pl.tensor.slice(x, [8, 16], [i * 8, 0])
            b = pl.tensor.assemble(acc, a, [i * 8, 0])
            done = pl.yield_(b)
        return done
    """
    made = apply_pass(ConvertTensorToTileOps(), programs.program(kernel(text), caller("return self.kernel(x, y)")))
    for name in ("kernel", "main"):
        assert [direction.name for direction in programs.method(made, name).param_directions] == ["In", "Out"]


def test_a_carry_that_starts_from_a_parameter_is_a_tile():
    before = kernel("""
        for i, (acc,) in pl.range(4, init_values=(x,)):
            a = pl.tensor.add(acc, y)
            last = pl.yield_(a)
        return last
    """)
    after = f"""
        tx = pl.tile.load(x, {WHOLE})
        ty = pl.tile.load(y, {WHOLE})
        for i, (acc,) in pl.range(4, init_values=(tx,)):
            a = pl.tile.add(acc, ty)
            last = pl.yield_(a)
        stored = pl.tile.store(last, [0, 0], out)
        return stored
    """
    assert_converted(before, kernel(after, f"x: {T}, y: {T}, out: {OUT}"))


def test_a_kernel_with_tiles_is_the_same_object():
    text = f"t = pl.tile.load(x, {WHOLE})\ns = pl.tile.store(t, [0, 0], y)\nreturn s"
    programs.assert_unchanged(ConvertTensorToTileOps(), programs.program(kernel(text, f"x: {T}, y: {OUT}")))


@pytest.mark.parametrize("kind", ["Orchestration", "Opaque"])
def test_a_function_that_is_no_kernel_is_left_alone(kind: str):
    text = kernel("a = pl.tensor.adds(x, 1.0)\nreturn a", kind=kind)
    programs.assert_unchanged(ConvertTensorToTileOps(), programs.program(text))


def test_an_operation_without_a_tile_form_is_refused_where_it_stands():
    before = programs.program(kernel("c = pl.tensor.matmul(x, y, c_matrix_nz=True)\nreturn c"))
    with pytest.raises(UserError) as caught:
        apply_pass(ConvertTensorToTileOps(), before)
    assert caught.value.code == "TILE001"
    assert caught.value.message == "tensor.matmul with c_matrix_nz has no registered tile conversion"
    assert caught.value.span == collect(before, Call)[0].span


def test_a_tensor_operation_that_is_left_is_reported():
    made = programs.program(kernel("a = pl.tensor.adds(x, 1.0)\nreturn a"))
    assert problems(made) == ["tensor.adds in kernel 'kernel' works on tensors: it should be a tile operation"]

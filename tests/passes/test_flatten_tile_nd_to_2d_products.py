# SPDX-License-Identifier: Apache-2.0
"""FlattenTileNdTo2D: batched matrix products become one product per matrix, and kernels compute what they did."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import MappingProxyType

import pytest
from pypto_passes.flatten_tile_nd_to_2d import FlattenTileNdTo2D
from pypto_passes.verifiers.tile_ops_2d import verify_tile_ops_2d

from pypto_build.errors import UserError
from pypto_build.ir import AssignStmt, Call, MemorySpace, Program, collect
from pypto_build.passes import ASCEND910B, Buffer, HardwareDescription, PassContext, apply_pass
from tests.passes import programs
from tests.passes.simulated import assert_same_answer

PASS = FlattenTileNdTo2D()
SMALL = replace(
    ASCEND910B, buffers=MappingProxyType({**ASCEND910B.buffers, MemorySpace.Mat: Buffer(2048, 32)}), name="small"
)
"""A chip on which the operands of the products here do not fit together."""


def kernel(head: str, body: str) -> Program:
    """A program of one kernel."""
    text = body.replace("MAT", "target_memory=pl.Mem.Mat").replace("ALL", "0, 0, 0], [").replace("ORIGIN", "[0, 0, 0]")
    return programs.body(f"@pl.function(type=pl.FunctionType.InCore)\ndef kernel(self, {head}):", text)


def flat(head: str, body: str, *, hardware: HardwareDescription = ASCEND910B) -> Counter[str]:
    """How often each operation is in the kernel after the pass, which computes the same with flat tiles."""
    made = assert_same_answer(PASS, kernel(head, body), hardware=hardware)
    assert list(verify_tile_ops_2d(made, PassContext())) == []
    programs.assert_unchanged(PASS, made, PassContext(hardware_description=hardware))
    return Counter(call.op.name for call in collect(programs.method(made, "kernel").body, Call))


def head(left: str, right: str, out: str, more: str = "") -> str:
    """The parameters of a kernel by their shapes."""
    return (
        f"a: pl.Tensor[{left}, pl.FP16], b: pl.Tensor[{right}, pl.FP16], {more}out: pl.Out[pl.Tensor[{out}, pl.FP32]]"
    )


TWO = head("[2, 16, 32]", "[2, 32, 16]", "[2, 16, 16]")
LOADS = "x = pl.load(a, [ALL2, 16, 32], MAT)\ny = pl.load(b, [ALL2, 32, 16], MAT)\n"
STORE = "r = pl.store(z, ORIGIN, out)"


def test_matrices_are_cut_out_of_whole_operands_and_stored_one_by_one():
    found = flat(TWO, f"{LOADS}z = pl.tile.batch_matmul(x, y)\n{STORE}")
    assert found["tensor.view"] == found["tile.load"] == found["tile.matmul"] == found["tile.store"] == 2
    assert found["tile.slice"] == 4
    assert found["tile.assemble"] == found["tile.create"] == 0


@pytest.mark.parametrize(
    ("left", "right", "out"),
    [
        ("[2, 1, 16, 32]", "[1, 3, 32, 16]", "[2, 3, 16, 16]"),
        ("[3, 16, 32]", "[2, 3, 32, 16]", "[2, 3, 16, 16]"),
        ("[2, 2, 16, 32]", "[1, 1, 32, 16]", "[2, 2, 16, 16]"),
    ],
)
@pytest.mark.parametrize("hardware", [ASCEND910B, SMALL], ids=["whole", "apart"])
def test_batches_are_broadcast(left: str, right: str, out: str, hardware: HardwareDescription):
    zeros = {shape: str([0] * len(shape.split(","))) for shape in (left, right, out)}
    body = f"""
        x = pl.load(a, {zeros[left]}, {left}, MAT)
        y = pl.load(b, {zeros[right]}, {right}, MAT)
        z = pl.tile.batch_matmul(x, y)
        r = pl.store(z, {zeros[out]}, out)
    """
    flat(head(left, right, out), body, hardware=hardware)


def test_an_operand_that_is_a_matrix_serves_every_product():
    body = """
        x = pl.load(a, [0, 0], [16, 32], MAT)
        y = pl.load(b, [ALL2, 32, 16], MAT)
        z = pl.tile.batch_matmul(x, y)
        r = pl.store(z, ORIGIN, out)
    """
    assert flat(head("[16, 32]", "[2, 32, 16]", "[2, 16, 16]"), body)["tile.slice"] == 2


@pytest.mark.parametrize("hardware", [ASCEND910B, SMALL], ids=["whole", "apart"])
def test_transposed_views_are_cut_by_columns(hardware: HardwareDescription):
    body = """
        x = pl.load(a, [ALL2, 32, 16], MAT)
        u = pl.tile.transpose_view(x)
        y = pl.load(b, [ALL2, 16, 32], MAT)
        v = pl.tile.transpose_view(y)
        z = pl.tile.batch_matmul(u, v)
        r = pl.store(z, ORIGIN, out)
    """
    found = flat(head("[2, 32, 16]", "[2, 16, 32]", "[2, 16, 16]"), body, hardware=hardware)
    assert found["tile.transpose_view"] == (2 if hardware is ASCEND910B else 4)


def test_operands_that_do_not_fit_together_are_loaded_matrix_by_matrix():
    found = flat(TWO, f"{LOADS}z = pl.tile.batch_matmul(x, y)\n{STORE}", hardware=SMALL)
    assert (found["tile.load"], found["tile.slice"]) == (4, 0)


def test_loads_into_vector_memory_are_cut_or_repeated_too():
    body = f"{LOADS.replace(', MAT', '')}z = pl.tile.batch_matmul(x, y)\n{STORE}"
    assert flat(TWO, body)["tensor.view"] == 0
    assert flat(TWO, body, hardware=SMALL)["tile.load"] == 4


def test_a_window_that_cuts_the_rows_of_each_matrix_is_loaded_matrix_by_matrix():
    body = "x = pl.load(a, [ALL2, 16, 32], MAT)\ny = pl.load(b, [0, 8, 0], [2, 32, 16], MAT)\n"
    found = flat(head("[2, 16, 32]", "[3, 48, 16]", "[2, 16, 16]"), f"{body}z = pl.tile.batch_matmul(x, y)\n{STORE}")
    assert (found["tile.load"], found["tile.slice"]) == (3, 2)


def test_such_a_window_is_refused_for_anything_else():
    body = "x = pl.load(a, [ALL2, 8, 32], MAT)\nz = pl.tile.move(x, target_memory=pl.Mem.Vec)\n" + STORE
    with pytest.raises(UserError, match="rows that do not lie together") as raised:
        apply_pass(PASS, kernel(head("[2, 16, 32]", "[2, 32, 16]", "[2, 8, 32]"), body))
    assert raised.value.code == "FLAT006"


def test_a_load_is_not_repeated_after_its_tensor_was_written():
    parameters = TWO.replace("a: pl.Tensor[[2, 16, 32], pl.FP16]", "a: pl.InOut[pl.Tensor[[2, 16, 32], pl.FP16]]")
    loads = LOADS.replace(", MAT", "", 1)
    body = f"{loads}w = pl.store(x, ORIGIN, a)\nz = pl.tile.batch_matmul(x, y)\n{STORE}"
    assert flat(parameters, body, hardware=SMALL)["tile.load"] == 3


def test_a_reshape_of_the_batch_alone_is_not_needed():
    body = """
        x = pl.load(a, [ALL4, 16, 32], MAT)
        u = pl.tile.reshape(x, [2, 2, 16, 32])
        y = pl.load(b, [0, 0, 0, 0], [2, 2, 32, 16], MAT)
        z = pl.tile.batch_matmul(u, y)
        r = pl.store(z, [0, 0, 0, 0], out)
    """
    assert flat(head("[4, 16, 32]", "[2, 2, 32, 16]", "[2, 2, 16, 16]"), body)["tile.reshape"] == 0


def test_products_inside_loops_cut_what_is_loaded_before():
    body = f"""
        {LOADS.replace(chr(10), chr(10) + "        ").strip()}
        for i, (c,) in pl.range(2, init_values=(out,)):
            z = pl.tile.batch_matmul(x, y)
            r = pl.store(z, ORIGIN, c)
            d = pl.yield_(r)
        return d
    """
    assert flat(TWO, body)["tile.load"] == 2


# -- where the product goes --------------------------------------------------------------------------------------------


def test_a_product_that_is_computed_with_is_put_together():
    found = flat(TWO, f"{LOADS}p = pl.tile.batch_matmul(x, y)\nz = pl.tile.adds(p, 1.0)\n{STORE}")
    assert (found["tile.assemble"], found["tile.move"], found["tile.store"]) == (2, 2, 1)


def test_a_product_of_one_matrix_is_that_of_the_matrices():
    body = f"{LOADS}p = pl.tile.batch_matmul(x, y)\nz = pl.tile.adds(p, 1.0)\n{STORE}".replace("ALL2", "ALL1")
    found = flat(head("[1, 16, 32]", "[1, 32, 16]", "[1, 16, 16]"), body)
    assert (found["tile.assemble"], found["tile.move"], found["tile.matmul"]) == (0, 0, 1)


def test_products_are_added_to_the_matrices_of_an_accumulator():
    body = f"{LOADS}p = pl.tile.batch_matmul(x, y)\nz = pl.tile.batch_matmul_acc(p, x, y)\n{STORE}"
    found = flat(TWO, body)
    assert (found["tile.matmul"], found["tile.matmul_acc"], found["tile.assemble"]) == (2, 2, 4)


def test_a_store_reads_its_tensor_after_what_stands_before_it():
    body = f"{LOADS}z = pl.tile.batch_matmul(x, y)\nf = pl.tile.full([2, 16, 16], dtype=pl.FP32, value=1.0)\n"
    made = f"{body}s = pl.store(f, ORIGIN, out)\nr = pl.store(z, ORIGIN, s, atomic=pl.AtomicType.Add)"
    assert flat(TWO, made)["tile.store"] == 3


def test_a_product_that_is_partly_valid_stores_what_is_valid():
    loads = LOADS.replace("[ALL2, 16, 32]", "[ALL2, 16, 32], valid_shape=[2, 9, 32]")
    flat(TWO, f"{loads}z = pl.tile.batch_matmul(x, y)\n{STORE}".replace(", MAT", "", 1))


def test_the_place_of_a_store_moves_with_the_matrix():
    out = head("[2, 16, 32]", "[2, 32, 16]", "[5, 24, 16]").replace("pl.Out[", "pl.InOut[")
    made = assert_same_answer(
        PASS, kernel(out, f"{LOADS}z = pl.tile.batch_matmul(x, y)\nr = pl.store(z, [2, 8, 0], out)")
    )
    places = [line.split("product")[1].split("]")[0] for line in str(made).splitlines() if "tile.store" in line]
    assert [place.split("[")[1] for place in places] == ["2, 8, 0", "3, 8, 0"]


def test_statements_are_where_the_author_wrote_them():
    before = kernel(TWO, f"{LOADS}z = pl.tile.batch_matmul(x, y)\n{STORE}")
    lines = {stmt.span.begin_line for stmt in collect(programs.method(before, "kernel").body, AssignStmt)}
    made = programs.method(apply_pass(PASS, before), "kernel")
    assert {stmt.span.begin_line for stmt in collect(made.body, AssignStmt)} == lines

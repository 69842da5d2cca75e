# SPDX-License-Identifier: Apache-2.0
"""FlattenTileNdTo2D: tiles of more than two dimensions become rows and columns, and kernels compute what they did."""

from __future__ import annotations

import pytest
from pypto_passes.flatten_tile_nd_to_2d import FlattenTileNdTo2D
from pypto_passes.verifiers.tile_ops_2d import verify_tile_ops_2d

from pypto_build.errors import UserError
from pypto_build.ir import Call, Program, TileType, collect
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs
from tests.passes.simulated import assert_same_answer

PASS = FlattenTileNdTo2D()
T = "pl.Tensor[[2, 3, 8], pl.FP32]"
IN_OUT = f"x: {T}, out: pl.Out[{T}]"
LOAD = "a = pl.load(x, [0, 0, 0], [2, 3, 8])\n"


def kernel(head: str, body: str, kind: str = "InCore") -> Program:
    """A program of one kernel."""
    return programs.body(f"@pl.function(type=pl.FunctionType.{kind})\ndef kernel(self, {head}):", body)


def flat(head: str, body: str, *, scalars: int = 1) -> Program:
    """The kernel after the pass, which computes the same, has no deeper tiles and is left alone by another run."""
    made = assert_same_answer(PASS, kernel(head, body), scalars=scalars)
    assert list(verify_tile_ops_2d(made, PassContext())) == []
    programs.assert_unchanged(PASS, made)
    return made


def shapes(made: Program, name: str) -> list[str]:
    """The types of the results of an operation."""
    calls = [call for call in collect(programs.method(made, "kernel").body, Call) if call.op.name == name]
    return [str(call.type) for call in calls]


def refusal(head: str, body: str) -> UserError:
    """The error that a kernel is refused with."""
    with pytest.raises(UserError) as raised:
        apply_pass(PASS, kernel(head, body))
    return raised.value


def test_a_chain_of_operations_works_on_rows_and_columns():
    before = kernel(IN_OUT, f"{LOAD}b = pl.tile.exp(a)\nc = pl.tile.add(b, a)\nr = pl.store(c, [0, 0, 0], out)")
    expected = kernel(
        IN_OUT,
        """
        a: pl.Tile[[6, 8], pl.FP32, pl.Mem.Vec] = pl.load(x, [0, 0, 0], [2, 3, 8])
        b: pl.Tile[[6, 8], pl.FP32, pl.Mem.Vec] = pl.tile.exp(a)
        c: pl.Tile[[6, 8], pl.FP32, pl.Mem.Vec] = pl.tile.add(b, a)
        r = pl.store(c, [0, 0, 0], out, [2, 3, 8])
        """,
    )
    programs.assert_becomes(PASS, before, expected)
    assert_same_answer(PASS, before)


def test_kernels_without_deeper_tiles_stay():
    head = "x: pl.Tensor[[16, 8], pl.FP32], out: pl.Out[pl.Tensor[[16, 8], pl.FP32]]"
    body = "a = pl.load(x, [0, 0], [16, 8])\nb = pl.tile.add(a, a)\nr = pl.store(b, [0, 0], out)"
    programs.assert_unchanged(PASS, kernel(head, body))


def test_functions_that_are_no_kernels_stay():
    programs.assert_unchanged(PASS, kernel(IN_OUT, "return x", "Orchestration"))


def test_tiles_of_five_dimensions_are_flattened():
    head = "x: pl.Tensor[[2, 1, 3, 2, 8], pl.FP32], out: pl.Out[pl.Tensor[[2, 1, 3, 2, 8], pl.FP32]]"
    body = "a = pl.load(x, [0, 0, 0, 0, 0], [2, 1, 3, 2, 8])\nb = pl.tile.neg(a)\nr = pl.store(b, [0, 0, 0, 0, 0], out)"
    assert shapes(flat(head, body), "tile.neg") == ["pl.Tile[[12, 8], pl.FP32, pl.Mem.Vec]"]


def test_a_window_of_a_tensor_keeps_its_dimensions():
    head = f"x: pl.Tensor[[4, 5, 16], pl.FP32], out: pl.Out[{T}]"
    body = "a = pl.load(x, [1, 2, 8], [2, 3, 8])\nr = pl.store(a, [0, 0, 0], out)"
    flat(head, body)


def test_a_tile_of_two_dimensions_is_a_box_of_a_deeper_tensor():
    head = f"x: pl.Tensor[[3, 8], pl.FP32], out: pl.InOut[{T}]"
    made = flat(head, "a = pl.load(x, [0, 0], [3, 8])\nr = pl.store(a, [1, 0, 0], out)")
    assert "pl.tile.store(a, [1, 0, 0], out, [1, 3, 8])" in str(made)


def test_a_tile_with_units_in_front_is_stored_in_a_matrix():
    head = "x: pl.Tensor[[1, 3, 8], pl.FP32], out: pl.InOut[pl.Tensor[[6, 8], pl.FP32]]"
    made = flat(head, "a = pl.load(x, [0, 0, 0], [1, 3, 8])\nr = pl.store(a, [0, 2, 0], out)")
    assert "pl.tile.store(a, [2, 0], out)" in str(made)


def test_tiles_that_are_made_in_a_shape_are_made_flat():
    body = f"{LOAD}f = pl.tile.full([2, 3, 8], dtype=pl.FP32, value=2.0)\nb = pl.tile.mul(a, f)\n"
    made = flat(IN_OUT, f"{body}r = pl.store(b, [0, 0, 0], out)")
    assert shapes(made, "tile.full") == ["pl.Tile[[6, 8], pl.FP32, pl.Mem.Vec]"]


def test_a_row_is_still_repeated():
    head = f"x: {T}, y: pl.Tensor[[1, 1, 8], pl.FP32], out: pl.Out[{T}]"
    body = f"{LOAD}v = pl.load(y, [0, 0, 0], [1, 1, 8])\nb = pl.tile.add(a, v)\nr = pl.store(b, [0, 0, 0], out)"
    flat(head, body)


def test_a_row_for_each_outer_index_is_refused():
    head = f"x: {T}, y: pl.Tensor[[2, 1, 8], pl.FP32], out: pl.Out[{T}]"
    body = f"{LOAD}v = pl.load(y, [0, 0, 0], [2, 1, 8])\nb = pl.tile.add(a, v)\nr = pl.store(b, [0, 0, 0], out)"
    assert "repeats an operand along an outer dimension ([2, 1, 8] in [2, 3, 8])" in refusal(head, body).message


def test_rows_are_reduced_and_expanded():
    head = f"x: {T}, out: pl.Out[{T}]"
    body = f"""
        {LOAD}tmp = pl.tile.create([2, 3, 8], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        s = pl.tile.row_sum(a, tmp)
        b = pl.tile.row_expand_sub(a, s)
        r = pl.store(b, [0, 0, 0], out)
    """
    made = flat(head, body.replace(LOAD, LOAD + " " * 8))
    assert shapes(made, "tile.row_sum") == ["pl.Tile[[6, 1], pl.FP32, pl.Mem.Vec]"]


def test_a_reduction_along_another_axis_is_refused():
    head = f"x: {T}, out: pl.Out[pl.Tensor[[1, 3, 8], pl.FP32]]"
    error = refusal(head, f"{LOAD}b = pl.tile.col_max(a)\nr = pl.store(b, [0, 0, 0], out)")
    assert (error.code, "tile.col_max along an axis other than the last" in error.message) == ("FLAT003", True)


@pytest.mark.parametrize("operation", ["tile.slice(a, [1, 3, 8], [1, 0, 0])", "tile.read(a, [1, 2, 3])"])
def test_parts_of_deeper_tiles_are_refused(operation: str):
    error = refusal(IN_OUT, f"{LOAD}b = pl.{operation}\nr = pl.store(a, [0, 0, 0], out)")
    assert "on a tile of more than two dimensions" in error.message


def test_an_extent_that_is_not_constant_is_refused():
    head = f"x: {T}, n: pl.Scalar[pl.INDEX], out: pl.Out[{T}]"
    error = refusal(head, "a = pl.load(x, [0, 0, 0], [2, n, 8])\nr = pl.store(a, [0, 0, 0], out)")
    assert "cannot be flattened to 2D: dimension 1 is not constant" in error.message


# -- valid regions -----------------------------------------------------------------------------------------------------


def test_a_valid_part_known_at_run_time_stays():
    head = "x: pl.Tensor[[2, 16, 8], pl.FP32], n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[2, 16, 8], pl.FP32]]"
    body = """
        a = pl.load(x, [1, 0, 0], [1, 16, 8], valid_shape=[1, n, 8])
        b = pl.tile.muls(a, 2.0)
        r = pl.store(b, [1, 0, 0], out)
    """
    made = flat(head, body, scalars=5)
    assert "valid_shape=[n, 8]" in shapes(made, "tile.muls")[0]


def test_the_first_outer_indices_may_be_valid():
    head = "x: pl.Tensor[[4, 3, 8], pl.FP32], out: pl.Out[pl.Tensor[[4, 3, 8], pl.FP32]]"
    body = "a = pl.load(x, [0, 0, 0], [4, 3, 8], valid_shape=[2, 3, 8])\nb = pl.tile.exp(a)\n"
    made = flat(head, f"{body}r = pl.store(b, [0, 0, 0], out)")
    assert "valid_shape=[6, 8]" in shapes(made, "tile.exp")[0]


def test_valid_rows_in_several_places_are_refused():
    head = "x: pl.Tensor[[4, 3, 8], pl.FP32], out: pl.Out[pl.Tensor[[4, 3, 8], pl.FP32]]"
    body = "a = pl.load(x, [0, 0, 0], [4, 3, 8], valid_shape=[4, 2, 8])\nr = pl.store(a, [0, 0, 0], out)"
    assert "'a' cannot be flattened to 2D: it reads rows that do not lie together" in refusal(head, body).message


def test_a_tile_that_is_valid_in_several_places_is_refused():
    kind = "pl.Tile[[2, 3, 8], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[2, 2, 8])]"
    error = refusal(f"x: {T}, a: {kind}, out: pl.Out[{T}]", "r = pl.store(a, [0, 0, 0], out)")
    assert (error.code, "its elements do not lie together" in error.message) == ("FLAT002", True)


# -- control flow ------------------------------------------------------------------------------------------------------


def test_carries_and_results_of_loops_follow_what_they_start_from():
    body = f"""
        {LOAD.strip()}
        for i, (c,) in pl.range(3, init_values=(a,)):
            b = pl.tile.adds(c, 1.0)
            d = pl.yield_(b)
        r = pl.store(d, [0, 0, 0], out)
    """
    made = flat(IN_OUT, body)
    assert shapes(made, "tile.adds") == ["pl.Tile[[6, 8], pl.FP32, pl.Mem.Vec]"]


@pytest.mark.parametrize("chosen", [1, 2])
def test_results_of_branches_follow_what_they_yield(chosen: int):
    body = f"""
        {LOAD.strip()}
        if n == 1:
            b = pl.tile.exp(a)
            d = pl.yield_(b)
        else:
            c = pl.tile.neg(a)
            d = pl.yield_(c)
        r = pl.store(d, [0, 0, 0], out)
    """
    flat(f"x: {T}, n: pl.Scalar[pl.INDEX], out: pl.Out[{T}]", body, scalars=chosen)


# -- views and parts ---------------------------------------------------------------------------------------------------


def test_a_tile_in_a_shape_of_the_author_is_read_as_rows_and_columns():
    head = "x: pl.Tensor[[4, 8], pl.FP32], out: pl.InOut[pl.Tensor[[4, 2, 8], pl.FP32]]"
    body = "a = pl.load(x, [0, 0], [4, 8])\nb = pl.tile.reshape(a, [4, 1, 8])\n"
    made = flat(head, f"{body}r = pl.store(b, [0, 1, 0], out)")
    assert len(shapes(made, "tile.reshape")) == 2


def test_a_reshape_of_a_reshape_needs_no_flat_tile_between():
    head = f"x: {T}, out: pl.Out[pl.Tensor[[3, 16], pl.FP32]]"
    body = f"{LOAD}b = pl.tile.reshape(a, [3, 2, 8])\nc = pl.tile.reshape(b, [3, 16])\nr = pl.store(c, [0, 0], out)"
    assert len(shapes(flat(head, body), "tile.reshape")) == 2


def test_elements_of_another_type_are_seen_in_the_flat_tile():
    body = f"{LOAD}b = pl.tile.reinterpret_view(a, pl.INT32)\nc = pl.tile.reinterpret_view(b, pl.FP32)\n"
    made = flat(IN_OUT, f"{body}r = pl.store(c, [0, 0, 0], out)")
    assert shapes(made, "tile.reinterpret_view")[0] == "pl.Tile[[6, 8], pl.INT32, pl.Mem.Vec]"


def test_the_place_of_a_part_becomes_a_row_and_a_column():
    head = f"x: pl.Tensor[[1, 3, 4], pl.FP32], y: {T}, out: pl.Out[{T}]"
    body = """
        a = pl.load(y, [0, 0, 0], [2, 3, 8])
        p = pl.load(x, [0, 0, 0], [1, 3, 4])
        b = pl.tile.assemble(a, p, [1, 0, 4])
        r = pl.store(b, [0, 0, 0], out)
    """
    assert "[3, 4])" in next(line for line in str(flat(head, body)).splitlines() if "assemble" in line)


@pytest.mark.parametrize(("part", "told"), [("[2, 2, 8]", "contiguous row band"), ("[3, 8]", "a rank-2 source")])
def test_a_part_that_is_no_band_of_rows_is_refused(part: str, told: str):
    body = f"{LOAD}p = pl.tile.full({part}, dtype=pl.FP32, value=1.0)\nb = pl.tile.assemble(a, p, [0, 0, 0])\n"
    error = refusal(IN_OUT, f"{body}r = pl.store(b, [0, 0, 0], out)")
    assert (error.code, told in error.message) == ("FLAT004", True)


# -- transpositions ----------------------------------------------------------------------------------------------------


def test_a_transposition_gets_a_scratch_tile():
    head = "x: pl.Tensor[[3, 8], pl.FP32], out: pl.Out[pl.Tensor[[8, 3], pl.FP32]]"
    made = flat(head, "a = pl.load(x, [0, 0], [3, 8])\nb = pl.transpose(a, 0, 1)\nr = pl.store(b, [0, 0], out)")
    assert shapes(made, "tile.create") == ["pl.Tile[[3, 8], pl.FP32, pl.Mem.Vec]"]


def test_matrices_are_transposed_one_by_one():
    head = f"x: {T}, out: pl.Out[pl.Tensor[[2, 8, 3], pl.FP32]]"
    made = flat(head, f"{LOAD}b = pl.transpose(a, 1, 2)\nr = pl.store(b, [0, 0, 0], out)")
    assert shapes(made, "tile.transpose") == ["pl.Tile[[8, 3], pl.FP32, pl.Mem.Vec]"] * 2


def test_an_exchange_of_outer_axes_is_refused():
    head = f"x: {T}, out: pl.Out[pl.Tensor[[3, 2, 8], pl.FP32]]"
    error = refusal(head, f"{LOAD}b = pl.transpose(a, 0, 1)\nr = pl.store(b, [0, 0, 0], out)")
    assert "exchanges axes 0 and 1 of 3: only last-two-axes tile.transpose is supported" in error.message


def test_every_tile_is_flat_where_the_kernel_returns_it():
    made = apply_pass(PASS, kernel(f"x: {T}", f"{LOAD}return a"))
    (kind,) = programs.method(made, "kernel").return_types or [None]
    assert kind is None or (isinstance(kind, TileType) and len(kind.shape) == 2)

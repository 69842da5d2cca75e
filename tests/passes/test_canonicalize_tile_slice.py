# SPDX-License-Identifier: Apache-2.0
"""CanonicalizeTileSlice: which windows are extracted, and kernels compute what they did."""

from __future__ import annotations

import pytest
from pypto_passes.canonicalize_tile_slice import CanonicalizeTileSlice
from pypto_passes.flatten_tile_nd_to_2d import FlattenTileNdTo2D

from pypto_build.errors import UserError
from pypto_build.ir import Program
from pypto_build.passes import apply_pass
from tests.passes import programs
from tests.passes.simulated import assert_same_answer

PASS = CanonicalizeTileSlice()
T = "pl.Tensor[[32, 16], pl.FP32]"
LOAD = "t = pl.load(x, [0, 0], [32, 16])\n"
LOADS = "x = pl.load(a, [0, 0], [32, 64], MAT)\ny = pl.load(b, [0, 0], [64, 32], MAT)\n"


def kernel(body: str, head: str = "") -> Program:
    """A kernel; by default one that has a matrix, a number and an output."""
    text = head or f"x: {T}, n: pl.Scalar[pl.INDEX], out: pl.Out[{T}]"
    lines = body.replace("MAT", "target_memory=pl.Mem.Mat")
    return programs.body(f"@pl.function(type=pl.FunctionType.InCore)\ndef kernel(self, {text}):", lines)


def canonical(body: str, head: str = "", *, scalars: int = 1) -> str:
    """The text of the kernel after the pass: it computes the same, and another run leaves it alone."""
    made = assert_same_answer(PASS, kernel(body, head), scalars=scalars)
    programs.assert_unchanged(PASS, made)
    return str(made)


def product(shape: str = "[16, 32]", operand: str = "FP16") -> str:
    """The parameters of a kernel with a matrix product."""
    factors = f"a: pl.Tensor[[32, 64], pl.{operand}], b: pl.Tensor[[64, 32], pl.{operand}]"
    return f"{factors}, n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[{shape}, pl.FP32]]"


# -- Mat ---------------------------------------------------------------------------------------------------------------


def test_windows_go_straight_into_the_operands_of_a_product():
    body = f"{LOADS}u = pl.tile.slice(x, [16, 64], [16, 0])\nz = pl.tile.matmul(u, y)\nr = pl.store(z, [0, 0], out)"
    expected = kernel(
        f"""
        {LOADS.replace(chr(10), chr(10) + "        ").strip()}
        u = pl.tile.extract(x, 16, 0, shape=[16, 64], target_memory=pl.Mem.Left)
        z = pl.tile.matmul(u, y)
        r = pl.store(z, [0, 0], out)
        """,
        product(),
    )
    programs.assert_becomes(PASS, kernel(body, product()), expected)
    canonical(body, product())


def test_the_accumulator_of_a_product_is_no_factor():
    body = f"""
        {LOADS.replace(chr(10), chr(10) + "        ").strip()}
        u = pl.tile.slice(x, [16, 64], [16, 0])
        v = pl.tile.slice(y, [64, 16], [0, 16])
        c = pl.tile.matmul(u, v)
        d = pl.tile.matmul_acc(c, u, v)
        r = pl.store(d, [0, 0], out)
    """
    made = canonical(body, product("[16, 16]"))
    assert (made.count("target_memory=pl.Mem.Left"), made.count("target_memory=pl.Mem.Right")) == (2, 2)
    assert "tile.slice" not in made


def test_an_extract_out_of_a_window_of_a_window_reads_the_tile():
    body = f"""
        {LOADS.replace(chr(10), chr(10) + "        ").strip()}
        u = pl.tile.slice(x, [24, 64], [8, 0])
        v = pl.tile.slice(u, [16, 32], [n, 16])
        w = pl.tile.extract(v, 0, 16, shape=[16, 16], target_memory=pl.Mem.Left)
        p = pl.tile.extract(y, 0, 0, shape=[16, 32], target_memory=pl.Mem.Right)
        z = pl.tile.matmul(w, p)
        r = pl.store(z, [0, 0], out)
    """
    made = canonical(body, product(), scalars=3)
    assert "pl.tile.extract(x, 8 + n, 32, [16, 16]" in made
    assert "tile.slice" not in made


def test_windows_that_somebody_else_reads_stay():
    body = f"{LOADS}u = pl.tile.slice(x, [16, 64], [16, 0])\nv = pl.tile.move(u, target_memory=pl.Mem.Vec)\n"
    head = product("[16, 64]").replace("pl.FP32", "pl.FP16")
    programs.assert_unchanged(PASS, kernel(f"{body}r = pl.store(v, [0, 0], out)", head))


def test_windows_that_say_which_part_is_valid_stay():
    body = f"{LOADS}u = pl.tile.slice(x, [16, 64], [16, 0], valid_shape=[16, 64])\nz = pl.tile.matmul(u, y)\n"
    programs.assert_unchanged(PASS, kernel(f"{body}r = pl.store(z, [0, 0], out)", product()))


def test_the_matrices_of_a_batched_product_are_extracted():
    head = "a: pl.Tensor[[2, 16, 32], pl.FP16], b: pl.Tensor[[2, 16, 32], pl.FP16], OUT"
    body = """
        x = pl.load(a, [0, 0, 0], [2, 16, 32], MAT)
        y = pl.load(b, [0, 0, 0], [2, 16, 32], MAT)
        v = pl.tile.transpose_view(y)
        z = pl.tile.batch_matmul(x, v)
        r = pl.store(z, [0, 0, 0], out)
    """
    before = kernel(body, head.replace("OUT", "out: pl.Out[pl.Tensor[[2, 16, 16], pl.FP32]]"))
    made = assert_same_answer(PASS, apply_pass(FlattenTileNdTo2D(), before))
    assert (str(made).count("tile.slice"), str(made).count("tile.extract")) == (0, 4)


# -- Vec ---------------------------------------------------------------------------------------------------------------


def window(shape: str, place: str, line: str = "b = pl.tile.muls(w, 2.0)") -> str:
    """A window of a tile, an operation on it, and the result stored."""
    return f"{LOAD}w = pl.tile.slice(t, {shape}, {place})\n{line}\nr = pl.store(b, [0, 0], out)"


@pytest.mark.parametrize(
    ("shape", "place"), [("[32, 1]", "[0, 1]"), ("[16, 4]", "[8, 4]"), ("[1, 8]", "[2, n]"), ("[4, 8]", "[n, n * 4]")]
)
def test_windows_at_addresses_that_may_not_be_aligned_are_extracted(shape: str, place: str):
    made = canonical(window(shape, place), scalars=2)
    assert ("tile.slice" in made, made.count("tile.extract")) == (False, 1)


@pytest.mark.parametrize("place", ["[0, 8]", "[3, 0]", "[n, 0]", "[n, n * 8]", "[n + 1, 16 - n * 8]"])
def test_windows_at_aligned_addresses_stay(place: str):
    programs.assert_unchanged(PASS, kernel(window("[2, 8]", place)))


def test_a_scalar_is_followed_to_what_it_was_computed_from():
    lines = "k = n * 4\nm = k * 2\nz = 8\n"
    programs.assert_unchanged(PASS, kernel(lines + window("[2, 8]", "[z, m]")))


@pytest.mark.parametrize(("step", "stays"), [(8, True), (4, False)])
def test_a_loop_variable_counts_in_steps(step: int, stays: bool):
    body = f"""
        {LOAD.strip()}
        for i, (c,) in pl.range(0, 16, {step}, init_values=(out,)):
            w = pl.tile.slice(t, [32, 4], [0, i])
            b = pl.tile.muls(w, 2.0)
            r = pl.store(b, [0, i], c)
            d = pl.yield_(r)
        return d
    """
    if stays:
        programs.assert_unchanged(PASS, kernel(body, f"x: {T}, out: pl.InOut[{T}]"))
    else:
        assert "tile.extract" in canonical(body, f"x: {T}, out: pl.InOut[{T}]")


def test_a_narrow_integer_becomes_an_index():
    head = f"x: {T}, n: pl.Scalar[pl.INT32], out: pl.Out[{T}]"
    assert "tile.extract" in canonical(window("[4, 4]", "[0, n]"), head, scalars=3)


@pytest.mark.parametrize(
    ("shape", "place", "extracted"),
    [
        ("[4, 8]", "[0, 8]", True),
        ("[1, 16]", "[n, 0]", True),
        ("[1, 16]", "[5, 0]", False),
        ("[4, 16]", "[8, 0]", False),
    ],
)
def test_a_window_that_is_copied_first_must_lie_there_without_gaps(shape: str, place: str, extracted: bool):
    columns = shape.split(", ")[1]
    row = f"v = pl.load(x, [1, 0], [1, {columns})\n"
    body = row + window(shape, place, "b = pl.tile.col_expand_mul(w, v)")
    if extracted:
        assert "tile.slice" not in canonical(body, scalars=2)
    else:
        programs.assert_unchanged(PASS, kernel(body))


@pytest.mark.parametrize(
    ("shape", "line", "extracted"),
    [
        ("[4, 8]", "b = pl.tile.reshape(w, [8, 4])", True),
        ("[1, 8]", "b = pl.tile.reshape(w, [2, 4])", False),
        ("[4, 16]", "b = pl.tile.reshape(w, [8, 8])", False),
    ],
)
def test_a_window_that_is_seen_in_another_shape_must_lie_there_without_gaps(shape: str, line: str, extracted: bool):
    if extracted:
        assert "tile.slice" not in canonical(window(shape, "[0, 0]", line))
    else:
        programs.assert_unchanged(PASS, kernel(window(shape, "[0, 0]", line)))


@pytest.mark.parametrize(("shape", "extracted"), [("[4, 8]", True), ("[4, 16]", False)])
def test_a_window_that_a_loop_carries_must_lie_without_gaps_as_what_takes_its_place_does(shape: str, extracted: bool):
    body = f"""
        {LOAD.strip()}
        w = pl.tile.slice(t, {shape}, [0, 0])
        for i, (c,) in pl.range(2, init_values=(w,)):
            b = pl.tile.adds(c, 1.0)
            d = pl.yield_(b)
        r = pl.store(d, [0, 0], out)
    """
    if extracted:
        assert "tile.slice" not in canonical(body)
    else:
        programs.assert_unchanged(PASS, kernel(body))


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("[0, 8]", "b = pl.tile.col_expand_mul(w, v)"),
        ("[0, 4]", "b = pl.tile.adds(w, 1.0)"),
    ],
)
def test_a_window_of_which_a_part_is_valid_is_extracted_and_the_same_part_is_valid_then(place: str, line: str):
    row = "v = pl.load(x, [1, 0], [1, 8])\n"
    cut = f"w = pl.tile.slice(t, [4, 8], {place}, valid_shape=[3, n])"
    made = canonical(f"{row}{LOAD}{cut}\n{line}\nr = pl.store(b, [0, 0], out)", scalars=2)
    assert ("tile.slice" in made, made.count("tile.extract"), made.count("tile.set_validshape")) == (False, 1, 1)


def test_a_window_is_extracted_once_for_a_statement():
    assert canonical(window("[4, 4]", "[0, 4]", "b = pl.tile.mul(w, w)")).count("tile.extract") == 1


def test_a_window_goes_into_a_loop_and_out_of_a_branch_as_a_tile():
    body = f"""
        {LOAD.strip()}
        w = pl.tile.slice(t, [4, 4], [0, 4])
        for i, (c,) in pl.range(2, init_values=(w,)):
            if i == n:
                b = pl.tile.slice(t, [4, 4], [4, 4])
                d = pl.yield_(b)
            else:
                e = pl.tile.adds(c, 1.0)
                d = pl.yield_(e)
            f = pl.yield_(d)
        r = pl.store(f, [0, 0], out)
    """
    assert canonical(body).count("tile.extract") == 2


def test_a_kernel_without_windows_stays():
    programs.assert_unchanged(PASS, kernel(f"{LOAD}b = pl.tile.exp(t)\nr = pl.store(b, [0, 0], out)"))


# -- accumulators ------------------------------------------------------------------------------------------------------


def added(whole: str, shape: str, place: str) -> Program:
    """A product that is added to a window of an accumulator."""
    rows, columns = shape.strip("[]").split(", ")
    body = f"""
        x = pl.load(a, [0, 0], [{rows}, 64], MAT)
        y = pl.load(b, [0, 0], [64, {columns}], MAT)
        c = pl.tile.create({whole}, dtype=pl.FP32, target_memory=pl.Mem.Acc)
        w = pl.tile.slice(c, {shape}, {place})
        z = pl.tile.matmul_acc(w, x, y)
        r = pl.store(z, [0, 0], out)
    """
    return kernel(body, product())


@pytest.mark.parametrize(
    ("whole", "shape", "place"),
    [("[16, 64]", "[16, 32]", "[0, 32]"), ("[32, 32]", "[16, 16]", "[16, 16]"), ("[32, 32]", "[16, 16]", "[16, n]")],
)
def test_windows_of_accumulators_without_gaps_stay(whole: str, shape: str, place: str):
    programs.assert_unchanged(PASS, added(whole, shape, place))


@pytest.mark.parametrize(("shape", "place"), [("[16, 32]", "[16, 0]"), ("[16, 16]", "[16, 8]"), ("[16, 32]", "[0, n]")])
def test_windows_of_accumulators_with_gaps_are_refused(shape: str, place: str):
    with pytest.raises(UserError, match="not contiguous in L0C's block layout") as raised:
        apply_pass(PASS, added("[32, 64]", shape, place))
    assert raised.value.code == "SLICE001"

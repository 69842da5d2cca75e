# SPDX-License-Identifier: Apache-2.0
"""ConvertTensorToTileOps: windows and single elements that are stored to one tensor."""

from __future__ import annotations

import pytest
from pypto_passes.convert_tensor_to_tile_ops import ConvertTensorToTileOps

from pypto_build.errors import UserError
from pypto_build.ir import Program
from pypto_build.passes import apply_pass
from tests.passes.tensor_programs import assert_same_answers, kernel_and_caller, operations

ROW = "pl.Tensor[[1, 32], pl.INT32]"
COLUMN = "pl.Tensor[[17, 1], pl.FP32]"

STAGED = """
    f = pl.full([1, 32], dtype=pl.INT32, value=-1)
    d2 = pl.tensor.assemble(d, f, [0, 0])
    for i in pl.range(7):
        w = pl.tensor.read(v, [0, i])
        pl.tensor.write(d2, [0, i], w)
    return d2
"""


def filled(loop: str) -> Program:
    """A kernel that fills a column in one of two ways."""
    text = f"""
        if c > 0:
            f = pl.full([16, 1], dtype=pl.FP32, value=1.0)
            d2 = pl.tensor.assemble(d, f, [0, 0])
        else:
            {loop}
        return d
    """
    return kernel_and_caller(f"d: pl.InOut[{COLUMN}], c: pl.Scalar[pl.INT32]", text, COLUMN)


def refusal(program: Program) -> UserError:
    """How the conversion of a program is refused."""
    with pytest.raises(UserError) as caught:
        apply_pass(ConvertTensorToTileOps(), program)
    return caught.value


def test_elements_of_a_filled_tensor_are_written_on_the_core_and_stored_once():
    program = kernel_and_caller(f"d: pl.Out[{ROW}], v: {ROW}", STAGED, ROW)
    made = operations(assert_same_answers(ConvertTensorToTileOps(), program))
    assert made.count("tile.store") == 1
    assert made[-1] == "tile.store"
    assert "tile.write" in made


def test_a_filled_tensor_that_is_read_in_between_is_refused():
    text = STAGED.replace("(v, [0, i])", "(d2, [0, i])")
    error = refusal(kernel_and_caller(f"d: pl.Out[{ROW}], v: {ROW}", text, ROW))
    assert error.message == "kernel 'kernel' mixes MTE3 and scalar stores to 'd', which are not coherent"
    assert error.span.is_valid()


@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize("place", ["i", "i + 1"])
def test_a_loop_that_writes_a_constant_to_neighbours_is_one_store(count: int, place: str):
    program = filled(
        f"""for i in pl.range(16):
                pl.tensor.write(d, [{place}, 0], pl.const(3.0, pl.FP32))"""
    )
    made = operations(assert_same_answers(ConvertTensorToTileOps(), program, c=count))
    assert made.count("tile.store") == 2
    assert "tensor.write" not in made


LOOPS = {
    "too few bytes": "for i in pl.range(4):\n                pl.tensor.write(d, [i, 0], pl.const(3.0, pl.FP32))",
    "every second element": """for i in pl.range(8):
                pl.tensor.write(d, [i * 2, 0], pl.const(3.0, pl.FP32))""",
    "two writes that overlap": """for i in pl.range(16):
                pl.tensor.write(d, [i, 0], pl.const(3.0, pl.FP32))
                pl.tensor.write(d, [i + 1, 0], pl.const(4.0, pl.FP32))""",
}


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_that_is_no_store_of_a_window_is_refused(loop: str):
    assert "mixes MTE3 and scalar stores" in refusal(filled(LOOPS[loop])).message


def test_a_store_through_a_carry_counts_for_all_that_it_may_be():
    text = """
        for i, (at,) in pl.range(2, init_values=(d,)):
            t = pl.tile.load(v, [0, 0], [1, 32])
            s = pl.tile.store(t, [0, 0], at)
            last = pl.yield_(e)
        pl.tensor.write(e, [0, 0], pl.const(3, pl.INT32))
        return last
    """
    params = f"d: pl.Out[{ROW}], e: pl.Out[{ROW}], v: {ROW}"
    assert "stores to 'e'" in refusal(kernel_and_caller(params, text, ROW)).message


def test_windows_and_elements_of_different_tensors_are_fine():
    text = """
        f = pl.full([1, 32], dtype=pl.INT32, value=-1)
        d2 = pl.tensor.assemble(d, f, [0, 0])
        pl.tensor.write(e, [0, 0], pl.const(3, pl.INT32))
        return d2
    """
    made = assert_same_answers(
        ConvertTensorToTileOps(), kernel_and_caller(f"d: pl.Out[{ROW}], e: pl.InOut[{ROW}]", text, ROW)
    )
    assert operations(made) == ["tile.full", "tile.store", "tensor.write"]

# SPDX-License-Identifier: Apache-2.0
"""ResolveBackendOpLayouts: which tiles are seen as rows or moved, and kernels compute what they did."""

from __future__ import annotations

import pytest
from pypto_passes.resolve_backend_op_layouts import ResolveBackendOpLayouts

from pypto_build.compat.backend_state import UNCHOSEN
from pypto_build.ir import Call, Program, TileLayout, TileType, collect
from pypto_build.passes import ASCEND910B, ASCEND950, HardwareDescription, PassContext
from tests.passes import programs
from tests.passes.simulated import assert_same_answer

PASS = ResolveBackendOpLayouts()
COLUMN, MATRIX = "pl.Tensor[[16, 1], pl.FP32]", "pl.Tensor[[16, 32], pl.FP32]"
LOADS = "a = pl.load(x, [0, 0], [16, 1])\nb = pl.load(y, [0, 0], [16, 1])\n"
NZ = "blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major"


def kernel(body: str, kinds: str = COLUMN, kind: str = "InCore") -> Program:
    """A kernel of two inputs and an output of one type."""
    head = f"def kernel(self, x: {kinds}, y: {kinds}, n: pl.Scalar[pl.INDEX], out: pl.Out[{kinds}]):"
    return programs.body(f"@pl.function(type=pl.FunctionType.{kind})\n{head}", body)


def resolved(
    body: str, kinds: str = COLUMN, *, hardware: HardwareDescription = ASCEND910B, scalars: int = 1
) -> Program:
    """The kernel after the pass: it computes the same, and its operations find what they need."""
    made = assert_same_answer(PASS, kernel(body, kinds), hardware=hardware, scalars=scalars)
    programs.assert_unchanged(PASS, made, PassContext(hardware_description=hardware))
    for call in collect(programs.method(made, "kernel"), Call):
        positions = hardware.row_major.get(call.op.name, ())
        for arg in call.args:
            if arg in [call.args[i] for i in positions if i < len(call.args)] and isinstance(arg.type, TileType):
                assert arg.type.effective_tile_view().blayout is TileLayout.row_major
    return made


@pytest.mark.parametrize("hardware", [ASCEND910B, ASCEND950], ids=lambda h: h.name)
def test_columns_are_added_as_rows(hardware: HardwareDescription):
    body = f"{LOADS}c = pl.tile.add(a, b)\nr = pl.store(c, [0, 0], out)"
    expected = kernel(
        f"""
        {LOADS.replace(chr(10), chr(10) + "        ").strip()}
        d = pl.tile.reshape(a, [1, 16])
        e = pl.tile.reshape(b, [1, 16])
        f = pl.tile.add(d, e)
        c = pl.tile.reshape(f, [16, 1])
        r = pl.store(c, [0, 0], out)
        """
    )
    programs.assert_becomes(PASS, kernel(body), expected, PassContext(hardware_description=hardware))
    resolved(body, hardware=hardware)


@pytest.mark.parametrize(
    "operation", ["tile.muls(a, 2.0)", "tile.abs(a)", "tile.exp(a)", "tile.maximum(b, a)", "tile.rsqrt(pl.tile.abs(a))"]
)
def test_columns_are_computed_with_as_rows(operation: str):
    lines = operation.replace("pl.tile.abs(a)", "c")
    first = "c = pl.tile.abs(a)\n" if "rsqrt" in operation else ""
    resolved(f"{LOADS}{first}d = pl.{lines}\nr = pl.store(d, [0, 0], out)")


@pytest.mark.parametrize("place", ["[0, 0]", "[n, 8]"])
def test_a_column_with_gaps_is_extracted_before_it_is_seen_as_a_row(place: str):
    load = "a = pl.load(x, [0, 0], [16, 32])\n"
    body = f"{load}b = pl.tile.slice(a, [4, 1], {place})\nc = pl.tile.muls(b, 2.0)\nr = pl.store(c, [0, 0], out)"
    calls = [call.op.name for call in collect(programs.method(resolved(body, MATRIX), "kernel"), Call)]
    assert calls[calls.index("tile.slice") + 1 :][:3] == ["tile.extract", "tile.reshape", "tile.muls"]


def test_a_column_that_is_all_of_its_tile_is_seen_as_a_row_at_once():
    body = f"{LOADS}c = pl.tile.slice(a, [4, 1], [8, 0])\nd = pl.tile.muls(c, 2.0)\nr = pl.store(d, [0, 0], out)"
    assert "tile.extract" not in str(resolved(body))


def test_a_column_that_is_partly_valid_is_a_row_that_is():
    loads = "a = pl.load(x, [0, 0], [16, 1], valid_shape=[n, 1])\n"
    made = resolved(f"{loads}b = pl.tile.muls(a, 2.0)\nr = pl.store(b, [0, 0], out)", scalars=5)
    assert "valid_shape=[1, n]" in str(made)


def test_a_matrix_by_columns_is_moved_and_the_result_moved_back():
    body = f"""
        a = pl.load(x, [0, 0], [16, 32])
        b = pl.tile.move(a, target_memory=pl.Mem.Vec, {NZ})
        c = pl.tile.exp(b)
        r = pl.store(c, [0, 0], out)
    """
    calls = [
        call for call in collect(programs.method(resolved(body, MATRIX), "kernel"), Call) if "move" in call.op.name
    ]
    layouts = [call.type.effective_tile_view().blayout.name for call in calls if isinstance(call.type, TileType)]
    assert layouts == ["col_major", "row_major", "col_major"]


def test_an_operation_that_is_no_element_by_element_one_gets_its_column_moved():
    body = f"{LOADS}c = pl.tile.cmps(a, 0.0, cmp_type=4)\nd = pl.tile.sels(c, b, a, 0.0)\nr = pl.store(b, [0, 0], out)"
    made = str(resolved(body))
    assert "pl.tile.move(a" in made
    assert "pl.tile.reshape" not in made


def test_a_scatter_without_a_result_reads_rows():
    head = "def kernel(self, x: pl.Tensor[[16, 1], pl.FP32], y: pl.Tensor[[16, 1], pl.INT32], out: pl.Out[OUT]):"
    body = """
        a = pl.load(x, [0, 0], [16, 1])
        b = pl.load(y, [0, 0], [16, 1])
        pl.tile.mscatter(a, b, out)
        return out
    """
    text = head.replace("OUT", "pl.Tensor[[256], pl.FP32]")
    before = programs.body(f"@pl.function(type=pl.FunctionType.InCore)\n{text}", body)
    assert str(assert_same_answer(PASS, before)).count("tile.reshape") == 2


@pytest.mark.parametrize(
    "line", ["c = pl.tile.row_expand_mul(m, a)", "c = pl.tile.row_expand_add(m, a)", "c = pl.tile.adds(m, 1.0)"]
)
def test_operations_that_may_read_columns_stay(line: str):
    body = f"m = pl.load(x, [0, 0], [16, 32])\na = pl.load(y, [0, 0], [16, 1])\n{line}\nr = pl.store(c, [0, 0], out)"
    programs.assert_unchanged(PASS, kernel(body, MATRIX))


def test_functions_that_are_not_in_core_stay():
    programs.assert_unchanged(PASS, kernel(f"{LOADS}c = pl.tile.add(a, b)\nreturn x", kind="Group"))


def test_on_hardware_of_which_nothing_is_known_everything_stays():
    before = kernel(f"{LOADS}c = pl.tile.add(a, b)\nr = pl.store(c, [0, 0], out)")
    programs.assert_unchanged(PASS, before, PassContext(hardware_description=UNCHOSEN))

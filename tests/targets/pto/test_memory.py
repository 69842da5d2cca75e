# SPDX-License-Identifier: Apache-2.0
"""Transfers from and to global memory, single elements, local arrays, gathers by index."""

from __future__ import annotations

import pytest

from pypto_build.errors import UserError
from tests.targets.pto.emitting import ARCHITECTURES, OUT, X, instructions, last, lines, program

PARAMS = f"{X}, i: pl.Scalar[pl.INDEX], {OUT}"
LOAD = "t = pl.tile.load(x, [0, 0], [16, 16])\n"
PART = "pto.partition_view %x_view, offsets = [%c0_index, %c0_index], sizes = [%c16_index, %c16_index]"
ROWS = [
    ("t = pl.tile.load(x, [0, 0], [16, 16])", "pto.tload ins(%x_pview : <16x16xf32>) outs(%t : f32[16,16])"),
    (LOAD + "r = pl.tile.store(t, [0, 0], out)", "pto.tstore ins(%t : f32[16,16]) outs(%out_pview : <16x16xf32>)"),
    (
        LOAD + "r = pl.tile.store(t, [0, 0], out, atomic=pl.AtomicType.Add)",
        "pto.tstore ins(%t : f32[16,16]) outs(%out_pview : <16x16xf32>) {atomicType = #pto<atomic_type atomic_add>}",
    ),
    (LOAD + "s = pl.tile.read(t, [1, 3])", "%s = pto.tgetval ins(%t, %c19_index : f32[16,16], index) outs : f32"),
    (
        LOAD + "s = pl.tile.read(t, [0, 0])\npl.tile.write(t, [1, 3], s)",
        "pto.tsetval ins(%c19_index, %s : index, f32) outs(%t : f32[16,16])",
    ),
    ("s = pl.tensor.read(x, [1, 2])", "%s = pto.load_scalar %arg0[%c18_index] : !pto.ptr<f32> -> f32"),
    (
        "s = pl.tensor.read(x, [1, 2])\npl.tensor.write(out, [0, 1], s)",
        "pto.store_scalar %s, %arg1[%c1_index] : !pto.ptr<f32>, f32",
    ),
    ("a = pl.array.create(8, pl.INT32)", "%a = pto.declare_local_array -> !pto.local_array<8xi32>"),
    (
        "a = pl.array.create(8, pl.INT32)\ns = pl.array.get_element(a, i)",
        "%s = pto.local_array_get %a[%arg2] : !pto.local_array<8xi32> -> i32",
    ),
    (
        "a = pl.array.create(8, pl.INT32)\nb = pl.array.update_element(a, i, 7)",
        "pto.local_array_set %a[%arg2], %c7_i32 : !pto.local_array<8xi32>, i32",
    ),
    ("k = pl.tile.get_block_idx()", "%k = arith.index_cast %__pypto_spmd_block_idx : i32 to index"),
    ("k = pl.tile.get_subblock_idx()", "%k = arith.index_cast %__pypto_spmd_subblock_idx : i32 to index"),
]


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize(("body", "line"), ROWS)
def test_the_access_becomes_its_instruction(body: str, line: str, arch: str):
    assert last(program(body, params=PARAMS), arch) == line


def test_an_offset_that_is_computed_is_kept_from_being_negative():
    found = instructions(program("t = pl.tile.load(x, [i, 0], [8, 16])", params=PARAMS))
    assert found[0] == "%0 = arith.maxsi %arg2, %c0_index : index"
    assert "offsets = [%0, %c0_index]" in found[1]


def test_a_position_that_is_computed_is_counted_row_by_row():
    assert instructions(program(LOAD + "s = pl.tile.read(t, [i, 3])", params=PARAMS))[-3:] == [
        "%flat_offset_mul = arith.muli %arg2, %c16_index : index",
        "%flat_offset = arith.addi %flat_offset_mul, %c3_index : index",
        "%s = pto.tgetval ins(%t, %flat_offset : f32[16,16], index) outs : f32",
    ]


@pytest.mark.parametrize(
    ("shape", "strides", "layout"),
    [("16, 16", "%c16_index, %c1_index", "nd"), ("16, 1", "%c1_index, %c16_index", "dn")],
)
def test_a_column_is_told_from_a_row_by_its_layout(shape: str, strides: str, layout: str):
    body = f"t = pl.tile.load(x, [0, 0], [{shape}])"
    (view,) = (line for line in lines(program(body, params=f"x: pl.Tensor[[{shape}], pl.FP32]")) if "%x_view =" in line)
    assert f"strides = [{strides}] {{layout = #pto.layout<{layout}>}}" in view


INDEXED = "m: pl.Tensor[[64, 32], pl.FP32], q: pl.Tensor[[1, 16], pl.INT32], w: pl.Out[pl.Tensor[[64, 32], pl.FP32]]"


@pytest.mark.parametrize(("mode", "attribute"), [("undefined", ""), ("zero", ", gatherOob = #pto<gather_oob zero>")])
def test_a_gather_by_index_takes_the_whole_tensor(mode: str, attribute: str):
    body = f"k = pl.tile.load(q, [0, 0], [1, 16])\nr = pl.tile.mgather(m, k, gather_oob='{mode}')"
    assert last(program(body, params=INDEXED)) == (
        "pto.mgather ins(%m_pview, %k : <64x32xf32>, i32[1,16]) outs(%r : f32[16,32]) "
        f"{{coalesce = #pto<coalesce row>{attribute}}}"
    )


def test_a_gather_into_a_matrix_tile_takes_the_index_from_global_memory():
    body = "r = pl.tile.mgather(m, q, target_memory=pl.Mem.Mat)"
    assert last(program(body, params=INDEXED, kind="AIC")) == (
        "pto.mgather ins(%m_pview, %q_pview : <64x32xf32>, <1x16xi32>) outs(%r : mat f32[16,32]) "
        "{coalesce = #pto<coalesce row>}"
    )


def test_a_scatter_by_index_writes_to_the_whole_tensor():
    body = """
    s = pl.tile.load(m, [0, 0], [1, 16])
    k = pl.tile.load(q, [0, 0], [1, 16])
    r = pl.tile.mscatter(s, k, w)
    """
    assert last(program(body, params=INDEXED)) == (
        "pto.mscatter ins(%s, %k : f32[1,16], i32[1,16]) outs(%w_pview : <64x32xf32>)"
    )


def test_a_gathered_row_is_loaded_into_a_window_of_whole_boxes():
    body = """
    d = pl.tile.create([16, 32], dtype=pl.FP32, target_memory=pl.Mem.Mat)
    r = pl.tile.gather_row(d, m, [0, 0], [5, 0], [1, 32])
    """
    found = instructions(program(body, params=INDEXED, kind="AIC"))
    assert found[-2].startswith(
        "%gather_row_view = pto.subview %d[%c0_index, %c0_index] sizes [16, 32] valid [%c1_index"
    )
    assert found[-1] == ("pto.tload ins(%gather_row_pview : <1x32xf32>) outs(%gather_row_view : mat f32[16,32:1,32])")


def test_a_transposed_row_is_read_as_a_column():
    body = """
    d = pl.tile.create([32, 16], dtype=pl.FP32, target_memory=pl.Mem.Mat)
    r = pl.tile.gather_row(d, m, [0, 0], [5, 0], [1, 32], transpose=True)
    """
    found = lines(program(body, params=INDEXED, kind="AIC"))
    (view,) = (line for line in found if "layout<dn>" in line)
    assert "shape = [%c32_index, %c64_index], strides = [%c1_index, %c32_index]" in view
    assert any("offsets = [%c0_index, %c5_index], sizes = [%c32_index, %c1_index]" in line for line in found)


def test_a_window_of_another_rank_than_its_tensor_is_refused():
    params = f"{X}, o: pl.Out[pl.Tensor[[1, 16, 16], pl.FP32]]"
    with pytest.raises(UserError, match="another rank"):
        instructions(program(LOAD + "r = pl.tile.store(t, [0, 0, 0], o)", params=params))

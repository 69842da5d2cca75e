# SPDX-License-Identifier: Apache-2.0
"""What an architecture's instructions cannot do is refused there, and only there."""

from __future__ import annotations

import pytest

from pypto_build.errors import UserError
from tests.targets.pto.emitting import X, instructions, last, program

WIDE = "x: pl.Tensor[[16, 24], pl.FP32], q: pl.Tensor[[16, 1], pl.INT32], s: pl.Tensor[[64, 20], pl.FP32]"
HEAD = """
w = pl.tile.load(x, [0, 0], [16, 24])
left = pl.tile.slice(w, [16, 16], [0, 0])
right = pl.tile.slice(w, [16, 16], [0, 8])
mask = pl.tile.create([16, 32], dtype=pl.UINT8)
bytes = pl.tile.create([16, 32], dtype=pl.INT8)
scratch = pl.tile.create([17, 32], dtype=pl.UINT8)
small = pl.tile.create([1, 32], dtype=pl.UINT8)
column = pl.tile.load(q, [0, 0], [16, 1])
row = pl.tile.reshape(column, [1, 16])
"""
OLDER_ONLY = [
    ("pl.tile.sels(mask, bytes, small, 3)", "only supported on the 'a5' backend"),
    ("pl.tile.sels(mask, left, right, 3.0)", "tmp overlaps src"),
    ("pl.tile.sels(mask, left, mask, 3.0)", "tmp overlaps mask"),
    ("pl.tile.prelu(left, right, scratch)", "src overlaps slope"),
    ("pl.tile.prelu(w, w_later, small)", "physical rows"),
    ("pl.tile.tri(0, [16, 32], dtype=pl.BF16)", "bfloat16 is not supported on the 'a2a3' backend"),
    ("pl.tile.mgather(s, column)", r"idx shape \[1, R\]"),
    ("pl.tile.mgather(s, row)", "32-byte aligned"),
]


@pytest.mark.parametrize(("call", "message"), OLDER_ONLY)
def test_the_older_architecture_refuses_what_the_newer_one_takes(call: str, message: str):
    written = program(f"{HEAD}w_later = pl.tile.load(x, [0, 0], [16, 24])\nr = {call}", params=WIDE)
    with pytest.raises(UserError, match=message):
        instructions(written, "a2a3")
    assert "pto." in last(written, "a5")


def test_windows_side_by_side_do_not_overlap():
    body = """
    w = pl.tile.load(x, [0, 0], [16, 16])
    src = pl.tile.slice(w, [16, 8], [0, 0])
    slope = pl.tile.slice(w, [16, 8], [0, 8])
    tmp = pl.tile.create([17, 32], dtype=pl.UINT8)
    r = pl.tile.prelu(src, slope, tmp)
    """
    assert last(program(body, params=X)).startswith("pto.tprelu ins(%slice_view, %")


def test_a_move_within_its_own_bytes_is_refused():
    body = """
    mem: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 1024)
    t: pl.Tile[[16, 16], pl.FP32, pl.MemRef(mem, 0, 1024), pl.Mem.Vec] = pl.tile.load(x, [0, 0], [16, 16])
    r: pl.Tile[[16, 16], pl.FP32, pl.MemRef(mem, 0, 1024), pl.Mem.Vec] = pl.tile.move(t, target_memory=pl.Mem.Vec)
    """
    with pytest.raises(UserError, match="requires distinct source and destination addresses"):
        instructions(program(body, params=X))


@pytest.mark.parametrize(
    ("dtype", "arch", "message"),
    [("FP4", "a2a3", "4-bit dtype fp4 is not supported on a2a3"), ("INT4", "a5", "not supported on a5: only FP4 is")],
)
def test_element_types_that_nothing_can_load_are_refused_at_the_parameter(dtype: str, arch: str, message: str):
    written = program("t = pl.tile.load(x, [0, 0], [16, 64])", params=f"x: pl.Tensor[[16, 64], pl.{dtype}]")
    with pytest.raises(UserError, match=message):
        instructions(written, arch)


def test_scratch_memory_is_no_view_of_what_is_read():
    params = "m: pl.Tensor[[16, 16], pl.FP16], q: pl.Tensor[[16, 16], pl.INT32]"
    body = """
    v = pl.tensor.view(m, [256])
    r = pl.tile.mgather(m, q, coalesce="elem", scratch=v, target_memory=pl.Mem.Mat)
    """
    with pytest.raises(UserError, match="scratch must not overlap mem"):
        instructions(program(body, params=params, kind="AIC"))


def test_a_compact_accumulator_is_not_copied_into_a_full_one():
    view = "pl.TileView(valid_shape=[n, 16], compact=pl.CompactMode.normal)"
    body = f"""
    big = pl.tile.create([16, 32], dtype=pl.FP32, target_memory=pl.Mem.Acc)
    part: pl.Tile[[16, 16], pl.FP32, pl.Mem.Acc, {view}] = pl.tile.create(
        [16, 16], dtype=pl.FP32, target_memory=pl.Mem.Acc
    )
    r = pl.tile.assemble(big, part, [0, 0])
    """
    with pytest.raises(UserError, match="different L0C fractal stride") as error:
        instructions(program(body, params="n: pl.Scalar[pl.INDEX]", kind="AIC"))
    assert "Drop the narrowing from the matmul operand" in str(error.value.help)


def test_cores_count_in_memory_that_is_large_enough():
    written = program(
        "pl.system.syncall(mode='soft', gm_workspace=w, used_cores=0)", params="w: pl.Tensor[[15], pl.INT32]"
    )
    with pytest.raises(UserError, match="at least 16 INT32 elements, but has 15"):
        instructions(written)

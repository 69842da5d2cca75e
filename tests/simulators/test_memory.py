# SPDX-License-Identifier: Apache-2.0
"""On-chip memory as bytes: two tiles in one place clobber each other, and what does not overlap does not."""

from __future__ import annotations

import numpy as np
import pytest

from pypto_build.errors import UserError
from tests.simulators.running import program, simulate

X = np.arange(16, dtype=np.float32).reshape(2, 8)


def kernel(first: str, second: str, third: str, *, allocations: int = 3, size: int = 64) -> str:
    """x + 1 and x * 2 are computed into two tiles, and their sum into a third; each names its memory."""
    allocs = "".join(f"        m{i}: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, {size})\n" for i in range(allocations))
    tile = "pl.Tile[[2, 8], pl.FP32, pl.MemRef({}, 64), pl.Mem.Vec]"
    return (
        "@pl.program\nclass P:\n"
        "    @pl.function(type=pl.FunctionType.AIV)\n"
        "    def main(self, x: pl.Tensor[[2, 8], pl.FP32], out: pl.Out[pl.Tensor[[2, 8], pl.FP32]]):\n"
        f"{allocs}"
        f"        t: {tile.format(third)} = pl.tile.load(x, [0, 0], [2, 8], [2, 8], target_memory=pl.Mem.Vec)\n"
        f"        a: {tile.format(first)} = pl.tile.adds(t, pl.const(1.0, pl.FP32))\n"
        f"        b: {tile.format(second)} = pl.tile.muls(t, pl.const(2.0, pl.FP32))\n"
        f"        c: {tile.format(third)} = pl.tile.add(a, b)\n"
        "        out: pl.Tensor[[2, 8], pl.FP32] = pl.tile.store(c, [0, 0], out)\n"
        "        return out\n"
    )


def output(text: str, **options: object) -> object:
    return simulate(program(text), {"x": X}, **options).outputs["out"]


def test_tiles_in_allocations_of_their_own_do_not_meet() -> None:
    assert np.array_equal(output(kernel("m0, 0", "m1, 0", "m2, 0")), X + 1 + X * 2)


def test_two_live_tiles_in_one_allocation_clobber_each_other() -> None:
    assert np.array_equal(output(kernel("m0, 0", "m0, 0", "m2, 0")), X * 2 + X * 2)


def test_a_result_may_take_the_place_of_an_input_that_is_read_last() -> None:
    assert np.array_equal(output(kernel("m0, 0", "m2, 0", "m2, 0")), X + 1 + X * 2)


def test_addresses_that_do_not_overlap_keep_tiles_apart() -> None:
    assert np.array_equal(output(kernel("m0, 0", "m1, 64", "m2, 128")), X + 1 + X * 2)


def test_addresses_that_overlap_by_half_clobber_half() -> None:
    found = output(kernel("m0, 0", "m1, 32", "m2, 128"))
    wanted = X + 1 + X * 2
    wanted[1] = X[0] * 2 + X[1] * 2
    assert np.array_equal(found, wanted)


def test_that_offsets_are_addresses_can_be_said() -> None:
    text = kernel("m0, 0", "m1, 0", "m2, 0")
    assert not np.array_equal(output(text, addresses="yes"), X + 1 + X * 2)
    assert np.array_equal(output(text, addresses="no"), X + 1 + X * 2)


def test_a_tile_beyond_the_end_of_the_memory_is_an_error() -> None:
    with pytest.raises(UserError, match=r"a tile lies at bytes 188400 to 188464 of Vec memory, which has 188416"):
        output(kernel("m0, 0", "m1, 64", "m2, 188400"))


def test_the_report_says_how_much_memory_was_used_and_moved() -> None:
    report = simulate(program(kernel("m0, 0", "m1, 64", "m2, 128")), {"x": X}).report
    assert report["peak_bytes"] == {"Vec": 192}
    assert report["bytes_read_from_global_memory"] == report["bytes_written_to_global_memory"] == 64


LOOP = """
@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIV)
    def main(self, x: pl.Tensor[[2, 8], pl.FP32], out: pl.Out[pl.Tensor[[2, 8], pl.FP32]]):
        m0: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 64)
        m1: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 64)
        a: pl.Tile[[2, 8], pl.FP32, pl.MemRef(m0, 0, 64), pl.Mem.Vec] = pl.tile.load(x, [0, 0], [2, 8])
        for i, (c,) in pl.range(3, init_values=(a,)):
            n: pl.Tile[[2, 8], pl.FP32, pl.MemRef(m1, OFFSET, 64), pl.Mem.Vec] = pl.tile.add(c, c)
            r: pl.Tile[[2, 8], pl.FP32, pl.MemRef(m0, 0, 64), pl.Mem.Vec] = pl.yield_(n)
        out: pl.Tensor[[2, 8], pl.FP32] = pl.tile.store(r, [0, 0], out)
        return out
"""


def test_a_value_carried_in_another_allocation_is_as_good_before_addresses() -> None:
    assert np.array_equal(output(LOOP.replace("OFFSET", "0")), X * 8)


def test_a_value_carried_at_another_address_is_lost_because_nothing_moves_it() -> None:
    assert np.array_equal(output(LOOP.replace("OFFSET", "64")), X)


def test_a_result_where_a_forbidden_argument_lies_is_an_error() -> None:
    text = kernel("m0, 0", "m1, 0", "m2, 0").replace("pl.tile.muls(t, pl.const(2.0, pl.FP32))", "pl.tile.recip(a)")
    wrong = text.replace("b: pl.Tile[[2, 8], pl.FP32, pl.MemRef(m1, 0", "b: pl.Tile[[2, 8], pl.FP32, pl.MemRef(m0, 0")
    assert np.allclose(output(text), X + 1 + 1 / (X + 1))
    with pytest.raises(UserError, match=r"the result of tile\.recip lies where its argument tile lies"):
        output(wrong)


PACKED = """
@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIV)
    def main(self, x: pl.Tensor[[2, 8], pl.FP32], out: pl.Out[pl.Tensor[[2, 8], pl.FP32]]):
        m0: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 64)
        m1: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 8)
        a: pl.Tile[[2, 8], pl.FP32, pl.MemRef(m0, 0, 64), pl.Mem.Vec] = pl.tile.load(x, [0, 0], [2, 8])
        b: pl.Tile[[2, 8], pl.INT4, pl.MemRef(m1, 0, 8), pl.Mem.Vec] = pl.tile.cast(a, target_type=pl.INT4, mode=1)
        c: pl.Tile[[2, 8], pl.FP32, pl.MemRef(m0, 0, 64), pl.Mem.Vec] = pl.tile.cast(b, target_type=pl.FP32, mode=0)
        out: pl.Tensor[[2, 8], pl.FP32] = pl.tile.store(c, [0, 0], out)
        return out
"""


def test_elements_of_four_bits_share_bytes() -> None:
    assert np.array_equal(output(PACKED), np.clip(X, -8, 7))
    assert simulate(program(PACKED), {"x": X}).report["peak_bytes"] == {"Vec": 72}

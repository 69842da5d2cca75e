# SPDX-License-Identifier: Apache-2.0
"""AllocateMemoryAddr: addresses of allocations, and what is said when they do not fit."""

import pytest
from pypto_passes.allocate_memory_addr import AllocateMemoryAddr, verify_allocated_memory_addr
from pypto_passes.init_mem_ref import InitMemRef

from pypto_build.errors import InternalError, UserError
from pypto_build.passes import PassContext, apply_pass
from tests.passes.tile_places import TO_ADDRESSES, after, kernel, sharing

ADDRESSES = (InitMemRef(), AllocateMemoryAddr())
LARGE = "x: pl.Tensor[[512, 128], pl.FP32], c: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[512, 128], pl.FP32]]"
WIDE = "pl.Tile[[256, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [256, 128])"


def test_allocations_follow_each_other():
    made = after(ADDRESSES, kernel("a: Vec16 = LOAD\nb: Vec16 = LOAD\nreturn out"))
    assert sharing(made) == "a / b@1024"


def test_each_starts_at_a_multiple_of_32_bytes():
    small = "a: pl.Tile[[1, 2], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [1, 2])\n"
    assert sharing(after(ADDRESSES, kernel(small + "b: Vec16 = LOAD\nreturn out"))) == "a / b@32"


def test_each_memory_space_starts_at_zero():
    mat = "b: Mat16 = pl.tile.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)"
    assert sharing(after(ADDRESSES, kernel(f"a: Vec16 = LOAD\n{mat}\nreturn out"))) == "a / b"


def test_views_keep_their_distance():
    view = "v: pl.Tile[[8, 16], pl.FP32, pl.Mem.Vec] = pl.tile.slice(b, [8, 16], [8, 0])"
    made = after(ADDRESSES, kernel(f"a: Vec16 = LOAD\nb: Vec16 = LOAD\n{view}\nreturn out"))
    assert sharing(made) == "a / b@1024 v@1536"


def test_reserved_buffers_come_first():
    made = after(ADDRESSES, kernel("pl.system.reserve_buffer(name='ring', size=100)\na: Vec16 = LOAD\nreturn out"))
    assert sharing(made) == "a@128"
    assert "base=0" in str(made)


def test_reserved_buffers_must_not_overlap():
    body = (
        "pl.system.reserve_buffer(name='one', size=64, base=0)\n"
        "pl.system.reserve_buffer(name='two', size=64, base=32)\nreturn out"
    )
    with pytest.raises(InternalError, match="overlapping reserve_buffer ranges: 'two' at 32") as error:
        apply_pass(AllocateMemoryAddr(), kernel(body))
    assert error.value.span.begin_line == 6


def test_too_many_bytes_name_the_largest_tiles():
    body = f"a: {WIDE}\nb: {WIDE}\nreturn out"
    with pytest.raises(
        UserError, match=r"'main': Vec buffer usage \(262144 bytes\) exceeds .*\(188416 bytes\)"
    ) as error:
        after(ADDRESSES, kernel(body, params=LARGE))
    assert (error.value.code, error.value.span.begin_line) == ("MEM006", 5)
    assert [text for text, _ in error.value.notes] == ["'a' takes 131072 bytes", "'b' takes 131072 bytes"]


def test_tiles_that_take_turns_are_named_together():
    store, add = "s = pl.tile.store(a, [0, 0], out)", f"e: {WIDE.split(' = ', maxsplit=1)[0]} = pl.tile.add(b, d)"
    body = f"a: {WIDE}\n{store}\nb: {WIDE}\nd: {WIDE}\n{add}\nreturn out"
    with pytest.raises(UserError) as error:
        after(TO_ADDRESSES, kernel(body, params=LARGE))
    assert [(text, span.begin_line) for text, span in error.value.notes] == [
        ("'a', 'b', 'e' take 131072 bytes, one after the other", 5),
        ("'d' takes 131072 bytes", 8),
    ]


def test_too_many_bytes_beside_a_reserved_buffer_mention_it():
    body = f"pl.system.reserve_buffer(name='ring', size=131072)\na: {WIDE}\nreturn out"
    with pytest.raises(UserError, match="The first 131072 bytes of that space are reserved"):
        after(ADDRESSES, kernel(body, params=LARGE))


def test_other_functions_than_kernels_have_no_addresses():
    before = kernel("return out", "pl.FunctionType.Orchestration")
    assert apply_pass(AllocateMemoryAddr(), before) is before


def test_the_property_finds_a_tile_beyond_the_end():
    huge = "a: pl.Tile[[512, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [512, 128])\nreturn out"
    made = apply_pass(InitMemRef(), kernel(huge, params=LARGE))
    (found,) = verify_allocated_memory_addr(made, PassContext())
    assert "Vec buffer usage (262144 bytes) exceeds platform limit (188416 bytes)" in found.message

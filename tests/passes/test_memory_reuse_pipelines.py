# SPDX-License-Identifier: Apache-2.0
"""MemoryReuse on the stages of pipelines: apart while they fit, in turn over fewer buffers where they do not."""

from pypto_passes.init_mem_ref import InitMemRef
from pypto_passes.memory_reuse import MemoryReuse

from pypto_build.passes import PassContext, apply_pass
from tests.passes.tile_places import TO_REUSE, after, kernel, sharing

LARGE = "x: pl.Tensor[[512, 128], pl.FP32], c: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[512, 128], pl.FP32]]"


def stage(number: int, membership: str, rows: int = 16) -> str:
    """A load that belongs to a stage, and a store of it."""
    tile = f"pl.Tile[[{rows}, 128], pl.FP32, pl.Mem.Vec]"
    call = f"pl.tile.load(x, [0, 0], [{rows}, 128], attrs={{'pipeline_membership': '{membership}'}})"
    return f"t{number}: {tile} = {call}\ns{number} = pl.tile.store(t{number}, [0, 0], out)\n"


def packed(*stages: str, before: str = "", behind: str = "") -> str:
    """What shares an allocation in a kernel of these stages."""
    text = before + "".join(stages) + behind + "return out"
    return sharing(after(TO_REUSE, kernel(text, params=LARGE)))


def said(*stages: str) -> list[tuple[str, str, str]]:
    """What MemoryReuse has to say about such a kernel: severity, code and message."""
    context = PassContext()
    made = apply_pass(InitMemRef(), kernel("".join(stages) + "return out", params=LARGE), context)
    apply_pass(MemoryReuse(), made, context)
    return [(one.severity, one.code, one.message) for one in context.sink.take()]


def test_stages_of_one_pipeline_are_kept_apart():
    assert packed(stage(0, "0:0"), stage(1, "0:1")) == "t0 / t1"


def test_tiles_of_one_stage_share():
    assert packed(stage(0, "0:0"), stage(1, "0:0")) == "t0 t1"


def test_stages_are_counted_not_compared_by_number():
    assert packed(stage(0, "0:0"), stage(1, "0:2")) == "t0 / t1"


def test_two_pipelines_take_turns_on_the_same_buffers():
    assert packed(stage(0, "0:0"), stage(1, "0:1"), stage(2, "1:0"), stage(3, "1:1")) == "t0 t2 / t1 t3"


def test_stages_that_do_not_fit_take_turns_over_as_many_buffers_as_do():
    """Three times 64 KiB do not fit into 184 KiB, twice does."""
    assert packed(*(stage(number, f"0:{number}", 128) for number in range(4))) == "t0 t2 / t1 t3"


def test_a_tile_that_lives_beside_a_pipeline_costs_it_depth():
    """64 KiB beside twice 64 KiB."""
    tile = "k: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [128, 128])\n"
    store = "s = pl.tile.store(k, [0, 0], out)\n"
    stages = (stage(0, "0:0", 128), stage(1, "0:1", 128))
    assert packed(*stages, before=tile, behind=store) == "k / t0 t1"


def test_the_pipeline_with_the_largest_tiles_gives_way_first():
    tile = "k: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [128, 128])\n"
    store = "s = pl.tile.store(k, [0, 0], out)\n"
    large, small = (stage(0, "0:0", 128), stage(1, "0:1", 128)), (stage(2, "1:0", 64), stage(3, "1:1", 64))
    assert packed(*large, *small, before=tile, behind=store) == "k / t0 t1 t2 / t3"


def test_reserved_bytes_leave_less_room():
    reserve = "pl.system.reserve_buffer(name='ring', size=131072)\n"
    assert packed(stage(0, "0:0", 64), stage(1, "0:1", 64), before=reserve) == "t0 t1"


def test_memberships_are_gone_afterwards():
    made = after(TO_REUSE, kernel(stage(0, "0:0") + stage(1, "0:1") + "return out", params=LARGE))
    assert "pipeline_membership" not in str(made)


def test_allocations_kept_apart_are_declared_so_that_no_later_run_shares_them():
    made = after(TO_REUSE, kernel(stage(0, "0:0") + stage(1, "0:1") + "return out", params=LARGE))
    assert str(made).count("pinned=True") == 2


def test_a_pipeline_that_gets_what_it_asks_for_is_no_news():
    assert said(stage(0, "0:0"), stage(1, "0:1")) == []


def test_a_pipeline_of_too_large_tiles_is_told_the_size_that_fits():
    (hint,) = said(*(stage(number, f"0:{number}", 128) for number in range(3)))
    assert hint == (
        "perf_hint",
        "PH-MR-001",
        "pipeline in Vec: requested depth 3, but only 2 of 3 buffers fit, so stages wait for each other; "
        "shrink the per-stage tile to at most 62805 bytes (it has 65536), or lower stage= to 2",
    )


def test_what_fits_at_no_depth_is_a_warning():
    loads = [f"t{n}: pl.Tile[[128, 128], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [128, 128], "
             f"attrs={{'pipeline_membership': '0:{n}'}})\n" for n in range(3)]  # fmt: skip
    stores = [f"s{n} = pl.tile.store(t{n}, [0, 0], out)\n" for n in range(3)]
    (warning,) = said(*loads, *stores)
    assert warning[0] == "warning"


def test_one_tile_larger_than_the_memory_is_left_to_the_allocator():
    assert said(stage(0, "0:0", 512), stage(1, "0:1", 512)) == []

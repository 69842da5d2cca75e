# SPDX-License-Identifier: Apache-2.0
"""MemoryReuse: which tiles share an allocation, and which never do."""

from pypto_passes.memory_reuse import MemoryReuse

from pypto_build.passes import ASCEND950, apply_pass
from tests.passes.tile_places import TO_REUSE, after, function_of, kernel, reused, sharing, sizes


def test_a_result_takes_the_place_of_an_operand_that_is_read_for_the_last_time():
    made = reused("""
        a: Vec16 = LOAD
        b: Vec16 = pl.tile.add(a, a)
        STORE(b)
    """)
    assert sharing(made) == "a b"


def test_a_tile_that_is_read_later_keeps_its_place():
    made = reused("""
        a: Vec16 = LOAD
        b: Vec16 = pl.tile.exp(a)
        d: Vec16 = pl.tile.add(a, b)
        STORE(d)
    """)
    assert sharing(made) == "a d / b"


def test_the_first_allocation_that_is_free_is_taken():
    made = reused("""
        a: Vec16 = LOAD
        b: Vec16 = LOAD
        d: Vec16 = pl.tile.add(a, b)
        e: Vec16 = LOAD
        f: Vec16 = pl.tile.add(d, e)
        STORE(f)
    """)
    assert sharing(made) == "a d f / b e"


def test_the_largest_tile_makes_the_allocation_even_if_it_comes_last():
    made = reused("""
        small: pl.Tile[[4, 8], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [4, 8])
        s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(small, [0, 0], out)
        large: Vec16 = LOAD
        STORE(large)
    """)
    assert (sharing(made), sizes(made)) == ("small large", [1024])


def test_tiles_of_other_element_types_share_too():
    made = reused("""
        a: Vec16 = LOAD
        b: pl.Tile[[16, 16], pl.INT32, pl.Mem.Vec] = pl.tile.cast(a, target_type=pl.INT32)
        d: Vec16 = pl.tile.cast(b, target_type=pl.FP32)
        STORE(d)
    """)
    assert sharing(made) == "a b d"


def test_a_cast_to_a_wider_type_must_not_overtake_its_own_reads():
    made = reused("""
        a: Vec16 = LOAD
        b: pl.Tile[[16, 16], pl.FP16, pl.Mem.Vec] = pl.tile.cast(a, target_type=pl.FP16)
        d: Vec16 = pl.tile.cast(b, target_type=pl.FP32)
        STORE(d)
    """)
    assert sharing(made) == "a d / b"


def test_memory_spaces_do_not_mix():
    made = reused("""
        a: Mat16 = pl.tile.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)
        b: Right16 = pl.tile.move(a, target_memory=pl.Mem.Right)
        l: pl.Tile[[16, 16], pl.FP32, pl.Mem.Left] = pl.tile.move(a, target_memory=pl.Mem.Left)
        d: Acc16 = pl.tile.matmul(l, b)
        STORE(d)
    """)
    assert sharing(made) == "a / b / l / d"


def test_an_operation_that_cannot_work_in_place_gets_another_buffer():
    """MO-23 for one result."""
    made = reused("""
        a: Vec16 = LOAD
        b: Vec16 = pl.tile.recip(a)
        STORE(b)
    """)
    assert sharing(made) == "a / b"


def test_an_assembled_tile_is_not_put_over_its_source():
    made = reused("""
        b: Vec16 = LOAD
        a: Vec16 = LOAD
        d: Vec16 = pl.tile.assemble(a, b, [0, 0])
        STORE(d)
    """)
    assert sharing(made) == "b / a d"


def test_a_forbidden_operand_is_recognized_behind_a_view():
    made = reused("""
        a: Vec16 = LOAD
        v: pl.Tile[[1, 256], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(a, [1, 256])
        b: pl.Tile[[1, 256], pl.FP32, pl.Mem.Vec] = pl.tile.recip(v)
        w: Vec16 = pl.tile.reshape(b, [16, 16])
        STORE(w)
    """)
    assert sharing(made) == "a v / b w"


def test_views_go_where_their_tile_goes_and_keep_their_offset():
    made = reused("""
        a: Vec16 = LOAD
        s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(a, [0, 0], out)
        b: Vec16 = LOAD
        v: pl.Tile[[8, 16], pl.FP32, pl.Mem.Vec] = pl.tile.slice(b, [8, 16], [8, 0])
        STORE(v)
    """)
    assert sharing(made) == "a b v@512"


def test_a_tile_lives_as_long_as_its_views():
    made = reused("""
        a: Vec16 = LOAD
        v: pl.Tile[[1, 256], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(a, [1, 256])
        b: Vec16 = LOAD
        s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(b, [0, 0], out)
        w: Vec16 = pl.tile.reshape(v, [16, 16])
        STORE(w)
    """)
    assert sharing(made) == "a v w / b"


def test_a_tile_from_outside_a_loop_lives_to_its_end():
    made = reused("""
        a: Vec16 = LOAD
        for i in pl.range(4):
            b: Vec16 = pl.tile.exp(a)
            s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(b, [0, 0], out)
        d: Vec16 = LOAD
        STORE(d)
    """)
    assert sharing(made) == "a d / b"


def test_a_carry_keeps_its_buffer_through_the_loop():
    made = reused("""
        a: Vec16 = LOAD
        for i, (acc,) in pl.range(4, init_values=(a,)):
            t: Vec16 = LOAD
            u: Vec16 = pl.tile.exp(t)
            y: Vec16 = pl.yield_(u)
        STORE(y)
    """)
    assert sharing(made) == "a acc y u / t"


def test_tiles_of_two_branches_share():
    made = reused("""
        if c < 2:
            a: Vec16 = LOAD
            y: Vec16 = pl.yield_(a)
        else:
            b: Vec16 = LOAD
            y: Vec16 = pl.yield_(b)
        STORE(y)
    """)
    assert sharing(made) == "y a b"


def test_a_tile_that_only_one_branch_reads_leaves_its_place_to_the_other():
    made = reused("""
        a: Vec16 = LOAD
        if c < 2:
            b: Vec16 = LOAD
            s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(b, [0, 0], out)
        else:
            t: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(a, [0, 0], out)
        return out
    """)
    assert sharing(made) == "a b"


def test_what_branches_merged_is_kept_until_it_is_read():
    made = reused("""
        a: Vec16 = LOAD
        if c < 2:
            b: Vec16 = pl.tile.exp(a)
            y: Vec16 = pl.yield_(b)
        else:
            d: Vec16 = pl.tile.neg(a)
            y: Vec16 = pl.yield_(d)
        e: Vec16 = pl.tile.exp(a)
        f: Vec16 = pl.tile.add(y, e)
        g: Vec16 = pl.tile.add(a, f)
        STORE(g)
    """)
    assert sharing(made) == "a g / y b d f / e"


GATHER = """
    a: Vec16 = LOAD
    t: pl.Tile[[16, 32], pl.UINT8, pl.Mem.Vec] = pl.tile.create([16, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
    i, n = pl.tile.gather_compare(a, 0.5, t, out_cols=8)
    STORE(i)
"""


def test_the_results_of_one_operation_never_share_with_each_other_nor_with_its_operands():
    """MO-22, MO-23, MO-44, MO-45."""
    made = after(TO_REUSE, kernel(GATHER.replace("STORE(i)", "return out")))
    assert sharing(made) == "a / t / i / n"


def test_the_results_of_one_operation_are_candidates_one_by_one():
    """MO-22: the first takes the place of `q`, and leaves it to `b`; the second has its own and leaves it to `m`."""
    made = reused("""
        a: Vec16 = LOAD
        t: pl.Tile[[16, 32], pl.UINT8, pl.Mem.Vec] = pl.tile.create([16, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        q: pl.Tile[[16, 8], pl.INT32, pl.Mem.Vec] = pl.tile.create([16, 8], dtype=pl.INT32, target_memory=pl.Mem.Vec)
        i, n = pl.tile.gather_compare(a, 0.5, t, out_cols=8)
        b: pl.Tile[[16, 8], pl.INT32, pl.Mem.Vec] = pl.tile.add(i, i)
        m: pl.Tile[[1, 16], pl.INT32, pl.Mem.Vec] = pl.tile.add(n, n)
        z: Vec16 = pl.tile.add(a, a)
        u: pl.Tile[[16, 32], pl.UINT8, pl.Mem.Vec] = pl.tile.add(t, t)
        return out
    """)
    assert sharing(made) == "a z u / t / q i b m / n"


HAZARD = """
    a: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [16, 16])
    p: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=1)
    b: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.add(a, p)
    STORE(b)
"""
SPLIT = "    pl.func_attr({'split': pl.SplitMode.UP_DOWN})"


def test_a_load_is_not_overwritten_by_what_also_reads_from_the_other_core():
    made = after(TO_REUSE, kernel(SPLIT + HAZARD, "pl.FunctionType.AIV"))
    assert sharing(made) == "a / b"


def test_hardware_without_that_hazard_shares():
    made = after(TO_REUSE, kernel(SPLIT + HAZARD, "pl.FunctionType.AIV"), ASCEND950)
    assert sharing(made) == "a b"


def test_nothing_to_share_gives_the_same_object():
    made = reused("""
        a: Vec16 = LOAD
        b: Vec16 = LOAD
        d: Vec16 = pl.tile.add(a, b)
        e: Vec16 = pl.tile.add(d, d)
        STORE(e)
    """)
    assert apply_pass(MemoryReuse(), made) is made


def test_function_attributes_survive():
    assert function_of(after(TO_REUSE, kernel(SPLIT + HAZARD, "pl.FunctionType.AIV"))).attrs["split"] is not None

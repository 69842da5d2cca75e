# SPDX-License-Identifier: Apache-2.0
"""MaterializeSemanticAliases: carries and merges in one buffer, and moves only where two values are alive at once."""

from pypto_passes.init_mem_ref import InitMemRef
from pypto_passes.materialize_semantic_aliases import MaterializeSemanticAliases

from pypto_build.ir import Program
from pypto_build.passes import apply_pass
from tests.passes.tile_places import after, kernel, moves, references, sharing, sizes

TO_ALIASES = (InitMemRef(), MaterializeSemanticAliases())


def aliased(body: str) -> Program:
    return after(TO_ALIASES, kernel(body))


def test_the_next_value_of_a_carry_is_written_over_the_last():
    made = aliased("""
        a: Vec16 = LOAD
        for i, (acc,) in pl.range(4, init_values=(a,)):
            b: Vec16 = pl.tile.exp(acc)
            y: Vec16 = pl.yield_(b)
        STORE(y)
    """)
    assert (sharing(made), moves(made)) == ("a acc y b", [])


def test_a_while_loop_carries_the_same_way():
    made = aliased("""
        a: Vec16 = LOAD
        for k, acc in pl.while_(init_values=(c, a)):
            pl.cond(k < 4)
            b: Vec16 = pl.tile.exp(acc)
            k1, y = pl.yield_(k + 1, b)
        STORE(y)
    """)
    assert (sharing(made), moves(made)) == ("a acc y b", [])


def test_a_view_follows_its_tile_into_the_carry():
    made = aliased("""
        a: Vec16 = LOAD
        for i, (acc,) in pl.range(4, init_values=(a,)):
            b: Vec16 = LOAD
            v: pl.Tile[[8, 16], pl.FP32, pl.Mem.Vec] = pl.tile.slice(b, [8, 16], [8, 0])
            s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(v, [0, 0], out)
            y: Vec16 = pl.yield_(b)
        STORE(y)
    """)
    assert sharing(made) == "a acc y b v@512"


def test_a_carry_that_is_still_read_is_written_by_a_move_at_the_end():
    made = aliased("""
        a: Vec16 = LOAD
        for i, (acc,) in pl.range(4, init_values=(a,)):
            b: Vec16 = pl.tile.exp(acc)
            d: Vec16 = pl.tile.add(b, acc)
            s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(d, [0, 0], out)
            y: Vec16 = pl.yield_(b)
        STORE(y)
    """)
    assert (sharing(made), moves(made)) == ("a acc y b_mv / b / d", ["b_mv <- b"])


def test_an_operation_that_cannot_work_in_place_yields_through_a_move():
    made = aliased("""
        a: Vec16 = LOAD
        for i, (acc,) in pl.range(4, init_values=(a,)):
            b: Vec16 = pl.tile.recip(acc)
            y: Vec16 = pl.yield_(b)
        STORE(y)
    """)
    assert moves(made) == ["b_mv <- b"]


def test_a_tile_that_the_loop_starts_from_and_still_reads_is_copied_first():
    made = aliased("""
        a: Vec16 = LOAD
        for i, (acc,) in pl.range(4, init_values=(a,)):
            b: Vec16 = pl.tile.add(acc, a)
            y: Vec16 = pl.yield_(b)
        STORE(y)
    """)
    assert (sharing(made), moves(made)) == ("a / a_mv acc y b", ["a_mv <- a"])


def test_two_carries_that_start_from_one_tile_do_not_share():
    made = aliased("""
        a: Vec16 = LOAD
        for i, (p, q) in pl.range(4, init_values=(a, a)):
            b: Vec16 = pl.tile.exp(p)
            d: Vec16 = pl.tile.add(b, q)
            y, z = pl.yield_(b, d)
        STORE(z)
    """)
    assert references(made)["p"].base is not references(made)["q"].base


def test_an_inner_loop_that_restarts_from_a_tile_copies_it_each_time():
    made = aliased("""
        a: Vec16 = LOAD
        for i in pl.range(4):
            for j, (acc,) in pl.range(4, init_values=(a,)):
                b: Vec16 = pl.tile.exp(acc)
                y: Vec16 = pl.yield_(b)
            s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(y, [0, 0], out)
        return out
    """)
    assert moves(made) == ["a_mv <- a"]


def test_a_tile_without_content_needs_no_copy():
    made = aliased("""
        a: Vec16 = CREATE
        for i in pl.range(4):
            for j, (acc,) in pl.range(4, init_values=(a,)):
                b: Vec16 = LOAD
                y: Vec16 = pl.yield_(b)
            s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(y, [0, 0], out)
        return out
    """)
    assert (sharing(made), moves(made)) == ("a acc y b", [])


def test_a_carry_that_never_changes_shares_with_a_tile_that_is_still_read():
    made = aliased("""
        a: Vec16 = LOAD
        for i, (acc,) in pl.range(4, init_values=(a,)):
            s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(acc, [0, 0], out)
            t: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(a, [0, 0], out)
            y: Vec16 = pl.yield_(acc)
        STORE(y)
    """)
    assert (sharing(made), moves(made)) == ("a acc y", [])


def test_carries_that_change_places_go_through_a_third_buffer():
    made = aliased("""
        a: Vec16 = LOAD
        b: Vec16 = LOAD
        for i, (p, q) in pl.range(4, init_values=(a, b)):
            y, z = pl.yield_(q, p)
        STORE(y)
    """)
    assert moves(made) == ["q_mv <- q", "p_mv <- p", "q_mv_mv <- q_mv"]
    assert sharing(made) == "a p y q_mv_mv / b q z p_mv / q_mv"


def test_a_shifted_carry_is_moved_before_its_place_is_taken():
    made = aliased("""
        a: Vec16 = LOAD
        b: Vec16 = LOAD
        for i, (p, q) in pl.range(4, init_values=(a, b)):
            d: Vec16 = pl.tile.exp(p)
            y, z = pl.yield_(q, d)
        STORE(y)
    """)
    assert moves(made) == ["q_mv <- q", "d_mv <- d"]


def test_branches_write_to_one_place():
    made = aliased("""
        if c < 2:
            a: Vec16 = LOAD
            y: Vec16 = pl.yield_(a)
        else:
            b: Vec16 = LOAD
            y: Vec16 = pl.yield_(b)
        STORE(y)
    """)
    assert (sharing(made), moves(made)) == ("y a b", [])


def test_a_tile_from_before_the_branch_is_moved_in_its_branch():
    made = aliased("""
        a: Vec16 = LOAD
        if c < 2:
            b: Vec16 = pl.tile.exp(a)
            y: Vec16 = pl.yield_(b)
        else:
            y: Vec16 = pl.yield_(a)
        STORE(y)
    """)
    assert (sharing(made), moves(made)) == ("a / y b a_mv", ["a_mv <- a"])


def test_a_merge_is_not_put_over_a_tile_that_is_read_after_it():
    made = aliased("""
        a: Vec16 = LOAD
        if c < 2:
            y: Vec16 = pl.yield_(a)
        else:
            b: Vec16 = LOAD
            y: Vec16 = pl.yield_(b)
        s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(a, [0, 0], out)
        STORE(y)
    """)
    assert (sharing(made), moves(made)) == ("a / y a_mv b", ["a_mv <- a"])


def test_a_branch_that_hands_on_a_carry_that_is_read_later_moves_it():
    made = aliased("""
        a: Vec16 = LOAD
        for i, (acc,) in pl.range(4, init_values=(a,)):
            if i < 2:
                b: Vec16 = pl.tile.exp(acc)
                m: Vec16 = pl.yield_(b)
            else:
                m: Vec16 = pl.yield_(acc)
            s: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(acc, [0, 0], out)
            y: Vec16 = pl.yield_(m)
        STORE(y)
    """)
    assert moves(made) == ["acc_mv <- acc", "m_mv <- m"]


def test_a_merge_within_a_loop_is_written_straight_to_the_carry():
    made = aliased("""
        a: Vec16 = LOAD
        for i, (acc,) in pl.range(4, init_values=(a,)):
            if i < 2:
                b: Vec16 = pl.tile.exp(acc)
                m: Vec16 = pl.yield_(b)
            else:
                m: Vec16 = pl.yield_(acc)
            y: Vec16 = pl.yield_(m)
        STORE(y)
    """)
    assert (sharing(made), moves(made)) == ("a acc y m b", [])


def test_elements_of_one_operation_are_carried_each_in_its_own_buffer():
    """MO-43."""
    made = aliased("""
        a: Vec16 = LOAD
        t: pl.Tile[[16, 32], pl.UINT8, pl.Mem.Vec] = pl.tile.create([16, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        i0, n0 = pl.tile.gather_compare(a, 0.5, t, out_cols=8)
        for k, (i1, n1) in pl.range(4, init_values=(i0, n0)):
            i2, n2 = pl.tile.gather_compare(a, 0.5, t, out_cols=8)
            i3, n3 = pl.yield_(i2, n2)
        return out
    """)
    assert sharing(made) == "a / t / i0 i1 i3 i2 / n0 n1 n3 n2"


def test_a_buffer_made_for_a_copy_has_an_allocation():
    made = aliased("""
        a: Vec16 = LOAD
        for i, (acc,) in pl.range(4, init_values=(a,)):
            b: Vec16 = pl.tile.recip(acc)
            d: Vec16 = pl.tile.add(b, a)
            y: Vec16 = pl.yield_(b)
        STORE(y)
    """)
    assert sizes(made) == [1024] * 4


def test_a_kernel_without_carries_of_tiles_stays_the_same_object():
    made = apply_pass(InitMemRef(), kernel("a: Vec16 = LOAD\nSTORE(a)"))
    assert apply_pass(MaterializeSemanticAliases(), made) is made

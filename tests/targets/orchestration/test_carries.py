# SPDX-License-Identifier: Apache-2.0
"""Loops: carries that keep their buffer, carries that take another, several that change together."""

from __future__ import annotations

from tests.targets.orchestration.generating import T, body, text

BOTH = f"x: pl.InOut[{T}], out: pl.InOut[{T}]"


def loop(found: str) -> str:
    """The part of a body that begins where its loop does."""
    return found[found.index("for (") :]


def test_a_carry_that_is_updated_in_place_keeps_the_name_of_its_buffer():
    """CIC-36, CIC-38: the runtime knows a tensor by its descriptor, so no other one is made."""
    found = body("""
        for i, (acc,) in pl.range(4, init_values=(out,)):
            new = self.grow(x, acc)
            last = pl.yield_(new)
        return last
    """)
    expected = """
    PTO2_SCOPE() {
        for (int64_t i = 0; i < 4; i += 1) {
            PTO2_SCOPE() {

                // Task 0: grow
                CoreTaskArgs params_t0;
                params_t0.add_input(ext_x);
                params_t0.add_inout(ext_out);
                rt_submit_aiv_task(0, params_t0);
            }
        }
    }
    """
    assert found == text(expected)


def test_what_comes_out_of_an_alias_carry_is_the_same_buffer():
    """CIC-36"""
    found = body("""
        for i, (acc,) in pl.range(4, init_values=(out,)):
            new = self.grow(x, acc)
            last = pl.yield_(new)
        last = self.grow(x, last)
        return last
    """)
    assert "params_t1.add_inout(ext_out);" in found


def test_a_carry_that_takes_another_tensor_is_a_variable_that_the_yield_assigns():
    """CIC-32, CIC-37"""
    found = body("""
        state = x
        for i in pl.range(4):
            fresh = pl.create_tensor([16, 16], dtype=pl.FP32)
            state = self.copy(state, fresh)
        out = self.copy(state, out)
        return out
    """)
    assert "    ChipTensor state__rv_v3 = ext_x;\n    for (" in found
    assert "state__rv_v3 = fresh;\n        }" in found
    assert "params_t1.add_input(state__rv_v3);" in found


def test_two_carries_that_change_places_are_read_before_either_is_assigned():
    """CIC-42"""
    found = body(
        """
        for i, (a, b) in pl.range(5, init_values=(x, out)):
            done = self.copy(a, b)
            c, d = pl.yield_(done, a)
        return c
    """,
        params=BOTH,
    )
    assert text("""
        ChipTensor c__rv_v0_before = c__rv_v0;
        c__rv_v0 = d__rv_v0;
        d__rv_v0 = c__rv_v0_before;
    """).replace("\n        ", "\n") in "\n".join(line.strip() for line in found.splitlines())


def test_three_carries_in_a_circle_need_one_temporary():
    """CIC-42"""
    found = body(
        """
        for i, (a, b, c) in pl.range(5, init_values=(x, out, third)):
            done = self.grow(x, a)
            d, e, f = pl.yield_(b, c, a)
        return d
    """,
        params=f"{BOTH}, third: pl.InOut[{T}]",
    )
    assignments = [line.strip() for line in found.splitlines() if "__rv" in line and "params" not in line][3:]
    assert assignments == [
        "ChipTensor d__rv_v0_before = d__rv_v0;",
        "d__rv_v0 = e__rv_v0;",
        "e__rv_v0 = f__rv_v0;",
        "f__rv_v0 = d__rv_v0_before;",
    ]


def test_a_chain_of_carries_is_assigned_from_its_end_without_a_temporary():
    """CIC-42"""
    found = body(
        """
        for i, (newer, older) in pl.range(5, init_values=(x, out)):
            fresh = pl.create_tensor([16, 16], dtype=pl.FP32)
            done = self.copy(newer, fresh)
            new, old = pl.yield_(done, newer)
        return old
    """,
        params=BOTH,
    )
    lines = [line.strip() for line in found.splitlines()]
    assert lines[lines.index("old__rv_v0 = new__rv_v0;") + 1] == "new__rv_v0 = fresh;"
    assert "_before" not in found


def test_a_name_given_to_a_carry_keeps_what_it_was_then():
    found = body("""
        for i, (state,) in pl.range(5, init_values=(x,)):
            kept = state
            fresh = pl.create_tensor([16, 16], dtype=pl.FP32)
            done = self.copy(kept, fresh)
            last = pl.yield_(done)
        return last
    """)
    assert "ChipTensor kept = last__rv_v0;" in found


def test_scalars_that_change_together_are_a_parallel_copy_too():
    """CIC-42"""
    found = body("""
        for i, (a, b) in pl.range(5, init_values=(1, 2)):
            out = self.copy(x, out)
            c, d = pl.yield_(b, a + b)
        for j in pl.range(c):
            out = self.copy(x, out)
        return out
    """)
    assert "int64_t d__rv_v0_before = d__rv_v0;" in found or "int64_t c__rv_v0_before = c__rv_v0;" in found


def test_a_scalar_carry_begins_with_its_constant():
    """CIC-32"""
    found = body("""
        for i, (a,) in pl.range(5, init_values=(0,)):
            out = self.copy(x, out)
            b = pl.yield_(a + i)
        for j in pl.range(b):
            out = self.copy(x, out)
        return out
    """)
    assert "int64_t b__rv_v0 = 0;" in found
    assert "b__rv_v0 = (b__rv_v0 + i);" in found
    assert "j < b__rv_v0;" in found


def test_a_loop_may_count_down():
    assert "for (int64_t i = 4; i > 0; i += -1) {" in body("""
        for i in pl.range(4, 0, -1):
            out = self.copy(x, out)
        return out
    """)


def test_a_loop_with_a_step_known_at_run_time_asks_for_its_sign():
    found = body(
        """
        for i in pl.range(0, 8, step):
            out = self.copy(x, out)
        return out
    """,
        params=f"x: {T}, out: pl.Out[{T}], step: pl.Scalar[pl.INDEX]",
    )
    assert "for (int64_t i = 0; (step > 0 ? i < 8 : i > 8); i += step) {" in found


def test_loops_side_by_side_may_use_one_name():
    found = body("""
        for i in pl.range(2):
            out = self.copy(x, out)
        for i in pl.range(3):
            out = self.copy(x, out)
        return out
    """)
    assert "for (int64_t i = 0; i < 2; i += 1) {" in found
    assert "for (int64_t i = 0; i < 3; i += 1) {" in found


def test_a_while_loop_assigns_the_carries_that_its_body_changes():
    found = body("""
        n = 3
        while n > 0:
            out = self.copy(x, out)
            n = n - 1
        return out
    """)
    assert "while ((" in found
    assert "params_t0.add_inout(ext_out);" in found
    assert "ChipTensor" not in found

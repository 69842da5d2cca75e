# SPDX-License-Identifier: Apache-2.0
"""Branches and what they yield."""

from __future__ import annotations

from tests.targets.orchestration.generating import T, body, text

PARAMS = f"x: {T}, n: pl.Scalar[pl.INDEX], out: pl.Out[{T}]"


def test_both_branches_have_a_scope_of_their_own():
    found = body(
        """
        if n == 0:
            out = self.copy(x, out)
        else:
            out = self.scale(x, 2.0, out)
        return out
    """,
        params=PARAMS,
    )
    expected = """
        if ((n == 0)) {
            PTO2_SCOPE() {

                // Task 0: copy
                CoreTaskArgs params_t0;
                params_t0.add_input(ext_x);
                params_t0.add_output(ext_out);
                rt_submit_aiv_task(0, params_t0);
            }
        } else {
            PTO2_SCOPE() {
    """
    assert text(expected) in "\n".join(line.removeprefix("    ") for line in found.splitlines())


def test_a_buffer_that_both_branches_write_keeps_its_name():
    """CIC-38"""
    found = body(
        """
        if n == 0:
            out = self.copy(x, out)
        else:
            out = self.scale(x, 2.0, out)
        out = self.grow(x, out)
        return out
    """,
        params=PARAMS,
    )
    assert "ChipTensor" not in found
    assert "params_t2.add_inout(ext_out);" in found


def test_branches_that_yield_different_tensors_assign_a_variable():
    found = body(
        """
        if n == 0:
            chosen = x
        else:
            chosen = y
        out = self.copy(chosen, out)
        return out
    """,
        params=f"y: {T}, {PARAMS}",
    )
    assert "ChipTensor chosen__phi_v2 = ext_x;\n    if (" in found
    assert "chosen__phi_v2 = ext_y;" in found
    assert "add_input(chosen__phi_v2);" in found


def test_branches_that_yield_different_numbers_assign_a_variable():
    found = body(
        """
        if n == 0:
            by = pl.yield_(pl.const(0.5, pl.FP32))
        else:
            by = pl.yield_(pl.const(2.0, pl.FP32))
        out = self.scale(x, by, out)
        return out
    """,
        params=PARAMS,
    )
    assert "float by__rv_v0;" in found
    assert "by__rv_v0 = 0.500000f;" in found
    assert "by__rv_v0 = 2.000000f;" in found


def test_a_tensor_that_a_branch_makes_is_allocated_before_it_if_it_comes_out():
    found = body(
        """
        if n == 0:
            a = pl.create_tensor([16, 16], dtype=pl.FP32)
            chosen = self.copy(x, a)
        else:
            b = pl.create_tensor([16, 16], dtype=pl.FP32)
            chosen = self.copy(x, b)
        out = self.copy(chosen, out)
        return out
    """,
        params=PARAMS,
    )
    assert found.index("const ChipTensor& a = ") < found.index("if (")
    assert "chosen__phi_v2 = b;" in found

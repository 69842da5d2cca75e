# SPDX-License-Identifier: Apache-2.0
"""Loops, branches, carried values, scopes and calls, before and after the forms that passes give them."""

from __future__ import annotations

import numpy as np

from tests.simulators.running import program, simulate

X = np.arange(8, dtype=np.float32)


def run(body: str, returns: str = "pl.Tensor[[8], pl.FP32]", **inputs: object) -> object:
    """What a function of this body yields for x (and n, when given)."""
    params = "x: pl.Tensor[[8], pl.FP32]" + "".join(f", {name}: pl.Scalar[pl.INDEX]" for name in inputs)
    head = f"@pl.program\nclass P:\n    @pl.function\n    def main(self, {params}) -> {returns}:\n"
    lines = "".join(f"        {line}\n" for line in body.strip().split("\n"))
    outputs = simulate(program(head + lines), {"x": X, **inputs}).outputs
    return outputs["result"] if "result" in outputs else outputs["x"]


def test_a_variable_that_is_assigned_again_has_the_new_value() -> None:
    assert np.array_equal(run("y = pl.add(x, 1.0)\ny = pl.mul(y, 2.0)\nreturn y"), (X + 1) * 2)


def test_a_plain_loop_changes_variables_around_it() -> None:
    body = "y = pl.add(x, 0.0)\nfor i in pl.range(3):\n    y = pl.add(y, x)\nreturn y"
    assert np.array_equal(run(body), X * 4)


def test_a_loop_with_carried_values_hands_over_what_is_yielded() -> None:
    body = (
        "a = pl.add(x, 0.0)\nb = pl.add(x, 1.0)\n"
        "for i, (p, q) in pl.range(3, init_values=(a, b)):\n"
        "    r, s = pl.yield_(q, p)\n"
        "return r"
    )
    assert np.array_equal(run(body), X + 1)


def test_a_loop_that_does_not_run_hands_over_the_first_values() -> None:
    body = (
        "a = pl.add(x, 5.0)\nfor i, (p,) in pl.range(n, init_values=(a,)):\n    r = pl.yield_(pl.add(p, 1.0))\nreturn r"
    )
    assert np.array_equal(run(body, n=0), X + 5)
    assert np.array_equal(run(body, n=4), X + 9)


def test_steps_may_be_larger_than_one_and_stops_uneven() -> None:
    body = "s = 0\nfor i in pl.range(1, 8, 3):\n    s = s + i\nreturn s"
    assert run(body, "pl.Scalar[pl.INDEX]") == 1 + 4 + 7


def test_a_while_loop_reads_the_carried_values() -> None:
    body = "s = 0\nwhile s * s < 50:\n    s = s + 1\nreturn s"
    assert run(body, "pl.Scalar[pl.INDEX]") == 8


def test_break_and_continue_leave_an_iteration() -> None:
    body = (
        "s = 0\n"
        "for i in pl.range(10):\n"
        "    if i == 2:\n        continue\n"
        "    if i == 5:\n        break\n"
        "    s = s + i\n"
        "return s"
    )
    assert run(body, "pl.Scalar[pl.INDEX]") == 0 + 1 + 3 + 4


def test_a_branch_yields_what_the_taken_side_yields() -> None:
    body = "if n > 2:\n    y = pl.yield_(pl.add(x, 1.0))\nelse:\n    y = pl.yield_(pl.mul(x, 2.0))\nreturn y"
    assert np.array_equal(run(body, n=3), X + 1)
    assert np.array_equal(run(body, n=2), X * 2)


def test_integer_division_and_remainder_round_towards_minus_infinity() -> None:
    assert run("return (0 - n) // 3", "pl.Scalar[pl.INDEX]", n=7) == -3
    assert run("return (0 - n) % 3", "pl.Scalar[pl.INDEX]", n=7) == 2


def test_a_scope_is_its_body() -> None:
    body = "with pl.at(level=pl.Level.CORE_GROUP):\n    y = pl.add(x, 1.0)\nreturn y"
    assert np.array_equal(run(body), X + 1)


def test_each_core_of_a_launch_sees_its_own_index() -> None:
    body = (
        "y = pl.create_tensor([8], dtype=pl.FP32)\n"
        "for i in pl.spmd(4):\n"
        "    t = pl.load(x, [i * 2], [2])\n"
        "    y = pl.store(pl.add(t, 1.0), [i * 2], y)\n"
        "return y"
    )
    assert np.array_equal(run(body), X + 1)


def test_a_loop_that_carries_values_may_change_variables_around_it_while_an_inner_loop_is_left_early() -> None:
    body = (
        "y = x\n"
        "for i, (c,) in pl.range(2, init_values=(x,)):\n"
        "    y = pl.add(y, 1.0)\n"
        "    for j in pl.range(9):\n"
        "        if j == 1:\n"
        "            break\n"
        "    c = pl.yield_(y)\n"
        "return c"
    )
    assert np.array_equal(run(body), X + 2)


EARLY = """
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore, strict_ssa=True)
    def main(self, x: pl.Tensor[[8], pl.FP32]) -> pl.Tensor[[8], pl.FP32]:
        for i, (c,) in pl.range(10, init_values=(x,)):
            if i < 3:
                continue
            y = pl.add(c, c)
            if i > 4:
                break
            c = pl.yield_(y)
        return c
"""


def test_an_iteration_that_is_left_early_carries_on_what_it_has_computed() -> None:
    assert np.array_equal(simulate(program(EARLY), {"x": X}).outputs["result"], X * 2**3)

# SPDX-License-Identifier: Apache-2.0
"""Random programs that once showed a mistake of a pass of the language, made small."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from tests.passes.random_programs import prove

X = "pl.Tensor[[4, 8], pl.FP32]"
INDEX = "pl.Scalar[pl.INDEX]"
HEAD = f"""
@pl.function(auto_scope=False)
def main(
    self, x: {X}, y: {X}, w: pl.Tensor[[8, 8], pl.FP32], n: {INDEX}, r: pl.Scalar[pl.FP32], acc: pl.InOut[{X}],
    out: pl.Out[{X}],
) -> tuple[{X}, {X}]:
"""


def prove_main(text: str, *functions: str) -> None:
    """Prove a program by the body of `main` and other functions of it."""
    main = HEAD.strip() + "\n" + indent(dedent(text).strip() + "\nreturn acc, out", "    ")
    inner = "\n\n".join(dedent(one).strip() for one in (*functions, main))
    prove("@pl.program\nclass P:\n" + indent(inner, "    ") + "\n")


@pytest.mark.parametrize(
    "result",
    [
        """
        if n > i:
            step, other = pl.yield_(pl.mul(x, 2.0), x)
        else:
            step, other = pl.yield_(x, acc)
        """,
        """
        for j, (step,) in pl.range(2, init_values=(x,)):
            step = pl.yield_(pl.add(step, x))
        """,
    ],
    ids=["branch", "loop"],
)
def test_a_result_beside_a_jump_is_read_behind_the_scope_of_both(result: str) -> None:
    body = indent(dedent(result).strip(), "        ")
    jump = "    with pl.at(level=pl.Level.CORE_GROUP):\n        if i >= 2:\n            break\n"
    prove_main(f"for i in pl.range(4):\n{jump}{body}\n    acc = pl.assemble(acc, step, [0, 0])")


def test_a_sum_that_is_known_after_a_round_is_used_in_the_next() -> None:
    halves = f"""
        @pl.function(type=pl.FunctionType.Inline)
        def f1(self, p0: {X}, p1: {INDEX}, p2: pl.Scalar[pl.FP32]) -> tuple[{X}, {INDEX}]:
            for i2, (c1,) in pl.range(1, 3, 2, init_values=(p1,)):
                c1: {INDEX} = pl.yield_(pl.max(2, p1) // 2)
            if p1 == 1:
                m4: {X} = pl.yield_(p0)
            else:
                m4: {X} = pl.yield_(p0)
            return (m4, c1)
        """
    text = """
        t3, i4 = self.f1(pl.minimum(acc, out), (n + n) % 7, r)
        y, i5 = self.f1(pl.add(y, r), pl.min(3, i4), r - r)
        """
    prove_main(text, halves)


def test_a_flag_that_is_decided_after_a_round_decides_a_branch_in_the_next() -> None:
    inner = f"""
        @pl.function(type=pl.FunctionType.Inline)
        def f0(self, p0: {X}, p1: {INDEX}) -> {X}:
            for i4, (c2, c3) in pl.range(1, 0, -1, init_values=(p1, pl.const(True, pl.BOOL))):
                c2, c3 = pl.yield_(p1, c2 < 1)
            if c3:
                p0 = pl.slice(pl.full([8, 8], dtype=pl.FP32, value=2.0), [4, 8], [p1 % 4, 0])
            return p0
        """
    outer = f"""
        @pl.function(type=pl.FunctionType.Inline)
        def f1(self, p0: {X}, p1: {INDEX}, p2: {INDEX}) -> {X}:
            for i1 in pl.range(p2 % 4):
                w2 = pl.full([8, 8], dtype=pl.FP32, value=2.0)
                p0 = self.f0(pl.slice(w2, [4, 8], [i1 % 4, 0]), (p2 - p1) % 5)
            return p0
        """
    text = """
        for q4 in pl.spmd(1):
            y = self.f1(pl.add(out, r), n % 5, pl.min(2, q4))
        """
    prove_main(text, inner, outer)


def test_a_condition_whose_parts_become_alike_after_a_round_is_shorter_in_the_next() -> None:
    inner = f"""
        @pl.function(type=pl.FunctionType.Inline)
        def f0(self, p0: {X}, p1: {INDEX}) -> {X}:
            for i6, (c5,) in pl.range(1, 2, 2, init_values=(p1,)):
                c5: {INDEX} = pl.yield_(c5)
            if p1 == 4 and (2 < 2 or c5 >= 4):
                p0 = pl.add(p0, 1.0)
            return p0
        """
    outer = f"""
        @pl.function(type=pl.FunctionType.Inline)
        def f1(self, p0: {X}, p1: {INDEX}, p2: {X}, p3: pl.Scalar[pl.FP32]) -> {X}:
            t12 = self.f0(pl.slice(pl.full([8, 8], dtype=pl.FP32, value=2.0), [4, 8], [1 % 4, 0]), (p1 + p1) % 7)
            return t12
        """
    prove_main("t9 = self.f1(acc, n * 2 % 11, out, pl.read(acc, [0, 0]))", inner, outer)

# SPDX-License-Identifier: Apache-2.0
"""Lifetimes: the points at which tiles are alive. Statement n reads at 2n and writes at 2n + 1."""

from textwrap import indent

from pypto_build.analysis.lifetimes import Interval, Lifetimes
from pypto_build.analysis.statement_walk import statement_vars
from pypto_build.dsl.text import parse_program
from pypto_build.ir import Call

T = "pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]"
LOAD = "pl.tile.load(x, [0, 0], [16, 16])"
HEAD = (
    "@pl.program\nclass P:\n    @pl.function\n"
    "    def f(self, x: pl.Tensor[[16, 16], pl.FP32], c: pl.Scalar[pl.INDEX], out: pl.Tensor[[16, 16], pl.FP32]):\n"
)


def lives(body: str, held: tuple[int, ...] = ()) -> dict[str, list[Interval]]:
    """The intervals of every tile by name; `held` are the arguments that each sum still reads while it writes."""
    text = HEAD + indent(body.replace("T ", f"{T} ").replace("LOAD", LOAD), " " * 8)
    (function,) = parse_program(text).functions.values()

    def holds(call: Call) -> tuple[int, ...]:
        return held if call.op.name == "tile.add" else ()

    lifetimes = Lifetimes(function, holds)
    found = ((var.name_hint, lifetimes.intervals(var)) for var in statement_vars(function))
    return {name: intervals for name, intervals in found if intervals}


def test_a_tile_lives_from_its_write_to_its_last_read():
    assert lives("a: T = LOAD\nb: T = pl.tile.add(a, a)\nd: T = pl.tile.add(a, b)\n") == {
        "a": [(1, 4)],
        "b": [(3, 4)],
        "d": [(5, 5)],
    }


def test_a_held_operand_lives_until_the_result_is_written():
    assert lives("a: T = LOAD\nb: T = LOAD\nd: T = pl.tile.add(a, b)\n", held=(1,)) == {
        "a": [(1, 4)],
        "b": [(3, 5)],
        "d": [(5, 5)],
    }


def test_what_a_loop_reads_from_outside_lives_to_its_end():
    """Statements: 0 a, 1 the loop, 2 b, 3 the end of the loop."""
    found = lives("a: T = LOAD\nfor i in pl.range(4):\n    b: T = pl.tile.add(a, a)\n")
    assert found == {"a": [(1, 3), (3, 6)], "b": [(5, 5)]}


def test_a_carry_lives_to_its_last_read_and_the_next_value_to_the_end():
    """Statements: 0 a, 1 the loop, 2 b, 3 the end, 4 the sum of the result."""
    body = (
        "a: T = LOAD\nfor i, (p,) in pl.range(4, init_values=(a,)):\n    b: T = pl.tile.add(p, p)\n"
        "    y: T = pl.yield_(b)\nd: T = pl.tile.add(y, y)\n"
    )
    assert lives(body) == {"a": [(1, 2)], "p": [(3, 4)], "b": [(5, 6)], "y": [(7, 8)], "d": [(9, 9)]}


def test_what_one_branch_reads_is_not_alive_in_the_other():
    """Statements: 0 a, 1 the if, 2 b, 3 the end of then, 4 d, 5 the end of else, 6 the end."""
    found = lives("a: T = LOAD\nif c < 2:\n    b: T = LOAD\nelse:\n    d: T = pl.tile.add(a, a)\n")
    assert found["a"] == [(1, 2), (8, 8)]


def test_what_is_read_after_the_branches_is_alive_in_both():
    found = lives("a: T = LOAD\nif c < 2:\n    b: T = LOAD\nd: T = pl.tile.add(a, a)\n")
    assert found["a"] == [(1, 10)]


def test_elements_are_written_by_the_call_that_makes_the_tuple():
    """MO-44: both at point 5."""
    body = (
        "a: T = LOAD\n"
        "t = pl.tile.create([16, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)\n"
        "i, n = pl.tile.gather_compare(a, 0.5, t, out_cols=8)\n"
    )
    found = lives(body)
    assert (found["i"], found["n"]) == ([(5, 5)], [(5, 5)])

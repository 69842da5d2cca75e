# SPDX-License-Identifier: Apache-2.0
"""How the time of ConvertToSSA grows with the size of a function, and what each pass of the language costs.

Run it by itself (`python tests/bench/ssa_bench.py [STATEMENTS] [VARIABLES] [NESTING]`; 10,000, 200 and 50 by default).
The first table has a line per form of program: the last column is the time for so many statements over the time for
half of them, and 2 is linear. The second one runs the passes of the language one after the other over the nested form.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from textwrap import indent

from pypto_passes.convert_to_ssa import ConvertToSSA

from pypto_build.deep_stack import on_deep_stack
from pypto_build.dsl.text import parse_program
from pypto_build.ir import Node, Program, collect
from pypto_build.passes import Pass, apply_pass
from tests.passes.random_programs.proof import LANGUAGE_PASSES

HEAD = """
@pl.program
class Bench:
    @pl.function
    def f(self, n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[64], pl.INDEX]]) -> pl.Tensor[[64], pl.INDEX]:
"""
PER_LEVEL = 4  # statements before the next level of a nest


def assignment(place: int, variables: int) -> str:
    """One variable made of another."""
    return f"v{place % variables} = v{(7 * place + 1) % variables} + {place % 5}"


def straight(count: int, variables: int, _: int) -> Iterator[str]:
    """One assignment after the other."""
    return (assignment(place, variables) for place in range(count))


def branches(count: int, variables: int, _: int) -> Iterator[str]:
    """Branches that assign on one side, on both, or different things."""
    for place in range(0, count, 3):
        then, otherwise = assignment(place, variables), assignment(place + place % 2, variables)
        yield f"if v{place % variables} > {place % 9}:\n    {then}\nelse:\n    {otherwise}"


def loops(count: int, variables: int, _: int) -> Iterator[str]:
    """Loops of both kinds, each with a variable to carry."""
    for place in range(0, count, 2):
        head = f"for i{place} in pl.range(2):" if place % 4 else f"while v{place % variables} < {place % 7}:"
        yield f"{head}\n    {assignment(place, variables)}"


def nests(count: int, variables: int, nesting: int) -> Iterator[str]:
    """Branches and loops inside one another as deep as asked, again and again."""
    size = nesting * (PER_LEVEL + 1)
    for start in range(0, count, size):
        yield _nest(start, min(nesting, max((count - start) // (PER_LEVEL + 1), 1)), variables)


def _nest(place: int, levels: int, variables: int) -> str:
    lines = [assignment(place + one, variables) for one in range(PER_LEVEL)]
    if levels > 1:
        inner = _nest(place + PER_LEVEL, levels - 1, variables)
        lines.append(f"{_head(place, levels, variables)}\n{indent(inner, ' ')}")
    return "\n".join(lines)


def _head(place: int, levels: int, variables: int) -> str:
    """Mostly branches: Python nests no more than 20 loops."""
    if levels % 3:
        return f"if v{place % variables} > 3:"
    return f"for i{place} in pl.range(2):" if levels % 2 else f"while v{place % variables} < 2:"


FORMS = (straight, branches, loops, nests)
Form = Callable[[int, int, int], Iterable[str]]


def program(form: Form, count: int, *, variables: int, nesting: int) -> Program:
    """A program of so many statements, whose result is a sum of all its variables."""
    begin = [f"v{one}: pl.Scalar[pl.INDEX] = n + {one}" for one in range(variables)]
    end = ["s: pl.Scalar[pl.INDEX] = 0", *(f"s = s + v{one}" for one in range(variables))]
    lines = [*begin, *form(count, variables, nesting), *end, "pl.tensor.write(out, [0], s)", "return out"]
    return parse_program(HEAD + indent("\n".join(lines), " " * 8))


def seconds(pass_: Pass, before: Program) -> float:
    """The time of one run, the best of three."""
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        apply_pass(pass_, before)
        best = min(best, time.process_time() - started)
    return best


def growth(statements: int, variables: int, nesting: int) -> Iterator[str]:
    """A line per form."""
    for form in FORMS:
        half, whole = (
            seconds(ConvertToSSA(), program(form, count, variables=variables, nesting=nesting))
            for count in (statements // 2, statements)
        )
        each = whole / statements * 1e6
        yield f"{form.__name__:<12}{whole:>8.2f} s{each:>8.1f} us each{whole / half:>7.2f} x the time of half"


def costs(statements: int, variables: int, nesting: int) -> Iterator[str]:
    """A line per pass: what a thousand nodes of the program before it take."""
    before = program(nests, statements, variables=variables, nesting=nesting)
    for pass_ in LANGUAGE_PASSES:
        nodes = len(collect(before, Node))
        each = seconds(pass_, before) / nodes * 1e6
        yield f"{pass_.name:<24}{each:>8.2f} ms per thousand of {nodes} nodes"
        before = apply_pass(pass_, before)


def main() -> None:
    """Print both tables."""
    given = [int(one) for one in sys.argv[1:]]
    sizes = (*given, *(10_000, 200, 50)[len(given) :])

    def run() -> None:
        for line in chain(growth(*sizes), [""], costs(*sizes)):
            print(line, flush=True)

    on_deep_stack(run)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""How the time of Simplify grows with the size of a function, for one kind of statement at a time.

Run it by itself (`python tests/bench/simplify_bench.py [STATEMENTS]`). The last column is the time for twice as many
statements over the time for so many: 2 is linear.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable

from pypto_passes.simplify import Simplify

from pypto_build import ir
from pypto_build.deep_stack import on_deep_stack
from pypto_build.ir import DataType, binary
from pypto_build.passes import PassContext

Parts = tuple[list[ir.Stmt], ir.Expr]


def scalar(name: str) -> ir.Var:
    """An INDEX variable."""
    return ir.Var(name, ir.scalar_type(DataType.INDEX))


N, M = scalar("n"), scalar("m")


def sums(count: int) -> Parts:
    """Each scalar is made of the one before."""
    stmts: list[ir.Stmt] = []
    value: ir.Expr = N
    for place in range(count):
        var = scalar(f"s{place}")
        stmts.append(ir.AssignStmt(var, binary("mod", binary("add", binary("mul", value, 4), place % 7), 97)))
        value = var
    return stmts, value


def one_sum(count: int) -> Parts:
    """One expression with a term for each statement."""
    value: ir.Expr = N
    for place in range(count):
        value = binary("add", value, binary("floordiv", M, place + 2))
    return [], value


def conditions(count: int) -> Parts:
    """One condition with a part for each statement."""
    value: ir.Expr = binary("lt", N, M)
    for place in range(count):
        value = binary("and_", value, binary("ne", M, place))
    chosen = scalar("chosen")
    then, otherwise = (ir.YieldStmt((side,)) for side in (N, M))
    return [ir.IfStmt(value, then, otherwise, (chosen,))], chosen


def branches(count: int) -> Parts:
    """Branches one after the other, each with a question that its condition answers."""
    stmts: list[ir.Stmt] = []
    value: ir.Expr = N
    for place in range(count):
        var = scalar(f"b{place}")
        then = ir.YieldStmt((binary("min_", value, binary("add", M, place)),))
        stmts.append(ir.IfStmt(binary("lt", value, M), then, ir.YieldStmt((value,)), (var,)))
        value = var
    return stmts, value


def loops(count: int) -> Parts:
    """Loops one after the other, each around a read of its index."""
    stmts: list[ir.Stmt] = []
    value: ir.Expr = N
    for place in range(count):
        index, carried, result = scalar("i"), ir.IterArg("c", N.type, init_value=value), scalar(f"r{place}")
        rest = binary("min_", 32, binary("sub", 128, index))
        body = ir.YieldStmt((binary("add", carried, rest),))
        bounds = [ir.ConstInt(number) for number in (0, 128, 32)]
        stmts.append(ir.ForStmt(index, *bounds, (carried,), body, (result,)))
        value = result
    return stmts, value


def nest(count: int) -> Parts:
    """Branches inside one another, each with a fact that a question at the bottom could use."""
    inner = [scalar(f"v{place}") for place in range(count)]
    body: ir.Stmt = ir.YieldStmt((binary("min_", N, M),))
    value: ir.Var = N
    for place, var in enumerate(inner):
        then = body if place == 0 else ir.SeqStmts((body, ir.YieldStmt((value,))))
        body = ir.IfStmt(binary("lt", binary("mul", N, place + 2), M), then, ir.YieldStmt((N,)), (var,))
        value = var
    return [body], value


KINDS: tuple[tuple[Callable[[int], Parts], int], ...] = (
    (sums, 1),
    (one_sum, 10),
    (conditions, 10),
    (branches, 1),
    (loops, 1),
    (nest, 40),
)
"""Kinds of statements, and by what their number is divided: expressions and bodies nest only so deep."""


def seconds(make: Callable[[int], Parts], count: int) -> float:
    """The time of one run, the best of three."""
    stmts, value = make(count)
    body = ir.SeqStmts((*stmts, ir.ReturnStmt((value,))))
    directions = (ir.ParamDirection.In,) * 2
    function = ir.Function("f", (N, M), directions, (value.type,), body)
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        Simplify().run(function, None, PassContext())  # type: ignore[arg-type]  # it asks nobody about callees
        best = min(best, time.process_time() - started)
    return best


def growth(statements: int) -> Iterable[tuple[str, float, float]]:
    """Name, microseconds for each statement, and the ratio of twice as many statements to so many."""
    for make, divisor in KINDS:
        count = max(statements // divisor, 2)
        once, twice = seconds(make, count), seconds(make, 2 * count)
        yield make.__name__, once / count * 1e6, twice / once


def main() -> None:
    """Print one line per kind."""
    statements = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for name, each, ratio in on_deep_stack(lambda: list(growth(statements))):
        print(f"{name:<12}{each:>10.1f} us each{ratio:>8.2f} x for twice as many")


if __name__ == "__main__":
    main()

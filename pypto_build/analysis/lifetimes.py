# SPDX-License-Identifier: Apache-2.0
"""When the tiles of a function are alive: exact intervals of program points, branches and loops looked at one by one.

Every statement has a number n; it reads at point 2n and writes at point 2n + 1, so a result may take the place of an
operand that is read for the last time. A loop writes its carries at the point after its header's reads and its results
after its end; a merge of branches writes after the end of the branches. What comes from outside a loop and is read in
it is alive from the header to the end. What comes from outside an `if` is alive in those branches that read it, and
beside them only if somebody after the `if` does. One walk; the cost is the number of reads times the nesting depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.analysis.statement_walk import branches
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    ReturnStmt,
    ScopeStmt,
    SeqStmts,
    Stmt,
    TileType,
    TupleGetItemExpr,
    TupleType,
    Var,
    Visitor,
    WhileStmt,
    statements,
)

Interval = tuple[int, int]
"""The first and the last point, both included."""

HeldArguments = Callable[[Call], Iterable[int]]
"""The arguments that a call still reads while it writes its result."""


@dataclass(eq=False, slots=True)
class Block:
    """A body: the points that it covers, and the point of the block around it at which it is entered."""

    start: int
    parent: Block | None = None
    entry: int = 0
    is_loop: bool = False
    end: int = 0

    def covers(self, interval: Interval) -> bool:
        """Whether an interval lies inside."""
        return self.start <= interval[0] and interval[1] <= self.end


@dataclass(slots=True)
class _Life:
    """Where a Var is written, and by block the last point at which it is alive."""

    home: Block
    written: int
    last: dict[Block, int] = field(default_factory=dict)


class Lifetimes:
    """The lifetimes of one function.

    `held` tells which arguments stay alive until the result of their call is written. Elements of a tuple are written
    by the call that makes the tuple. `hollow` are tiles without content: to carry or to merge them is no read.
    """

    def __init__(self, function: Function, held: HeldArguments, hollow: Set[Var] = frozenset()) -> None:
        self._held = held
        self._hollow = hollow
        self._lives: dict[Var, _Life] = {}
        self._elements = _elements_by_tuple(function)
        self._number = 0
        self.blocks: dict[Stmt, tuple[Block, ...]] = {}  # the bodies of each compound statement
        self.root = self._block = Block(-1)
        for param in function.params:
            self._write(param, -1)
        self._body(function.body)
        self.root.end = 2 * self._number + 1

    def intervals(self, var: Var) -> list[Interval]:
        """Where a tile is alive, in order; empty for what is no tile or not defined here."""
        life = self._lives.get(var)
        if life is None:
            return []
        found = [
            (life.written if block is life.home else block.start, min(last, block.end))
            for block, last in life.last.items()
        ]
        if life.home not in life.last:
            found.append((life.written, life.written))
        return sorted(found)

    def written(self, var: Var) -> int | None:
        """The point at which a tile is written."""
        life = self._lives.get(var)
        return life.written if life is not None else None

    # -- the walk --------------------------------------------------------------------------------------------------

    def _next(self) -> int:
        self._number += 1
        return self._number - 1

    def _body(self, body: Stmt | None) -> None:
        for stmt in statements(body):
            self._statement(stmt)

    def _statement(self, stmt: Stmt) -> None:
        match stmt:
            case AssignStmt():
                self._assign(stmt)
            case IfStmt():
                self._if(stmt)
            case ForStmt() | WhileStmt():
                self._loop(stmt)
            case ScopeStmt() | SeqStmts():
                self._body(stmt if isinstance(stmt, SeqStmts) else stmt.body)
            case EvalStmt():
                self._read(stmt.expr, 2 * self._next())
            case ReturnStmt():
                point = 2 * self._next()
                for value in stmt.value:
                    self._read(value, point)
            case _:
                return

    def _assign(self, stmt: AssignStmt) -> None:
        number = self._next()
        value = stmt.value
        if isinstance(value, TupleGetItemExpr) and value.tuple in self._elements:
            return  # written with its tuple
        self._read(value, 2 * number)
        if isinstance(value, Call):
            for index in self._held(value):
                self._read(value.args[index], 2 * number + 1)
        self._write(stmt.var, 2 * number + 1)
        for element in self._elements.get(stmt.var, ()):
            self._write(element, 2 * number + 1)

    def _if(self, stmt: IfStmt) -> None:
        header = self._next()
        self._read(stmt.condition, 2 * header)
        self.blocks[stmt] = tuple(self._branch(body, 2 * header) for body in branches(stmt))
        end = self._next()
        for var in stmt.return_vars:
            self._write(var, 2 * end + 1)

    def _branch(self, body: Stmt, entry: int) -> Block:
        block = self._enter(Block(2 * self._number, self._block, entry))
        self._body(body)
        self._leave(block, yielded_values(body))
        return block

    def _loop(self, stmt: ForStmt | WhileStmt) -> None:
        header = self._next()
        bounds = (stmt.start, stmt.stop, stmt.step) if isinstance(stmt, ForStmt) else ()
        for expr in bounds:
            self._read(expr, 2 * header)
        self._pass_on((arg.init_value for arg in stmt.iter_args), 2 * header)
        block = self._enter(Block(2 * header + 1, self._block, 2 * header + 1, is_loop=True))
        self.blocks[stmt] = (block,)
        for arg in stmt.iter_args:
            self._write(arg, 2 * header + 1)
        if isinstance(stmt, WhileStmt):
            self._read(stmt.condition, 2 * self._next())
        self._body(stmt.body)
        self._leave(block, yielded_values(stmt.body))
        for var in stmt.return_vars:
            self._write(var, block.end + 1)

    def _enter(self, block: Block) -> Block:
        self._block = block
        return block

    def _leave(self, block: Block, yielded: Iterable[Expr]) -> None:
        block.end = 2 * self._next()
        self._pass_on(yielded, block.end)
        if block.parent is not None:
            self._block = block.parent

    # -- reads and writes ------------------------------------------------------------------------------------------

    def _write(self, var: Var, point: int) -> None:
        if isinstance(var.type, TileType) and var not in self._lives:
            self._lives[var] = _Life(self._block, point)

    def _pass_on(self, values: Iterable[Expr], point: int) -> None:
        for value in values:
            if value not in self._hollow:
                self._read(value, point)

    def _read(self, expr: Expr, point: int) -> None:
        for var in tiles_read(expr):
            life = self._lives.get(var)
            if life is not None:
                self._keep(life, point)

    def _keep(self, life: _Life, point: int) -> None:
        """Alive at this point, and on the way to it: all of a loop that it is carried into, and where blocks begin."""
        path: list[tuple[Block, int]] = []
        block = self._block
        while block is not life.home and block.parent is not None:
            path.append((block, point))
            block, point = block.parent, block.entry
        if block is life.home:
            path.append((block, point))
        for place, last in reversed(path):
            endless = place.is_loop and place is not life.home
            life.last[place] = max(_FAR if endless else last, life.last.get(place, -1))
            if endless:
                return


_FAR = 2**62  # cut to the end of the block once that is known


def tiles_read(expr: Expr) -> Iterator[Var]:
    """The tiles that an expression reads; a tuple counts as what it is made of, not as a tile."""
    if isinstance(expr, Var):
        if isinstance(expr.type, TileType):
            yield expr
    elif isinstance(expr, Call) and not expr.attrs:
        for arg in expr.args:
            if not isinstance(arg, Var):
                yield from tiles_read(arg)
            elif isinstance(arg.type, TileType):
                yield arg
    else:
        reads = _TileReads()
        reads.visit(expr)
        yield from reads.found


class _TileReads(Visitor):
    def __init__(self) -> None:
        self.found: list[Var] = []

    def visit_var(self, var: Var) -> None:
        if isinstance(var.type, TileType):
            self.found.append(var)


def _elements_by_tuple(function: Function) -> dict[Expr, list[Var]]:
    """The Vars that name elements of the tuples that calls make."""
    index = _Elements()
    index.visit(function.body)
    return index.found


class _Elements(Visitor):
    def __init__(self) -> None:
        self.found: dict[Expr, list[Var]] = {}

    def visit_assign_stmt(self, stmt: AssignStmt) -> None:
        if isinstance(stmt.var.type, TupleType) and isinstance(stmt.value, Call):
            self.found.setdefault(stmt.var, [])
        elif isinstance(stmt.value, TupleGetItemExpr) and stmt.value.tuple in self.found:
            self.found[stmt.value.tuple].append(stmt.var)

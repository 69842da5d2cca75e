# SPDX-License-Identifier: Apache-2.0
"""Several ranks that run a lowered kernel at once, a few statements at a time, in an order that a seed decides.

Windows are arrays that every rank can reach. What a tile has outside its valid part is not a number, and storing one of
those is an error, as is a wait that nobody will ever end.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.ir import (
    AssignStmt,
    BinaryExpr,
    Call,
    Cast,
    Constant,
    DistributedTensorType,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    MakeTuple,
    Neg,
    NotifyOp,
    Stmt,
    TensorType,
    Var,
    as_int,
    statements,
)

Array = np.ndarray[Any, np.dtype[Any]]
ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "FloorDiv": lambda left, right: left // right,
    "FloorMod": operator.mod,
    "Min": min,
    "Max": max,
    "Lt": operator.lt,
    "Ne": operator.ne,
}
PATIENCE = 1000  # looks at counters without a change, far more than it takes to look at all of them
ELEMENTWISE = {"tile.add": np.add, "tile.mul": np.multiply, "tile.maximum": np.maximum, "tile.minimum": np.minimum}


@dataclass(frozen=True, slots=True)
class Place:
    """A tensor: where its elements are on each rank (windows), or on this one."""

    arrays: tuple[Array, ...]
    shape: tuple[int, ...]

    def of(self, rank: int) -> Array:
        """The elements of a rank."""
        return self.arrays[rank].reshape(self.shape)


@dataclass(slots=True)
class Tile:
    """Elements, and how many rows and columns of them are valid."""

    data: Array
    valid: tuple[int, ...]


@dataclass(slots=True)
class Rank:
    """One rank: its number, the number of all, and what its variables hold."""

    number: int
    count: int
    held: dict[Var, Any] = field(default_factory=dict)

    def run(self, body: Stmt | None) -> Iterator[bool]:
        """Run statements; yields whether the rank could go on, between statements and while it waits."""
        for stmt in statements(body):
            yield True
            if isinstance(stmt, AssignStmt):
                self.held[stmt.var] = self.value(stmt.value)
            elif isinstance(stmt, EvalStmt):
                yield from self._effect(stmt.expr)
            elif isinstance(stmt, IfStmt):
                branch = stmt.then_body if self.value(stmt.condition) else stmt.else_body
                yield from self.run(branch)
                self._pass(stmt.return_vars, yielded_values(branch))
            elif isinstance(stmt, ForStmt):
                yield from self._loop(stmt)

    def _loop(self, stmt: ForStmt) -> Iterator[bool]:
        self._pass(stmt.iter_args, [arg.init_value for arg in stmt.iter_args])
        for index in range(*[self.value(part) for part in (stmt.start, stmt.stop, stmt.step)]):
            self.held[stmt.loop_var] = index
            yield from self.run(stmt.body)
            self._pass(stmt.iter_args, yielded_values(stmt.body))
        self._pass(stmt.return_vars, stmt.iter_args)

    def _pass(self, targets: Sequence[Var], values: Sequence[Expr]) -> None:
        taken = [self.value(value) for value in values]
        self.held.update(zip(targets, taken, strict=True))

    def _effect(self, expr: Expr) -> Iterator[bool]:
        assert isinstance(expr, Call)
        if expr.op.name != "pld.system.wait":
            self.value(expr)
            return
        signal, cell, least = (self.value(arg) for arg in expr.args)
        while signal.of(self.number)[cell] < least:
            yield False

    def value(self, expr: Expr) -> Any:
        """The value of an expression; operations with an effect have it now."""
        if isinstance(expr, Constant):
            return expr.value
        if isinstance(expr, Var):
            return self.held[expr]
        if isinstance(expr, MakeTuple):
            return tuple(self.value(element) for element in expr.elements)
        if isinstance(expr, BinaryExpr):
            return ARITHMETIC[type(expr).__name__](self.value(expr.left), self.value(expr.right))
        if isinstance(expr, Neg | Cast):
            return -self.value(expr.operand) if isinstance(expr, Neg) else int(self.value(expr.operand))
        assert isinstance(expr, Call)
        return self._call(expr)

    def _call(self, call: Call) -> Any:
        values = [self.value(arg) for arg in call.args]
        name = call.op.name
        if name in ELEMENTWISE:
            return Tile(ELEMENTWISE[name](values[0].data, values[1].data), values[0].valid)
        return getattr(self, "_" + name.replace(".", "_").removeprefix("pld_"))(call, *values)

    def _system_get_comm_ctx(self, _call: Call, _window: Place) -> None:
        """Every rank takes part in everything."""

    def _system_rank(self, _call: Call, _context: None) -> int:
        return self.number

    def _system_nranks(self, _call: Call, _context: None) -> int:
        return self.count

    def _system_notify(self, call: Call, window: Place, peer: int, cell: tuple[int, ...], amount: int) -> None:
        cells = window.of(peer)
        cells[cell] = amount if call.kwargs["op"] == NotifyOp.Set else cells[cell] + amount

    def _tensor_view(self, _call: Call, tensor: Place, shape: tuple[int, ...], *_valid: Any) -> Place:
        return Place(tensor.arrays, shape)

    def _tensor_read(self, _call: Call, tensor: Place, cell: tuple[int, ...]) -> Any:
        return tensor.of(self.number)[cell]

    def _tile_load(self, call: Call, tensor: Place, *region: Any) -> Tile:
        return self._tile_remote_load(call, tensor, self.number, *region)

    def _tile_remote_load(self, call: Call, tensor: Place, peer: int, *region: Any) -> Tile:
        """Elements behind the end, which a load with padding may ask for, are no numbers."""
        offsets, shape, valid = region
        data = np.full(shape, np.nan, tensor.arrays[0].dtype)
        found = tensor.of(peer)[box(offsets, valid)]
        assert found.shape == valid or "allow_physical_tail_padding" in call.kwargs
        data[box((0, 0), found.shape)] = found
        return Tile(data, valid)

    def _tile_set_validshape(self, _call: Call, tile: Tile, rows: int, columns: int) -> Tile:
        return Tile(tile.data, (rows, columns))

    def _tile_fillpad_inplace(self, _call: Call, tile: Tile) -> Tile:
        data = np.zeros_like(tile.data)
        data[box((0, 0), tile.valid)] = tile.data[box((0, 0), tile.valid)]
        return Tile(data, data.shape)

    def _tile_store(self, _call: Call, tile: Tile, offsets: Any, tensor: Place) -> None:
        stored = tile.data[box((0, 0), tile.valid)]
        assert not np.isnan(stored).any(), "something that nobody has written is stored"
        tensor.of(self.number)[box(offsets, tile.valid)] = stored

    def _tile_create(self, _call: Call, shape: tuple[int, ...]) -> Tile:
        return Tile(np.zeros(shape), shape)

    def _tile_put(self, _call: Call, window: Place, peer: int, source: Place, _stage: Tile, *region: Any) -> None:
        to, of, shape = region
        window.of(peer)[box(to, shape)] = source.of(self.number)[box(of, shape)]

    def _tile_get(self, _call: Call, target: Place, peer: int, window: Place, _stage: Tile) -> None:
        target.of(self.number)[...] = window.of(peer).copy()


def box(offsets: Sequence[int], extents: Sequence[int]) -> tuple[slice, ...]:
    """A region as an index."""
    return tuple(slice(offset, offset + extent) for offset, extent in zip(offsets, extents, strict=True))


def run_ranks(function: Function, memory: Mapping[str, Sequence[Array]], *, seed: int) -> None:
    """Run a kernel on every rank; `memory` holds one array per rank for every parameter and is written to."""
    count = len(next(iter(memory.values())))
    ranks = [Rank(number, count) for number in range(count)]
    for param in function.params:
        arrays = tuple(memory[param.name_hint])
        for rank in ranks:
            rank.held[param] = _place(param, arrays, rank.number)
    _schedule({rank.number: rank.run(function.body) for rank in ranks}, Random(seed))


def _place(param: Var, arrays: tuple[Array, ...], number: int) -> Place:
    kind = param.type
    assert isinstance(kind, TensorType)
    shape = tuple(as_int(dim) or -1 for dim in kind.shape)
    shared = arrays if isinstance(kind, DistributedTensorType) else (arrays[number],) * len(arrays)
    return Place(shared, shape if -1 not in shape else arrays[0].shape)


def _schedule(running: dict[int, Iterator[bool]], random: Random) -> None:
    in_vain = 0
    while running:
        number = random.choice(sorted(running))
        for _ in range(random.choice((1, 1, 3, 20))):
            moved = next(running[number], None)
            in_vain = in_vain + 1 if moved is False else 0
            assert in_vain < PATIENCE, "every rank waits for another one"
            if moved is None:
                del running[number]
            if not moved:
                break

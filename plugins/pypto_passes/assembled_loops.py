# SPDX-License-Identifier: Apache-2.0
"""A loop that puts a tile together piece by piece, only for the whole to be stored: each piece is stored at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    IterArg,
    MakeTuple,
    Stmt,
    TensorType,
    TileType,
    Var,
    Visitor,
    as_int,
    collect,
    rebuilt,
    same_value,
)
from pypto_build.ops import OpRegistry
from pypto_passes.retyping import Retyped


def with_stored_pieces(function: Function, ops: OpRegistry) -> Function:
    """The kernel with stores in its loops; the same if no loop is like that."""
    if not any(call.op.name == "tile.assemble" for call in collect(function.body, Call)):
        return function
    loops = _found(function)
    if not loops:
        return function
    return rebuilt(function, {"body": _Stored(ops, loops).visit_body(function.body)})


@dataclass(frozen=True, slots=True)
class _Assembly:
    """A carry that starts as an empty tile, is assembled into, and is stored as a whole into an output."""

    created: Var
    carry: IterArg
    piece: Var
    result: Var
    stored: Var
    output: Var


class UseCounts(Visitor):
    """How often each Var is used in a function, yields and returns included."""

    def __init__(self, function: Function) -> None:
        self.of: Counter[Expr] = Counter()
        self.visit(function.body)

    def visit_var(self, var: Var) -> None:
        self.of[var] += 1


def _found(function: Function) -> list[_Assembly]:
    made = {stmt.var: stmt.value for stmt in collect(function.body, AssignStmt) if isinstance(stmt.value, Call)}
    counts = UseCounts(function).of
    stores = {call.args[0]: var for var, call in made.items() if call.op.name == "tile.store"}
    found: list[_Assembly] = []
    for loop in collect(function.body, ForStmt):
        for arg, result, value in zip(loop.iter_args, loop.return_vars, yielded_values(loop.body), strict=False):
            created, piece, stored = arg.init_value, made.get(value), stores.get(result)  # type: ignore[arg-type]  # any Expr
            if not isinstance(created, Var) or not isinstance(value, Var) or piece is None or stored is None:
                continue
            output = made[stored].args[2]
            once = all(counts[var] == 1 for var in (created, arg, value, result, output))
            whole = once and _fits(made, created, piece, made[stored]) and piece.args[0] is arg
            if whole and isinstance(output, Var) and output in function.params:
                found.append(_Assembly(created, arg, value, result, stored, output))
    return found


def _fits(made: dict[Var, Call], created: Var, piece: Call, store: Call) -> bool:
    """Whether an empty tile is filled by pieces and stored as the whole of a tensor."""
    start = made.get(created)
    if start is None or start.op.name != "tile.create" or piece.op.name != "tile.assemble":
        return False
    tile, offset, output = created.type, store.args[1], store.args[2].type
    if not isinstance(tile, TileType) or not isinstance(output, TensorType) or not isinstance(offset, MakeTuple):
        return False
    at_origin = all(as_int(place) == 0 for place in offset.elements)
    return at_origin and not store.kwargs.get("atomic") and same_value(tile.shape, output.shape)


class _Stored(Retyped):
    def __init__(self, ops: OpRegistry, loops: list[_Assembly]) -> None:
        super().__init__(ops, {loop.created: loop.output for loop in loops})
        self._created = {loop.created for loop in loops}
        self._pieces = {loop.piece for loop in loops}
        self._stored = {loop.stored: loop.result for loop in loops}

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...] | None:
        if stmt.var in self._created:
            return None
        result = self._stored.get(stmt.var)
        if result is not None:
            self.substitution[stmt.var] = self.visit(result)
            return None
        if stmt.var not in self._pieces or not isinstance(stmt.value, Call):
            return super().visit_assign_stmt(stmt)
        carry, piece, offset = (self.visit(arg) for arg in stmt.value.args)
        value = self.ops.create_call("tile.store", (piece, offset, carry), {}, stmt.value.span)
        return rebuilt(stmt, {"var": self.typed_like(stmt.var, value), "value": value})

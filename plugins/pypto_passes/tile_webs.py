# SPDX-License-Identifier: Apache-2.0
"""The webs of a function before carries and merges are settled: tiles by allocation, views and aliases by their source.

A loop's carry and its result are one web of their own, and so is each merge of branches: where InitMemRef put them is
a default, not a fact. A tile in the slot of a cross-core pipe has no web.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.analysis.statement_walk import assignments
from pypto_build.ir import (
    AssignStmt,
    Call,
    ConstInt,
    DataType,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    MemorySpace,
    MemRef,
    ScopeStmt,
    SeqStmts,
    Stmt,
    TileType,
    Var,
    WhileStmt,
    as_int,
    rebuilt,
    same_value,
    statements,
)
from pypto_build.ops.arithmetic import plus
from pypto_build.passes import PassContext
from pypto_passes.buffer_webs import Place, Web
from pypto_passes.tile_lifetimes import buffer_source, created_tiles, tile_lifetimes

ZERO = ConstInt(0, DataType.INT64)


@dataclass(frozen=True, slots=True)
class Member:
    """A tile in a web: its own reference, and the offset at which the web starts in terms of that reference."""

    web: Web
    ref: MemRef | None
    origin: Expr


class TileWebs:
    """Which tile of a function is in which web."""

    def __init__(self, function: Function, context: PassContext) -> None:
        self._ops = context.ops
        self._orders, pinned = _allocation_orders(function)
        self._pinned = pinned
        self.created = created_tiles(function)
        self.lifetimes = tile_lifetimes(function, context)
        self.members: dict[Var, Member] = {}
        self._content: dict[Expr, Expr] = {}
        self._by_part: dict[tuple[Var, object], Web] = {}
        for param in function.params:
            self._own(param)
        self._body(function.body)
        for var, member in self.members.items():
            member.web.add(self.content(var), self.lifetimes.intervals(var))

    def web(self, value: Expr) -> Web | None:
        """The web of a tile."""
        member = self.members.get(value) if isinstance(value, Var) else None
        return member.web.found() if member is not None else None

    def is_whole(self, value: Expr) -> bool:
        """Whether a tile starts where its web does."""
        member = self.members[value] if isinstance(value, Var) else None
        return member is not None and (member.ref is None or same_value(member.ref.byte_offset, member.origin))

    def content(self, value: Expr) -> Expr:
        """The tile whose content a tile has, aliases, unchanged carries and merges of equals looked through."""
        while value in self._content:
            value = self._content[value]
        return value

    def reference(self, var: Var, size: int) -> MemRef | None:
        """Where a tile lives now; the reference that it had when that did not change."""
        member = self.members.get(var)
        place = member.web.found().place if member is not None else None
        if member is None or place is None:
            return var.type.memref if isinstance(var.type, TileType) else None
        ref = member.ref
        if ref is None:
            return placed(place, size)
        if ref.base is place.base and same_value(place.offset, member.origin):
            return ref
        changes: dict[str, object] = {
            "base": place.base,
            "name_hint": place.base.name_hint,
            "byte_offset": _moved(ref.byte_offset, member.origin, place.offset),
            "slot_count": place.slot_count,
            "slot_index": place.slot_index,
        }
        return rebuilt(ref, changes)

    # -- the walk --------------------------------------------------------------------------------------------------

    def _body(self, body: Stmt | None) -> None:
        for stmt in statements(body):
            self._statement(stmt)

    def _statement(self, stmt: Stmt) -> None:
        match stmt:
            case AssignStmt():
                self._assign(stmt.var, stmt.value)
            case IfStmt():
                self._if(stmt)
            case ForStmt() | WhileStmt():
                self._loop(stmt)
            case SeqStmts():
                self._body(stmt)
            case ScopeStmt():
                self._body(stmt.body)
            case _:
                return

    def _assign(self, var: Var, value: Expr) -> None:
        if not isinstance(var.type, TileType):
            return
        source = buffer_source(value, self._ops)
        if source is None:
            self._own(var)
            self._moved(var, value)
        elif isinstance(source, Var) and source in self.members:
            shared = self.members[source]
            ref = var.type.memref
            self._join(var, shared.web, ref, shared.origin)
            if source is value:
                self._content[var] = source

    def _moved(self, var: Var, value: Expr) -> None:
        """A tile that is moved within its space is the same content elsewhere."""
        if not isinstance(value, Call) or value.op.name != "tile.move" or value.args[0] not in self.members:
            return
        source, target = self.web(value.args[0]), self.web(var)
        if source is None or target is None or source.space is not target.space:
            return
        self._content[var] = value.args[0]
        source.apart.append(target)
        target.apart.append(source)

    def _own(self, var: Var) -> None:
        ref = var.type.memref if isinstance(var.type, TileType) else None
        if ref is None or not isinstance(var.type, TileType):
            return
        slot = None if ref.slot_index is None else (as_int(ref.slot_index), var)
        part: object = slot[0] if slot is not None and slot[0] is not None else slot
        origin = ZERO if slot is None else ref.byte_offset
        web = self._by_part.get((ref.base, part))
        if web is None:
            order = self._orders.get(ref.base, len(self._orders))
            pinned = ref.base in self._pinned
            place = Place(ref.base, origin, order, pinned, ref.slot_count, ref.slot_index)
            web = Web(var.type.memory_space or MemorySpace.DDR, place)
            self._by_part[(ref.base, part)] = web
        self._join(var, web, ref, origin)

    def _join(self, var: Var, web: Web, ref: MemRef | None, origin: Expr) -> None:
        if ref is not None:
            web.size = max(web.size, ref.size)
        self.members[var] = Member(web, ref, origin)

    def _loop(self, stmt: ForStmt | WhileStmt) -> None:
        for arg, var in zip(stmt.iter_args, stmt.return_vars, strict=False):
            self._merged((arg, var), (arg.init_value,))
        self._body(stmt.body)
        for arg, var, value in zip(stmt.iter_args, stmt.return_vars, yielded_values(stmt.body), strict=False):
            if self.content(value) is arg:
                self._content[var] = self._content[arg] = self.content(arg.init_value)

    def _if(self, stmt: IfStmt) -> None:
        self._body(stmt.then_body)
        self._body(stmt.else_body)
        then, other = yielded_values(stmt.then_body), yielded_values(stmt.else_body)
        for index, var in enumerate(stmt.return_vars):
            values = [branch[index] for branch in (then, other) if index < len(branch)]
            self._merged((var,), values)
            contents = [self.content(value) for value in values]
            if len(contents) == 2 and contents[0] is contents[1]:
                self._content[var] = contents[0]

    def _merged(self, variables: Iterable[Var], values: Iterable[Expr]) -> None:
        """A web of their own for variables that take one of several values, if one of those has a buffer."""
        web: Web | None = None
        for var in variables:
            kind = var.type
            if not isinstance(kind, TileType) or _in_global_memory(kind):
                continue
            if kind.memref is None and all(self.web(value) is None for value in values):
                continue
            web = web or Web(kind.memory_space or MemorySpace.DDR)
            self._join(var, web, kind.memref, kind.memref.byte_offset if kind.memref is not None else ZERO)


def placed(place: Place, size: int) -> MemRef:
    """A reference to the start of a place."""
    made = MemRef(place.base.name_hint, base=place.base, byte_offset=place.offset, size=size)
    return rebuilt(made, {"slot_count": place.slot_count, "slot_index": place.slot_index})


def _in_global_memory(kind: TileType) -> bool:
    return (kind.memory_space or MemorySpace.DDR) is MemorySpace.DDR


def _moved(offset: Expr, origin: Expr, to: Expr) -> Expr:
    a, b, c = as_int(offset), as_int(origin), as_int(to)
    if a is not None and b is not None and c is not None:
        return ConstInt(a - b + c, DataType.INT64)
    if same_value(offset, origin):
        return to
    if b == 0:
        return plus(offset, to)
    return plus(plus(offset, ConstInt(-b, DataType.INT64)), to) if b is not None else offset


def _allocation_orders(function: Function) -> tuple[Mapping[Var, int], frozenset[Var]]:
    orders: dict[Var, int] = {}
    pinned: set[Var] = set()
    for stmt in assignments(function):
        if isinstance(stmt.value, Call) and stmt.value.op.name == "tile.alloc":
            orders[stmt.var] = len(orders)
            if stmt.value.kwargs.get("pinned"):
                pinned.add(stmt.var)
    return orders, frozenset(pinned)

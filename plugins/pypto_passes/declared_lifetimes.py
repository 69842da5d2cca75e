# SPDX-License-Identifier: Apache-2.0
"""Two tiles that an author bound to one slot of a declared allocation must not be alive together."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.analysis.statement_walk import nested_statements, statement_vars
from pypto_build.errors import UserError
from pypto_build.ir import (
    AssignStmt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    MemRef,
    TileType,
    Var,
    WhileStmt,
    as_int,
)
from pypto_build.ops import OpRegistry
from pypto_build.passes import PassContext
from pypto_passes.allocation_statements import pinned_bases
from pypto_passes.tile_lifetimes import buffer_source, tile_lifetimes

_Life = tuple[int, int, Var, Expr]
"""First point, last point, the tile, and the value that it is a view, an alias or a continuation of."""


def check_declared_lifetimes(function: Function, context: PassContext) -> None:
    """Slots that are chosen at run time are the author's own business.

    Raises:
        UserError: a slot takes a second tile while it still holds one.
    """
    pinned = pinned_bases(function)
    if not pinned:
        return
    lifetimes = tile_lifetimes(function, context)
    sources = _sources(function, context.ops)
    by_slot: dict[tuple[Var, int], list[_Life]] = {}
    for var in statement_vars(function):
        ref = var.type.memref if isinstance(var.type, TileType) else None
        slot = _slot(ref) if ref is not None and ref.base in pinned else None
        if ref is not None and slot is not None:
            lives = by_slot.setdefault((ref.base, slot), [])
            lives.extend((start, end, var, _root(var, sources)) for start, end in lifetimes.intervals(var))
    for (base, _), lives in by_slot.items():
        _check(base, lives)


def _slot(ref: MemRef) -> int | None:
    return 0 if ref.slot_index is None else as_int(ref.slot_index)


def _check(base: Var, lives: list[_Life]) -> None:
    longest: _Life | None = None
    for life in sorted(lives, key=lambda item: item[:2]):
        if longest is not None and life[0] <= longest[1] and life[3] is not longest[3]:
            raise _overlap(base, longest[2], life[2])
        if longest is None or life[1] > longest[1]:
            longest = life


def _overlap(base: Var, first: Var, second: Var) -> UserError:
    text = (
        f"'{first.name_hint}' and '{second.name_hint}' are live at the same time in the same slot of the allocation "
        f"'{base.name_hint}'"
    )
    return UserError(
        "MEM007",
        text,
        second.span,
        help="bind one of them to another pl.MemRef or another slot",
        notes=((f"'{first.name_hint}' is still needed later", first.span),),
    )


def _sources(function: Function, ops: OpRegistry) -> Mapping[Expr, Expr]:
    """What a tile continues; carries their initial value, merges the first branch: the compiler places them."""
    found: dict[Expr, Expr] = {}
    for stmt in nested_statements(function.body):
        if isinstance(stmt, AssignStmt):
            source = buffer_source(stmt.value, ops)
            if source is not None:
                found[stmt.var] = source
        elif isinstance(stmt, ForStmt | WhileStmt):
            for arg, var in zip(stmt.iter_args, stmt.return_vars, strict=False):
                found[arg] = found[var] = arg.init_value
        elif isinstance(stmt, IfStmt):
            found.update(zip(stmt.return_vars, yielded_values(stmt.then_body), strict=False))
    return found


def _root(value: Expr, sources: Mapping[Expr, Expr]) -> Expr:
    while value in sources:
        value = sources[value]
    return value

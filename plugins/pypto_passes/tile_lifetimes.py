# SPDX-License-Identifier: Apache-2.0
"""The lifetimes of a kernel's tiles: what operations hold on to, and which tiles have no content to keep."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.analysis.lifetimes import Lifetimes
from pypto_build.analysis.statement_walk import assignments, nested_statements
from pypto_build.ir import AssignStmt, Call, EvalStmt, Expr, Function, GlobalVar, Var
from pypto_build.ops import OpRegistry
from pypto_build.ops.definition import AccessEvidence
from pypto_build.passes import PassContext
from pypto_passes.no_alias import held_arguments
from pypto_passes.tile_storage import shared_argument

_CREATE = "tile.create"


def tile_lifetimes(function: Function, context: PassContext) -> Lifetimes:
    """When each tile is alive on this hardware."""
    held = held_arguments(function, context.ops, context.hardware)
    return Lifetimes(function, held, hollow_tiles(function, context.ops))


def buffer_source(value: Expr, ops: OpRegistry) -> Expr | None:
    """The tile in whose buffer a value lives; None for a value with a buffer of its own."""
    if isinstance(value, Var):
        return value
    if not isinstance(value, Call) or isinstance(value.op, GlobalVar) or not ops.has(value.op.name):
        return None
    shared = shared_argument(value, ops.get(value.op.name))
    return value.args[shared] if shared is not None else None


def hollow_tiles(function: Function, ops: OpRegistry) -> frozenset[Var]:
    """Tiles that were created and that nobody has written, and views of them."""
    roots: dict[Expr, Expr] = {}
    written: set[Expr] = set()
    for stmt in nested_statements(function.body):
        if not isinstance(stmt, AssignStmt | EvalStmt):
            continue
        value = stmt.expr if isinstance(stmt, EvalStmt) else stmt.value
        source = buffer_source(value, ops)
        if isinstance(value, Call) and not isinstance(value.op, GlobalVar) and ops.has(value.op.name):
            definition = ops.get(value.op.name)
            written.update(roots[a] for i, a in enumerate(value.args) if a in roots and definition.may_write(i))
            if definition.access is not AccessEvidence.NO_ACCESS:
                source = None
        if not isinstance(stmt, AssignStmt):
            continue
        if isinstance(value, Call) and value.op.name == _CREATE:
            source = roots[stmt.var] = stmt.var
        if source is not None and source in roots:
            roots[stmt.var] = roots[source]
    return frozenset(var for var, root in roots.items() if isinstance(var, Var) and root not in written)


def created_tiles(function: Function) -> Mapping[Expr, Call]:
    """The calls that create tiles without content, by what they are assigned to."""
    made = ((stmt.var, stmt.value) for stmt in assignments(function))
    return {var: value for var, value in made if isinstance(value, Call) and value.op.name == _CREATE}

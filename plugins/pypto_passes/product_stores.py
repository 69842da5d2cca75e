# SPDX-License-Identifier: Apache-2.0
"""Batched products that nobody reads but one store behind them: their matrices can be stored one by one."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.analysis.statement_walk import statement_value
from pypto_build.ir import AssignStmt, Call, Expr, Function, SeqStmts, ShapedType, Stmt, Var, collect


def stores_of_products(function: Function, uses: Mapping[Var, int]) -> dict[Var, Call]:
    """For each such product, by its variable, the store: in the same sequence, into a tensor of as many dimensions."""
    found: dict[Var, Call] = {}
    for sequence in collect(function.body, SeqStmts):
        products: set[Expr] = set()
        for stmt in sequence.stmts:
            call = _call(stmt)
            if call is None:
                continue
            if call.op.name == "tile.batch_matmul" and isinstance(stmt, AssignStmt) and uses.get(stmt.var) == 1:
                products.add(stmt.var)
            elif _is_store_of(call, products) and isinstance(call.args[0], Var):
                found[call.args[0]] = call
    return found


def _call(stmt: Stmt) -> Call | None:
    value = statement_value(stmt)
    return value if isinstance(value, Call) else None


def _is_store_of(call: Call, products: set[Expr]) -> bool:
    if call.op.name != "tile.store" or call.args[0] not in products or call.args[3:]:
        return False
    tile, tensor = call.args[0].type, call.args[2].type
    return isinstance(tile, ShapedType) and isinstance(tensor, ShapedType) and len(tile.shape) == len(tensor.shape) > 2

# SPDX-License-Identifier: Apache-2.0
"""Tensors whose tasks are waited for: passes name a dependency by the tensor that the task makes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    Function,
    Submit,
    TensorType,
    TupleGetItemExpr,
    TupleType,
    Var,
    collect,
)

DERIVED = "compiler_manual_dep_edges"


def derived_edges(call: Call | Submit) -> tuple[Expr, ...]:
    """What a pass found that a task has to wait for."""
    return cast("tuple[Expr, ...]", call.attrs.get(DERIVED, ()))


def awaited_results(function: Function) -> frozenset[Var]:
    """The tensors, and the tuples that they are taken out of, whose tasks a pass makes others wait for."""
    found = set(_tensor_edges(function))
    if not found:
        return frozenset()
    for stmt in collect(function.body, AssignStmt):
        value = stmt.value
        if stmt.var in found and isinstance(value, TupleGetItemExpr) and isinstance(value.tuple, Var):
            found.add(value.tuple)
    return frozenset(found)


def _tensor_edges(function: Function) -> Iterator[Var]:
    for call in collect(function.body, Call, Submit):
        for edge in derived_edges(call):
            if isinstance(edge, Var) and isinstance(edge.type, TensorType | TupleType):
                yield edge

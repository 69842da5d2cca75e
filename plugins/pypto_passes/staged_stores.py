# SPDX-License-Identifier: Apache-2.0
"""A tensor that is filled as a whole and then written element by element: the elements are written on the core.

The store of the fill moves to the end of the kernel, and what was written to the tensor is written to the fill.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    Function,
    MakeTuple,
    ReturnStmt,
    Rewriter,
    Stmt,
    TensorType,
    Var,
    Visitor,
    as_int,
    rebuilt,
    same_value,
    sequence,
    statements,
)
from pypto_build.ops import OpRegistry
from pypto_passes.store_channels import SCALAR_STORE


@dataclass(frozen=True, slots=True)
class _Staging:
    """Statement `index` of the body stores the fill to a parameter; nothing but element stores follows."""

    index: int
    names: frozenset[Var]  # of the parameter
    fill: Var


def with_staged_stores(function: Function, ops: OpRegistry, mixed: Iterable[Var]) -> Function:
    """The kernel in which such parameters are stored once; the same if there is none."""
    body = statements(function.body)
    stagings = [found for param in mixed if (found := _staging(body, param)) is not None]
    if not stagings:
        return function
    redirect = {name: staging.fill for staging in stagings for name in staging.names}
    moved = {staging.index for staging in stagings}
    rewriter = _Redirected(ops, redirect)
    kept = [rewriter.visit_body(stmt) for index, stmt in enumerate(body) if index not in moved]
    end = len(kept) - 1 if isinstance(kept[-1], ReturnStmt) else len(kept)
    kept[end:end] = [body[index] for index in sorted(moved)]
    return rebuilt(function, {"body": sequence(kept, function.body.span)})


class _Redirected(Rewriter):
    def __init__(self, ops: OpRegistry, fills: dict[Var, Var]) -> None:
        super().__init__()
        self._ops = ops
        self._fills = fills

    def visit_call(self, call: Call) -> Expr:
        fill = self._fills.get(call.args[0]) if call.op.name == SCALAR_STORE else None  # type: ignore[arg-type]  # any Expr
        if fill is None:
            return call
        return self._ops.create_call(SCALAR_STORE, (fill, *call.args[1:]), call.kwargs, call.span)


def _staging(body: Sequence[Stmt], param: Var) -> _Staging | None:
    """The only whole store to a parameter, if the rest of the kernel just writes elements of it or returns it."""
    index = next((i for i, stmt in enumerate(body) if _is_whole_store(stmt, param)), None)
    if index is None:
        return None
    store = body[index]
    assert isinstance(store, AssignStmt)
    assert isinstance(store.value, Call)
    names, fill = frozenset({param, store.var}), store.value.args[1]
    before, after = _Uses.of(body[:index]), _Uses.of(body[index + 1 :])
    touched = any(name in before.others or name in before.stored for name in names)
    looked_at = any(name in after.others for name in (*names, fill))
    made = any(isinstance(stmt, AssignStmt) and stmt.var is fill and _is_fill(stmt.value) for stmt in body[:index])
    if touched or looked_at or fill in before.others or not made or not isinstance(fill, Var):
        return None
    return _Staging(index, names, fill)


def _is_fill(value: Expr) -> bool:
    return isinstance(value, Call) and value.op.name == "tensor.full"


def _is_whole_store(stmt: Stmt, param: Var) -> bool:
    call = stmt.value if isinstance(stmt, AssignStmt) else None
    if not isinstance(call, Call) or call.op.name != "tensor.assemble" or call.args[0] is not param:
        return False
    source, offset, kind = call.args[1].type, call.args[2], param.type
    if not isinstance(source, TensorType) or not isinstance(kind, TensorType) or not isinstance(offset, MakeTuple):
        return False
    at_origin = all(as_int(place) == 0 for place in offset.elements)
    return at_origin and not call.kwargs.get("atomic") and same_value(source.shape, kind.shape)


class _Uses(Visitor):
    """Vars whose elements are stored to one by one, and Vars that are used in another way than that or a return."""

    WALKS_TYPES: ClassVar[bool] = True

    def __init__(self) -> None:
        self.stored: set[Var] = set()
        self.others: set[Expr] = set()

    @staticmethod
    def of(stmts: Iterable[Stmt]) -> _Uses:
        """The uses in some statements."""
        uses = _Uses()
        for stmt in stmts:
            uses.visit(stmt)
        return uses

    def visit_var(self, var: Var) -> None:
        self.others.add(var)

    def visit_return_stmt(self, stmt: ReturnStmt) -> None:
        for value in stmt.value:
            if not isinstance(value, Var):
                self.visit(value)

    def visit_call(self, call: Call) -> None:
        target = call.args[0] if call.op.name == SCALAR_STORE else None
        if isinstance(target, Var):
            self.stored.add(target)
        for arg in call.args:
            if arg is not target:
                self.visit(arg)

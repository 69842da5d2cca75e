# SPDX-License-Identifier: Apache-2.0
"""What the body of a scope reads from outside, which tensors it stores into, and how often a variable is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import cast

from pypto_build.analysis.names import base_name
from pypto_build.errors import InternalError
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    GlobalVar,
    IterArg,
    Node,
    Rewriter,
    Stmt,
    TensorType,
    Type,
    Var,
    Visitor,
    defined_vars,
    rebuilt,
    used_vars,
)
from pypto_build.ops import OpRegistry
from pypto_passes.written_params import BOOKKEEPING


class _Uses(Visitor):
    """Counts uses, those in types and attributes included."""

    WALKS_TYPES = True

    def __init__(self) -> None:
        self.counts: Counter[Var] = Counter()

    def visit_var(self, var: Var) -> None:
        self.counts[var] += 1

    def visit_constant(self, constant: Expr) -> None:
        """Nothing is below a constant."""


def counted_uses(node: Node) -> Counter[Var]:
    """How often each variable is used below a node, types and attributes included."""
    uses = _Uses()
    uses.visit(node)
    return uses.counts


class _Captures(Visitor):
    """Uses of variables that are not bound yet, in walking order; symbols of types are no captures by themselves."""

    def __init__(self, bound: set[Var]) -> None:
        self._outer = bound
        self._defined: set[Var] = set()
        self.found: dict[Var, None] = {}

    def visit_assign_stmt(self, stmt: AssignStmt) -> None:
        self.visit(stmt.value)
        self._from_type(stmt.var.type)
        self._defined.add(stmt.var)

    def visit_definition(self, var: Var) -> None:
        if isinstance(var, IterArg):
            self.visit(var.init_value)
        self._from_type(var.type)
        self._defined.add(var)

    def visit_var(self, var: Var) -> None:
        if var not in self._defined:
            self.found.setdefault(var)

    def visit_call(self, call: Call) -> None:
        for arg in call.args:
            self.visit(arg)
        for name, value in call.attrs.items():
            if name not in BOOKKEEPING and isinstance(value, tuple):
                self._from_attribute(cast("tuple[object, ...]", value))

    def _from_attribute(self, value: tuple[object, ...]) -> None:
        for item in value:
            if isinstance(item, Expr):
                self.visit(item)

    def _from_type(self, kind: Type) -> None:
        """A local scalar in an extent must come in; a symbol of the program's types is known everywhere."""
        for var in used_vars(kind):
            if var in self._outer and var not in self._defined:
                self.found.setdefault(var)


def captured(body: Stmt, bound: set[Var]) -> tuple[Var, ...]:
    """The variables that a body reads before it binds them, in the order of first reading."""
    captures = _Captures(bound)
    captures.visit(body)
    return tuple(captures.found)


def _store_target(expr: Expr, ops: OpRegistry) -> Var | None:
    """The tensor that a tile operation writes into."""
    if not isinstance(expr, Call) or isinstance(expr.op, GlobalVar) or not ops.has(expr.op.name):
        return None
    definition = ops.get(expr.op.name)
    position = definition.reuses_input
    if position is None or definition.category != "TileOp" or position >= len(expr.args):
        return None
    target = expr.args[position]
    return target if isinstance(target, Var) and isinstance(target.type, TensorType) else None


class _Stores(Visitor):
    def __init__(self, ops: OpRegistry) -> None:
        self._ops = ops
        self.targets: dict[Var, None] = {}

    def visit_call(self, call: Call) -> None:
        target = _store_target(call, self._ops)
        if target is not None:
            self.targets.setdefault(target)
        self.visit_node(call)


def stored_tensors(body: Stmt, captured: Sequence[Var], ops: OpRegistry) -> tuple[Var, ...]:
    """The captured tensors that tile operations store into, in the order of the first store."""
    stores = _Stores(ops)
    stores.visit(body)
    return tuple(var for var in stores.targets if var in captured)


def assembled_tensors(body: Stmt, captured: Sequence[Var]) -> set[Var]:
    """The captured tensors that a body assembles into."""
    found: set[Var] = set()

    class _Assembles(Visitor):
        def visit_call(self, call: Call) -> None:
            if call.op.name == "tensor.assemble" and call.args[0] in captured:
                found.add(cast(Var, call.args[0]))
            self.visit_node(call)

    _Assembles().visit(body)
    return found


class _NamedStores(Rewriter):
    """Every store binds its result; a result that later code reads gets a second name beside its tensor's."""

    REWRITES_TYPES = False

    def __init__(self, stored: Sequence[Var], exported: Sequence[Var], names: set[str]) -> None:
        super().__init__()
        self.stored_tensors = stored
        self._exported = exported
        self._names = names

    def visit_eval_stmt(self, stmt: EvalStmt) -> Stmt:
        target = self._target(stmt.expr)
        return stmt if target is None else AssignStmt(self._second(target), stmt.expr, stmt.span)

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...]:
        target = self._target(stmt.value)
        if target is None or stmt.var not in self._exported:
            return stmt
        return stmt, AssignStmt(self._second(target), stmt.var, stmt.span)

    def _target(self, expr: Expr) -> Var | None:
        if not isinstance(expr, Call):
            return None
        return next((arg for arg in expr.args if arg in self.stored_tensors and _is_store(expr, arg)), None)  # type: ignore[return-value]  # a Var of the list

    def _second(self, target: Var) -> Var:
        base = base_name(target.name_hint)
        name = f"{base}__store"
        number = 1
        while name in self._names:
            number += 1
            name = f"{base}__store_{number}"
        self._names.add(name)
        return Var(name, target.type, target.span)


def _is_store(call: Call, arg: Expr) -> bool:
    return isinstance(arg.type, TensorType) and call.type == arg.type


def named_stores(body: Stmt, stored: Sequence[Var], exported: Sequence[Var], names: set[str]) -> Stmt:
    """The body with a bound result for every store."""
    return _NamedStores(stored, exported, set(names)).visit_body(body) if stored else body


class _Unbinder(Rewriter):
    """Input that is not in SSA form: a store that binds its own target binds a name of its own instead."""

    REWRITES_TYPES = False

    def __init__(self, captured: Sequence[Var]) -> None:
        super().__init__()
        self.captured = captured

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt:
        if stmt.var not in self.captured:
            return stmt
        value = stmt.value
        if isinstance(value, Call) and stmt.var in value.args and _is_store(value, stmt.var):
            return rebuilt(stmt, {"var": Var(f"{stmt.var.name_hint}__store", stmt.var.type, stmt.span)})
        text = f"'{stmt.var.name_hint}' is bound again inside a scope: run ConvertToSSA before the outlining"
        raise InternalError(text, stmt.span)


def without_rebinding(body: Stmt, bound: set[Var]) -> Stmt:
    """The body with stores that bind their own target bound to names of their own (input outside SSA form)."""
    reads = captured(body, bound)
    rebound = [var for var in defined_vars([body]) if var in reads]
    return _Unbinder(rebound).visit_body(body) if rebound else body

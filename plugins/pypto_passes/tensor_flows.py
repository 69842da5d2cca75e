# SPDX-License-Identifier: Apache-2.0
"""How tensor values flow through a kernel: other names, carries, merges, and operations whose result is an argument.

One walk; what a value is read by, written by and returned as is noted on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    ReturnStmt,
    ShapedType,
    Submit,
    TupleGetItemExpr,
    TupleType,
    Var,
    Visitor,
    WhileStmt,
    YieldStmt,
)
from pypto_build.ops import OpRegistry

SameBuffer = Callable[[Call | Submit, int], int | None]
"""The argument that a result of a call, by position, is; None if it is none."""


def reused_argument(ops: OpRegistry) -> SameBuffer:
    """The argument whose buffer the result of an operation is by its definition; calls of functions have none."""

    def argument(call: Call | Submit, _index: int) -> int | None:
        return ops.get(call.op.name).reuses_input if ops.has(call.op.name) else None

    return argument


class TensorFlows(Visitor):
    """The flows of one function.

    targets: where a value flows to; sources: where a merge, a carry or another name gets its value from; definitions:
    the calls that make a value; read, written: the Vars whose elements an operation takes or changes; returned: the
    positions at which a Var is returned; calls: all calls, in order.
    """

    def __init__(self, function: Function, ops: OpRegistry, same_buffer: SameBuffer) -> None:
        self._ops = ops
        self._same_buffer = same_buffer
        self.targets: dict[Var, list[Var]] = {}
        self.sources: dict[Var, list[Expr]] = {}
        self.definitions: dict[Var, Call | Submit] = {}
        self.read: set[Var] = set()
        self.written: set[Var] = set()
        self.returned: dict[Expr, list[int]] = {}
        self.calls: list[Call] = []
        self.visit(function.body)

    def reached(self, seeds: Iterable[Var]) -> set[Var]:
        """The Vars that some values flow to, themselves included."""
        return _closure(seeds, self.targets)

    def origins(self, values: Iterable[Var]) -> set[Var]:
        """The Vars that some values may come from, themselves included."""
        return _closure(values, self._above)

    @cached_property
    def _above(self) -> dict[Var, list[Var]]:
        above: dict[Var, list[Var]] = {}
        for source, targets in self.targets.items():
            for target in targets:
                above.setdefault(target, []).append(source)
        return above

    # -- statements ----------------------------------------------------------------------------------------------------

    def visit_assign_stmt(self, stmt: AssignStmt) -> None:
        value = stmt.value
        if isinstance(value, Call | Submit):
            self.definitions[stmt.var] = value
            self.visit(value)
            if not isinstance(stmt.var.type, TupleType):
                self._result(value, 0, stmt.var)
        elif isinstance(value, TupleGetItemExpr):
            made = self.definitions.get(value.tuple) if isinstance(value.tuple, Var) else None
            if made is None or not self._result(made, value.index, stmt.var):
                self._flow(value.tuple, stmt.var)
        elif isinstance(value, Var):
            self._flow(value, stmt.var, named=True)
        else:
            self.visit(value)

    def visit_if_stmt(self, stmt: IfStmt) -> None:
        self.visit_node(stmt)
        for body in (stmt.then_body, stmt.else_body):
            for var, value in zip(stmt.return_vars, yielded_values(body), strict=False):
                self._flow(value, var, named=True)

    def visit_for_stmt(self, stmt: ForStmt) -> None:
        self._loop(stmt)

    def visit_while_stmt(self, stmt: WhileStmt) -> None:
        self._loop(stmt)

    def _loop(self, stmt: ForStmt | WhileStmt) -> None:
        for arg, var in zip(stmt.iter_args, stmt.return_vars, strict=False):
            self._flow(arg.init_value, arg, named=True)
            self._flow(arg, var, named=True)
        self.visit_node(stmt)
        for arg, value in zip(stmt.iter_args, yielded_values(stmt.body), strict=False):
            self._flow(value, arg, named=True)

    def visit_definition(self, var: Var) -> None:
        """The first value of a carry flows to it; it is not read."""

    def visit_yield_stmt(self, stmt: YieldStmt) -> None:
        for value in stmt.value:
            if not isinstance(value, Var):
                self.visit(value)

    def visit_return_stmt(self, stmt: ReturnStmt) -> None:
        for position, value in enumerate(stmt.value):
            self.returned.setdefault(value, []).append(position)
            if not isinstance(value, Var):
                self.visit(value)

    def _result(self, call: Call | Submit, index: int, var: Var) -> bool:
        """Whether a result is an argument, which then flows to it."""
        position = self._same_buffer(call, index)
        if position is not None:
            self._flow(call.args[position], var)
        return position is not None

    def _flow(self, source: Expr, target: Var, *, named: bool = False) -> None:
        if not isinstance(source, Var) or not isinstance(source.type, ShapedType | TupleType):
            return
        self.targets.setdefault(source, []).append(target)
        if named:
            self.sources.setdefault(target, []).append(source)

    # -- expressions ---------------------------------------------------------------------------------------------------

    def visit_var(self, var: Var) -> None:
        self.read.add(var)

    def visit_submit(self, call: Submit) -> None:
        self.visit_node(call)

    def visit_call(self, call: Call) -> None:
        self.calls.append(call)
        definition = self._ops.get(call.op.name) if self._ops.has(call.op.name) else None
        for position, arg in enumerate(call.args):
            if isinstance(arg, Var) and definition is not None and definition.may_write(position):
                self.written.add(arg)
                if self._same_buffer(call, 0) != position:
                    self.read.add(arg)
            else:
                self.visit(arg)


def _closure(seeds: Iterable[Var], steps: Mapping[Var, list[Var]]) -> set[Var]:
    found = set(seeds)
    waiting = list(found)
    while waiting:
        for new in steps.get(waiting.pop(), ()):
            if new not in found:
                found.add(new)
                waiting.append(new)
    return found

# SPDX-License-Identifier: Apache-2.0
"""Which parameter a tensor value writes back to: traced through aliases, carries, write-back operations, calls, merges.

Where a value lives and what type it has are followed apart: a view that is narrowed inside two branches and restored
after they meet is the parameter again. Roots and failures are remembered per variable, so many merges in a row cost
no more than their number. Source: NRO-8 to NRO-34.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pypto_build.analysis.circular_answers import CircularAnswers
from pypto_build.analysis.returned_params import NO_PARAM, ReturnedParams
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    FunctionType,
    GlobalVar,
    IfStmt,
    IterArg,
    ReturnStmt,
    ScopeStmt,
    SeqStmts,
    Stmt,
    Submit,
    TensorType,
    TupleGetItemExpr,
    TupleType,
    Type,
    Var,
    WhileStmt,
    YieldStmt,
    same_value,
    statements,
)
from pypto_build.ops import OpRegistry

CalleeReturns = Callable[[str], ReturnedParams | None]
"""For each result of a function the parameter that it writes back to; None for an unknown function."""


@dataclass(frozen=True, slots=True)
class Root:
    """A parameter by position, and the type of the traced value; None where branches disagree about the type."""

    param: int
    type: Type | None


@dataclass(frozen=True, slots=True)
class _Carry:
    init: Expr
    yielded: Expr | None


@dataclass(frozen=True, slots=True)
class _Merge:
    values: tuple[Expr | None, ...]


_Definition = Expr | _Carry | _Merge


class ReturnLineage:
    """The traces of one function."""

    def __init__(self, function: Function, ops: OpRegistry, returns_of: CalleeReturns) -> None:
        self._ops = ops
        self._returns_of = returns_of
        self._merges = function.func_type is not FunctionType.Graph  # see NRO-33
        self._params = {param: index for index, param in enumerate(function.params)}
        self._definitions: dict[Var, list[_Definition]] = {}
        self._roots: CircularAnswers[Var, Root | None] = CircularAnswers()
        self.returns: list[ReturnStmt] = []
        self.calls: list[Call | Submit] = []
        self._collect(function.body)

    def root(self, value: Expr) -> Root | None:
        """The parameter that a value is; None when it is none, or when that cannot be shown."""
        if isinstance(value, Var):
            return self._of_var(value)
        if isinstance(value, TupleGetItemExpr):
            return self._of_element(value)
        if isinstance(value, Call | Submit):
            return self._of_call(value)
        return None

    # -- variables -------------------------------------------------------------------------------------------------

    def _of_var(self, var: Var) -> Root | None:
        if not isinstance(var.type, TensorType):
            return None  # a scalar that equals a parameter is not a write-back (NRO-10)
        # round a loop: what holds on entry is assumed, to be confirmed by the yield
        own = Root(self._params[var], var.type) if var in self._params else None
        return self._roots.ask(var, own, answer=lambda: self._of_definitions(var, own))

    def _of_definitions(self, var: Var, own: Root | None) -> Root | None:
        """All definitions must agree: before SSA a variable may have several, and a parameter's value is one."""
        found = own
        for definition in self._definitions.get(var, ()):
            root = self._of_definition(var, definition)
            if root is None:
                return None
            found = root if found is None else _agreed(found, root)
            if found is None:
                return None
            self._roots.assume(var, found)
        return found

    def _of_definition(self, var: Var, definition: _Definition) -> Root | None:
        match definition:
            case _Carry(init, yielded):
                return self._of_carry(var, init, yielded)
            case _Merge(values):
                return self._of_merge(values)
            case _:
                return self.root(definition)

    def _of_carry(self, var: Var, init: Expr, yielded: Expr | None) -> Root | None:
        entering = self.root(init)
        if entering is None or yielded is None or var in self._params:
            return entering
        self._roots.assume(var, entering)
        leaving = self.root(yielded)
        return _agreed(entering, leaving) if leaving is not None else None

    def _of_merge(self, values: tuple[Expr | None, ...]) -> Root | None:
        if not self._merges:
            return None
        found: Root | None = None
        for value in values:
            root = self.root(value) if value is not None else None
            if root is None:
                return None
            found = root if found is None else _agreed(found, root)
            if found is None:
                return None
        return found

    # -- calls -----------------------------------------------------------------------------------------------------

    def _of_element(self, value: TupleGetItemExpr) -> Root | None:
        for definition in self._tuple_definitions(value.tuple):
            if not isinstance(definition, Call | Submit) or not isinstance(definition.op, GlobalVar):
                return None
            return self._of_result(definition, value.index)
        return None

    def _tuple_definitions(self, expr: Expr) -> Sequence[_Definition]:
        for _ in range(64):  # aliases of a tuple variable
            if not isinstance(expr, Var):
                return (expr,)
            definitions = self._definitions.get(expr, ())
            if len(definitions) != 1 or isinstance(definitions[0], _Carry | _Merge):
                return ()
            expr = definitions[0]
        return ()

    def _of_call(self, call: Call | Submit) -> Root | None:
        if isinstance(call.op, GlobalVar):
            return self._of_result(call, 0) if not isinstance(call.type, TupleType) else None
        reused = self._ops.get(call.op.name).reuses_input if self._ops.has(call.op.name) else None
        if reused is None or reused >= len(call.args) or not isinstance(call.type, TensorType):
            return None
        root = self.root(call.args[reused])
        return Root(root.param, call.type) if root is not None else None

    def _of_result(self, call: Call | Submit, index: int) -> Root | None:
        returned = self._returns_of(call.op.name)
        if returned is None or index >= len(returned) or returned[index] == NO_PARAM:
            return None
        position = returned[index]
        return self.root(call.args[position]) if position < len(call.args) else None

    # -- definitions -----------------------------------------------------------------------------------------------

    def _collect(self, stmt: Stmt) -> None:
        match stmt:
            case SeqStmts():
                for inner in stmt.stmts:
                    self._collect(inner)
            case AssignStmt():
                self._define(stmt.var, stmt.value)
                if isinstance(stmt.value, Call | Submit):
                    self.calls.append(stmt.value)
            case ForStmt() | WhileStmt():
                self._collect_loop(stmt)
            case IfStmt():
                self._collect_branches(stmt)
            case ScopeStmt():
                self._collect(stmt.body)
            case ReturnStmt():
                self.returns.append(stmt)
                self.calls += [value for value in stmt.value if isinstance(value, Call | Submit)]
            case _:
                return

    def _collect_branches(self, stmt: IfStmt) -> None:
        self._collect(stmt.then_body)
        if stmt.else_body is not None:
            self._collect(stmt.else_body)
        branches = (yielded_values(stmt.then_body), yielded_values(stmt.else_body))
        for index, var in enumerate(stmt.return_vars):
            self._define(var, _Merge(tuple(_at(values, index) for values in branches)))

    def _collect_loop(self, stmt: ForStmt | WhileStmt) -> None:
        self._collect(stmt.body)
        yielded = yielded_values(stmt.body)
        for index, arg in enumerate(stmt.iter_args):
            self._define(arg, _Carry(arg.init_value, _at(yielded, index)))
        for var, arg in zip(stmt.return_vars, stmt.iter_args, strict=False):
            self._define(var, arg)

    def _define(self, var: Var, definition: _Definition) -> None:
        if not isinstance(definition, IterArg) or definition is not var:
            self._definitions.setdefault(var, []).append(definition)


def _agreed(left: Root, right: Root) -> Root | None:
    if left.param != right.param:
        return None
    same = left.type is not None and right.type is not None and same_value(left.type, right.type)
    return left if same else Root(left.param, None)


def _at(values: tuple[Expr, ...], index: int) -> Expr | None:
    return values[index] if index < len(values) else None


def yielded_values(body: Stmt | None) -> tuple[Expr, ...]:
    """What a body yields at its end, scopes around it looked through."""
    stmts = statements(body)
    last = stmts[-1] if stmts else None
    if isinstance(last, YieldStmt):
        return last.value
    return yielded_values(last.body) if isinstance(last, ScopeStmt) else ()


def traced_returns(function: Function, lineage: ReturnLineage) -> ReturnedParams | None:
    """For each returned value the parameter it writes back to, types aside.

    A wrapper that returns a call's whole tuple forwards the callee's results; one without a return forwards those of
    its only call with as many results. None when there is nothing to read. Source: NRO-22, NRO-24.
    """
    if not lineage.returns:
        return _forwarded_by_only_call(function, lineage)
    values = lineage.returns[-1].value
    if len(values) == 1 and len(function.return_types) > 1:
        return forwarded_tuple(values[0], len(function.return_types), lineage)
    roots = [lineage.root(value) for value in values]
    return tuple(root.param if root is not None else NO_PARAM for root in roots)


def forwarded_tuple(value: Expr, count: int, lineage: ReturnLineage) -> ReturnedParams | None:
    """The parameters behind the elements of a tuple that is handed on whole."""
    roots = [lineage.root(TupleGetItemExpr(value, index)) for index in range(count)]
    return tuple(root.param if root is not None else NO_PARAM for root in roots)


def _forwarded_by_only_call(function: Function, lineage: ReturnLineage) -> ReturnedParams | None:
    count = len(function.return_types)
    fitting = [call for call in lineage.calls if isinstance(call.op, GlobalVar) and _results(call) == count]
    return forwarded_tuple(fitting[0], count, lineage) if len(fitting) == 1 and count else None


def _results(call: Call | Submit) -> int:
    if not isinstance(call.type, TupleType):
        return 1
    return len(call.type.types) - (1 if isinstance(call, Submit) else 0)

# SPDX-License-Identifier: Apache-2.0
"""Which variable owns the buffer that a tensor variable names: aliases, views, carries and call results followed back.

A parameter and a freshly created tensor own theirs. A variable that may name one of several buffers is its own root and
counts as ambiguous. One forward walk; each Var gets its root when it is defined.
"""

from __future__ import annotations

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.analysis.returned_params import NO_PARAM, ReturnedBy
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    ForStmt,
    Function,
    GlobalVar,
    IfStmt,
    IterArg,
    ParamDirection,
    ScopeStmt,
    SeqStmts,
    ShapedType,
    Stmt,
    Submit,
    TupleGetItemExpr,
    Var,
    WhileStmt,
)
from pypto_build.ops import OpRegistry

_VIEWS = frozenset(
    {
        "tensor.slice",
        "tensor.view",
        "tensor.reshape",
        "tensor.transpose",
        "tensor.reinterpret_view",
        "tensor.set_validshape",
        "tensor.assemble",
    }
)


class BufferRoots:
    """Roots of one function. `directions` and `returned` tell about the functions that it calls."""

    def __init__(
        self,
        function: Function,
        ops: OpRegistry,
        *,
        directions: dict[str, tuple[ParamDirection, ...]],
        returned: ReturnedBy,
    ) -> None:
        self._ops = ops
        self._directions = directions
        self._returned = returned
        self._roots: dict[Var, Var] = {param: param for param in function.params}
        self._tuples: dict[Var, Call | Submit] = {}
        self.ambiguous: set[Var] = set()
        self._walk(function.body)

    def root(self, expr: Expr) -> Var | None:
        """The Var that owns the buffer of a tensor expression; None when it has none or it is not known."""
        return self._roots.get(expr, expr) if isinstance(expr, Var) and isinstance(expr.type, ShapedType) else None

    def _walk(self, stmt: Stmt) -> None:
        match stmt:
            case SeqStmts():
                for inner in stmt.stmts:
                    self._walk(inner)
            case AssignStmt():
                self._assign(stmt.var, stmt.value)
            case ForStmt() | WhileStmt():
                self._loop(stmt)
            case IfStmt():
                self._if(stmt)
            case ScopeStmt():
                self._walk(stmt.body)
            case _:
                return

    def _assign(self, var: Var, value: Expr) -> None:
        if isinstance(value, Call | Submit):
            self._tuples[var] = value
        self._roots[var] = self._of_value(value) or var

    def _of_value(self, value: Expr) -> Var | None:
        if isinstance(value, Var):
            return self.root(value)
        if isinstance(value, TupleGetItemExpr):
            call = self._tuples.get(value.tuple) if isinstance(value.tuple, Var) else value.tuple
            return self._of_result(call, value.index) if isinstance(call, Call | Submit) else None
        if isinstance(value, Call | Submit):
            return self._of_result(value, 0) if isinstance(value.op, GlobalVar) else self._of_op(value)
        return None

    def _of_op(self, call: Call | Submit) -> Var | None:
        position = self.viewed_argument(call)
        return self.root(call.args[position]) if position is not None else None

    def viewed_argument(self, call: Call | Submit) -> int | None:
        """The argument whose buffer the result of an operation lies in."""
        name = call.op.name
        reused = self._ops.get(name).reuses_input if self._ops.has(name) else None
        if reused is None and name in _VIEWS:
            reused = 0
        return reused if reused is not None and reused < len(call.args) else None

    def _of_result(self, call: Call | Submit, index: int) -> Var | None:
        if not isinstance(call.op, GlobalVar):
            return None
        position = self.written_argument(call, index)
        return self.root(call.args[position]) if position is not None else None

    def written_argument(self, call: Call | Submit, index: int) -> int | None:
        """The argument that result `index` of a call is: what the callee says it returns, else its index-th output."""
        returned = self._returned(call.op.name)
        if returned is not None and index < len(returned):
            return returned[index] if returned[index] != NO_PARAM and returned[index] < len(call.args) else None
        outputs = [i for i, d in enumerate(self._directions.get(call.op.name, ())) if d is not ParamDirection.In]
        return outputs[index] if index < len(outputs) and outputs[index] < len(call.args) else None

    def _loop(self, stmt: ForStmt | WhileStmt) -> None:
        for arg in stmt.iter_args:
            self._carry(arg)
        self._walk(stmt.body)
        yielded = yielded_values(stmt.body)
        for index, (var, arg) in enumerate(zip(stmt.return_vars, stmt.iter_args, strict=False)):
            leaving = self.root(yielded[index]) if index < len(yielded) else self._roots[arg]
            self._bind(var, {leaving})

    def _carry(self, arg: IterArg) -> None:
        self._roots[arg] = self.root(arg.init_value) or arg

    def _if(self, stmt: IfStmt) -> None:
        self._walk(stmt.then_body)
        if stmt.else_body is not None:
            self._walk(stmt.else_body)
        branches = [yielded_values(stmt.then_body), yielded_values(stmt.else_body)]
        for index, var in enumerate(stmt.return_vars):
            self._bind(var, {self.root(values[index]) for values in branches if index < len(values)})

    def _bind(self, var: Var, roots: set[Var | None]) -> None:
        """A variable that takes one of several values: one root if they share it."""
        only = roots.pop() if len(roots) == 1 else None
        self._roots[var] = only or var
        if only is None or only in self.ambiguous:
            self.ambiguous.add(self._roots[var])

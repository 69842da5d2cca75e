# SPDX-License-Identifier: Apache-2.0
"""Which communication context belongs to a distributed tensor, followed through names, views, calls, loops, merges."""

from __future__ import annotations

from collections.abc import Mapping, Set

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.analysis.returned_params import NO_PARAM, ReturnedParams
from pypto_build.errors import UserError
from pypto_build.ir import (
    Call,
    DistributedTensorType,
    Expr,
    ForStmt,
    Function,
    GlobalVar,
    IfStmt,
    Stmt,
    Submit,
    TupleGetItemExpr,
    Var,
    WhileStmt,
    defined_vars,
)
from pypto_build.ops import OpRegistry


class ContextFlow:
    """The contexts of the distributed tensors of one function, told statement by statement.

    `returned_by` says for the functions that are called which parameter each of their results is.
    """

    def __init__(self, ops: OpRegistry, contexts: Mapping[Var, Var], returned_by: Mapping[str, ReturnedParams]) -> None:
        self.ops = ops
        self._contexts: dict[Expr, Expr] = {**contexts}
        self._tuples: dict[Expr, tuple[Expr | None, ...]] = {}
        self._returned_by = returned_by

    def of(self, tensor: Expr) -> Expr | None:
        """The context of a tensor, where it is known."""
        return self._contexts.get(tensor)

    def assign(self, var: Var, value: Expr) -> None:
        """`var` is `value` from now on."""
        found: Expr | None = None
        if isinstance(value, Var):
            found = self.of(value)
            if value in self._tuples:
                self._tuples[var] = self._tuples[value]
        elif isinstance(value, TupleGetItemExpr):
            parts = self._tuples.get(value.tuple, ())
            found = parts[value.index] if value.index < len(parts) else None
        elif isinstance(value, Call | Submit):
            results = self._results(value)
            self._tuples[var] = results
            found = results[0] if len(results) == 1 else None
        if found is not None and isinstance(var.type, DistributedTensorType):
            self._contexts[var] = found

    def _results(self, call: Call | Submit) -> tuple[Expr | None, ...]:
        """The context of each result."""
        if isinstance(call.op, GlobalVar):
            returned = self._returned_by.get(call.op.name, ())
            return tuple(None if index == NO_PARAM else self._argument(call, index) for index in returned)
        reused = self.ops.get(call.op.name).reuses_input if self.ops.has(call.op.name) else None
        return (self._argument(call, 0 if reused is None else reused),)

    def _argument(self, call: Call | Submit, index: int) -> Expr | None:
        return self.of(call.args[index]) if index < len(call.args) else None

    def enter(self, stmt: Stmt) -> None:
        """A loop begins with its initial values."""
        if isinstance(stmt, ForStmt | WhileStmt):
            for arg in stmt.iter_args:
                self.assign(arg, arg.init_value)

    def leave(self, stmt: Stmt) -> None:
        """What a loop hands on has one context throughout, what branches merge the context of both.

        Raises:
            UserError: a loop goes on with a tensor of another context.
        """
        if isinstance(stmt, IfStmt):
            for var, value in zip(stmt.return_vars, yielded_values(stmt.then_body), strict=False):
                self.assign(var, value)
        elif isinstance(stmt, ForStmt | WhileStmt):
            for arg, var, value in zip(stmt.iter_args, stmt.return_vars, yielded_values(stmt.body), strict=False):
                _check_carry(arg, self.of(arg), self.of(value))
                self.assign(var, arg)


def _check_carry(arg: Var, seed: Expr | None, carried: Expr | None) -> None:
    if seed is None or carried is None or seed is carried:
        return
    raise UserError(
        "DIST002",
        f"Rebinding loop-carried DistributedTensor '{arg.name_hint}' to a tensor of another communication context is "
        "not supported",
        arg.span,
        help="use the other tensor under a name of its own",
    )


def free_name(wanted: str, function: Function, also: Set[str] = frozenset()) -> str:
    """The name, with a number behind it where the function or `also` has it already."""
    taken = {var.name_hint for var in (*function.params, *defined_vars([function.body]))} | also
    name, number = wanted, 0
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name

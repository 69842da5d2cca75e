# SPDX-License-Identifier: Apache-2.0
"""Which parameters a new function reads and writes: the directions that its signature shall say.

A destination slot (of a store, an assemble, or an output of a callee) is a write and no read; anything else that names
the buffer reads it, the state after a write included. What is not recognized counts as a read.
"""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.analysis.buffer_roots import BufferRoots
from pypto_build.analysis.returned_params import ReturnedBy
from pypto_build.ir import (
    ArgEffect,
    AssignStmt,
    Call,
    Expr,
    Function,
    GlobalVar,
    ParamDirection,
    ReturnStmt,
    Submit,
    TensorType,
    Var,
    Visitor,
    YieldStmt,
)
from pypto_build.ops import OpRegistry

_READS = (ArgEffect.Read, ArgEffect.ReadWrite)
_OF_EFFECT = {
    (True, False): ParamDirection.In,
    (False, False): ParamDirection.In,
    (False, True): ParamDirection.Out,
    (True, True): ParamDirection.InOut,
}
_EFFECT_OF = {
    ParamDirection.In: ArgEffect.Read,
    ParamDirection.Out: ArgEffect.Write,
    ParamDirection.InOut: ArgEffect.ReadWrite,
}
_EXCHANGES = frozenset({"pld.tensor.allgather", "pld.tensor.all_to_all", "pld.tensor.all_to_all_v"})
"""They become several steps later, of which some read the windows that others have written."""
BOOKKEEPING = frozenset({"dump_vars", "arg_direction_overrides_vars"})
"""Attributes that name a tensor without touching it."""


def written_params(
    function: Function,
    ops: OpRegistry,
    *,
    directions: Mapping[str, tuple[ParamDirection, ...]],
    returned: ReturnedBy,
) -> tuple[ParamDirection, ...]:
    """What the body does to each parameter; `directions` and `returned` are of the functions that it calls."""
    roots = BufferRoots(function, ops, directions=dict(directions), returned=returned)
    accesses = _Accesses(roots, ops, directions)
    accesses.visit(function.body)
    return tuple(_OF_EFFECT[param in accesses.read, param in accesses.written] for param in function.params)


class _Accesses(Visitor):
    def __init__(
        self, roots: BufferRoots, ops: OpRegistry, directions: Mapping[str, tuple[ParamDirection, ...]]
    ) -> None:
        self._roots = roots
        self._ops = ops
        self._directions = directions
        self.read: set[Var] = set()
        self.written: set[Var] = set()

    def visit_var(self, var: Var) -> None:
        self._touch(var, ArgEffect.Read)

    def visit_assign_stmt(self, stmt: AssignStmt) -> None:
        if not isinstance(stmt.value, Var):  # an alias is another name, no access
            self.visit(stmt.value)

    def visit_return_stmt(self, stmt: ReturnStmt) -> None:
        """Handing a buffer back reads nothing."""
        self._handed(stmt.value)

    def visit_yield_stmt(self, stmt: YieldStmt) -> None:
        """Handing a buffer on reads nothing."""
        self._handed(stmt.value)

    def _handed(self, values: tuple[Expr, ...]) -> None:
        for value in values:
            if not isinstance(value, Var):
                self.visit(value)

    def visit_definition(self, var: Var) -> None:
        """A carry is another name for its first value."""

    def visit_call(self, call: Call) -> None:
        self._arguments(call)

    def visit_submit(self, call: Submit) -> None:
        self._arguments(call)

    def _arguments(self, call: Call | Submit) -> None:
        for position, arg in enumerate(call.args):
            if isinstance(arg, Var) and isinstance(arg.type, TensorType):
                self._touch(arg, self._effect(call, position))
            else:
                self.visit(arg)

    def _effect(self, call: Call | Submit, position: int) -> ArgEffect:
        if isinstance(call.op, GlobalVar):
            listed = self._directions.get(call.op.name, ())
            return _EFFECT_OF[listed[position]] if position < len(listed) else ArgEffect.ReadWrite
        if not self._ops.has(call.op.name):
            return ArgEffect.Read
        effect = self._ops.get(call.op.name).effect_on(position, call.kwargs)
        written = effect is ArgEffect.Write and call.op.name in _EXCHANGES
        return ArgEffect.ReadWrite if written else effect

    def _touch(self, value: Expr, effect: ArgEffect) -> None:
        root = self._roots.root(value)
        if root is None:
            return
        if effect in _READS:
            self.read.add(root)
        if effect is not ArgEffect.Read:
            self.written.add(root)

# SPDX-License-Identifier: Apache-2.0
"""The two halves of a loop body between cores: what sends a tile to the other core, and what takes one back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    GlobalVar,
    ScalarType,
    Stmt,
    TensorType,
    Var,
    collect,
    defined_vars,
    statements,
    used_vars,
)
from pypto_build.ops import CrossCoreRole, OpRegistry
from pypto_passes.pipeline_copies import split_yield


@dataclass(frozen=True, slots=True)
class Halves:
    """The statements of both halves in their order, and what an iteration yields."""

    sending: tuple[Stmt, ...]
    taking: tuple[Stmt, ...]
    yielded: tuple[Expr, ...]


def is_cross_core(body: Stmt, ops: OpRegistry) -> bool:
    """Whether a body both sends to the other core and takes from it."""
    roles = {_role(call, ops) for call in collect(body, Call)}
    return {CrossCoreRole.TPUSH, CrossCoreRole.TPOP} <= roles


def halves_of(stmt: ForStmt, ops: OpRegistry) -> Halves | None:
    """The halves of a loop's body; None when it cannot be split.

    It can if it sends one message and takes one, sending first, and if the taking half needs nothing of the sending one
    but numbers that it can compute again, and the sending half neither carried values nor memory that is written.
    """
    body, yielded = split_yield(stmt.body)
    listed = statements(body)
    messages = [(index, role) for index, one in enumerate(listed) for role in _roles(one, ops)]
    if [role for _, role in messages] != [CrossCoreRole.TPUSH, CrossCoreRole.TPOP]:
        return None
    lead = messages[0][0]
    if not isinstance(listed[lead], AssignStmt | EvalStmt):
        return None
    slice_ = _backward_slice(listed, lead)
    sending = tuple(one for index, one in enumerate(listed) if index in slice_)
    rest = {index for index in range(len(listed)) if index not in slice_}
    again = _computed_again(listed, slice_, rest, yielded)
    if again is None or _hinders(stmt, sending, [listed[index] for index in rest], ops):
        return None
    taking = tuple(one for index, one in enumerate(listed) if index in rest | again)
    return Halves(sending, taking, yielded)


def _role(call: Call, ops: OpRegistry) -> CrossCoreRole | None:
    known = not isinstance(call.op, GlobalVar) and ops.has(call.op.name)
    return ops.get(call.op.name).cross_core_role if known else None


def _roles(stmt: Stmt, ops: OpRegistry) -> list[CrossCoreRole]:
    messages = (CrossCoreRole.TPUSH, CrossCoreRole.TPOP)
    return [role for call in collect(stmt, Call) if (role := _role(call, ops)) in messages]


def _backward_slice(listed: Sequence[Stmt], lead: int) -> set[int]:
    """The statements before and at `lead` that it needs, by their numbers."""
    needed: set[Var] = set(used_vars(listed[lead]))
    chosen = {lead}
    for index in range(lead - 1, -1, -1):
        if needed & set(defined_vars([listed[index]])):
            chosen.add(index)
            needed |= set(used_vars(listed[index]))
    return chosen


def _computed_again(
    listed: Sequence[Stmt], slice_: set[int], rest: set[int], yielded: Iterable[Expr]
) -> set[int] | None:
    """Statements of the slice that the rest repeats; None when the rest needs one that is more than arithmetic."""
    maker = {var: index for index in slice_ for var in defined_vars([listed[index]])}
    again: set[int] = set()
    waiting = [var for part in (*(listed[index] for index in rest), *yielded) for var in used_vars(part)]
    while waiting:
        index = maker.get(waiting.pop())
        if index is None or index in again:
            continue
        if not _is_arithmetic(listed[index]):
            return None
        again.add(index)
        waiting.extend(used_vars(listed[index]))
    return again


def _is_arithmetic(stmt: Stmt) -> bool:
    return isinstance(stmt, AssignStmt) and isinstance(stmt.var.type, ScalarType) and not collect(stmt.value, Call)


def _hinders(stmt: ForStmt, sending: Iterable[Stmt], rest: Iterable[Stmt], ops: OpRegistry) -> bool:
    """Whether sending ahead would see another value: one that iterations carry, or memory that the rest writes."""
    reads = {var for one in sending for var in used_vars(one)}
    written = {arg for one in rest for arg in _written(one, ops)}
    return bool(reads & set(stmt.iter_args)) or bool(reads & written)


def _written(stmt: Stmt, ops: OpRegistry) -> Iterable[Var]:
    """The tensors that a statement may write."""
    for call in collect(stmt, Call):
        if isinstance(call.op, GlobalVar) or not ops.has(call.op.name):
            continue
        definition = ops.get(call.op.name)
        for index, arg in enumerate(call.args):
            if isinstance(arg, Var) and isinstance(arg.type, TensorType) and definition.may_write(index):
                yield arg

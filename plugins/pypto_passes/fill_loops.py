# SPDX-License-Identifier: Apache-2.0
"""Loops that do nothing but write one constant to neighbouring elements: the window is filled by one store instead."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.ir import (
    Add,
    AssignStmt,
    Call,
    ConstFloat,
    ConstInt,
    EvalStmt,
    Expr,
    ForKind,
    ForStmt,
    Function,
    MakeTuple,
    Rewriter,
    Stmt,
    TensorType,
    Var,
    as_int,
    const_index,
    rebuilt,
    statements,
    used_vars,
)
from pypto_build.ops import OpRegistry
from pypto_passes.store_channels import SCALAR_STORE
from pypto_passes.tensor_flows import TensorFlows

_ROW_BYTES = 32  # what the DMA engine stores at least


@dataclass(frozen=True, slots=True)
class _Fill:
    """`count` elements of a tensor along an axis, from an offset on, become a constant."""

    target: Var
    offset: tuple[Expr, ...]
    axis: int
    count: int
    value: Expr


def without_fill_loops(function: Function, ops: OpRegistry, flows: TensorFlows) -> Function:
    """The kernel with a store in place of each such loop; the same if there is none."""
    body = _FillLoops(ops, flows).visit_body(function.body)
    return function if body is function.body else rebuilt(function, {"body": body})


class _FillLoops(Rewriter):
    def __init__(self, ops: OpRegistry, flows: TensorFlows) -> None:
        super().__init__()
        self._ops = ops
        self._flows = flows

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt | tuple[Stmt, ...]:
        fills = _fills(stmt)
        if not fills or not self._apart(fills):
            return self.visit_node(stmt)
        return tuple(part for fill in fills for part in self._store(fill, stmt))

    def _apart(self, fills: list[_Fill]) -> bool:
        """Whether they fill different tensors, so that their order does not matter."""
        origins = [self._flows.origins([fill.target]) for fill in fills]
        return sum(map(len, origins)) == len(set[Var]().union(*origins))

    def _store(self, fill: _Fill, loop: ForStmt) -> list[Stmt]:
        kind = fill.target.type
        assert isinstance(kind, TensorType)
        rank, count = len(fill.offset), const_index(fill.count)
        row = tuple(count if axis == rank - 1 else const_index(1) for axis in range(rank))
        window = tuple(count if axis == fill.axis else const_index(1) for axis in range(rank))
        made: list[Stmt] = []

        def bound(name: str, *args: Expr, **kwargs: object) -> Var:
            call = self._ops.create_call(name, args, kwargs, loop.span)
            var = Var(f"{fill.target.name_hint}_fill", call.type, loop.span)
            made.append(AssignStmt(var, call, loop.span))
            return var

        source = bound("tensor.full", MakeTuple(row), fill.value, dtype=kind.dtype)
        if fill.axis != rank - 1:
            source = bound("tensor.reshape", source, MakeTuple(window))
        bound("tensor.assemble", fill.target, source, MakeTuple(fill.offset))
        return made


def _fills(loop: ForStmt) -> list[_Fill]:
    """What a loop fills; nothing if it does anything else."""
    count = as_int(loop.stop)
    plain = loop.kind is ForKind.Sequential and not loop.iter_args and as_int(loop.start) == 0
    if not plain or as_int(loop.step) != 1 or not count or count < 0:
        return []
    fills = [_fill(_value(stmt), loop.loop_var, count) for stmt in statements(loop.body)]
    found = [fill for fill in fills if fill is not None]
    return found if len(found) == len(fills) else []


def _value(stmt: Stmt) -> Expr | None:
    if isinstance(stmt, EvalStmt):
        return stmt.expr
    return stmt.value if isinstance(stmt, AssignStmt) else None


def _fill(call: Expr | None, index: Var, count: int) -> _Fill | None:
    if not isinstance(call, Call) or call.op.name != SCALAR_STORE:
        return None
    target, places, value = call.args
    kind = target.type
    if not isinstance(target, Var) or not isinstance(kind, TensorType) or not isinstance(places, MakeTuple):
        return None
    axes = [axis for axis, place in enumerate(places.elements) if index in used_vars(place)]
    if len(axes) != 1 or not isinstance(value, ConstInt | ConstFloat):
        return None
    (axis,) = axes
    start = _start(places.elements[axis], index)
    contiguous = all(as_int(extent) == 1 for extent in kind.shape[axis + 1 :])
    if start is None or not contiguous or count * kind.dtype.get_byte() % _ROW_BYTES:
        return None
    offset = tuple(const_index(start) if at == axis else place for at, place in enumerate(places.elements))
    return _Fill(target, offset, axis, count, value)


def _start(place: Expr, index: Var) -> int | None:
    """The first place of a row that a loop goes along."""
    if place is index:
        return 0
    return as_int(place.right) if isinstance(place, Add) and place.left is index else None

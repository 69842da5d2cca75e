# SPDX-License-Identifier: Apache-2.0
"""MixedKernelExpanded: every kernel runs on one core, and what passes between two cores has pipes and slots.

What is wrong here would otherwise be found by the assembler, or by two cores that wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pypto_build.analysis.core_affinity import core_affinity
from pypto_build.analysis.pipe_workspace import INITIALIZE
from pypto_build.errors import Diagnostic
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    Function,
    FunctionType,
    IfStmt,
    MemorySpace,
    Program,
    TileType,
    Var,
    Visitor,
    as_int,
    collect,
)
from pypto_build.ops import OpRegistry
from pypto_build.ops.definition import CoreAffinity
from pypto_build.passes import PassContext

_RULE = "MixedKernelExpanded"
_ALLOCATION = "tile.alloc"
_RESERVE, _IMPORT = "system.reserve_buffer", "system.import_peer_buffer"


@dataclass(frozen=True, slots=True)
class _Side:
    """What a core takes from the other one: where it lands, the operations, and the bit of the directions."""

    other: CoreAffinity
    lands: MemorySpace
    pop: str
    free: str
    initialize: str
    taken: int
    sent: int


_SIDES = {
    FunctionType.AIC: _Side(
        CoreAffinity.VECTOR,
        MemorySpace.Mat,
        "tile.tpop_from_aiv",
        "system.tfree_to_aiv",
        "system.aic_initialize_pipe",
        taken=2,
        sent=1,
    ),
    FunctionType.AIV: _Side(
        CoreAffinity.CUBE,
        MemorySpace.Vec,
        "tile.tpop_from_aic",
        "system.tfree_to_aic",
        "system.aiv_initialize_pipe",
        taken=1,
        sent=2,
    ),
}


def verify_mixed_kernel_expanded(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """No InCore function is left, no kernel has an operation of the other core, and its pipes are complete."""
    for function in program.functions.values():
        if function.func_type is FunctionType.InCore:
            text = f"function '{function.name}' is still InCore"
            yield Diagnostic("error", _RULE, text, function.span)
        side = _SIDES.get(function.func_type)
        if side is not None:
            yield from _misplaced(function, side, context.ops)
            yield from _pipes(function, side)
            yield from _slots(function, side)


def _misplaced(function: Function, side: _Side, ops: OpRegistry) -> Iterator[Diagnostic]:
    for call in collect(function.body, Call):
        if call.op.name != _ALLOCATION and core_affinity(call, ops) is side.other:
            text = f"{call.op.name} in {function.func_type.name} function '{function.name}' runs on the other core"
            yield Diagnostic("error", _RULE, text, call.span)
        if call.op.name == side.pop and isinstance(call.type, TileType):
            yield from _landing(function, side, call)


def _landing(function: Function, side: _Side, call: Call) -> Iterator[Diagnostic]:
    kind = call.type
    if isinstance(kind, TileType) and kind.memory_space not in (side.lands, None):
        text = f"{function.func_type.name} function '{function.name}' wants the {side.pop} result in "
        yield Diagnostic("error", _RULE, f"{text}MemorySpace::{side.lands.name}", call.span)
    if isinstance(kind, TileType) and None in map(as_int, kind.shape):
        text = f"{side.pop} of '{function.name}' takes a tile whose size is not known at compile time"
        yield Diagnostic("error", _RULE, text, call.span)


def _pipes(function: Function, side: _Side) -> Iterator[Diagnostic]:
    """A pipe is set up before anything crosses, and each of its directions has a buffer."""
    calls = collect(function.body, Call)
    crossing = next((at for at, call in enumerate(calls) if call.op.name.startswith(("tile.tpush", "tile.tpop"))), None)
    setups = [at for at, call in enumerate(calls) if call.op.name in INITIALIZE]
    if crossing is not None and not any(at < crossing for at in setups):
        text = f"Function '{function.name}' uses cross-core tile ops but has no '{side.initialize}' call before them"
        yield Diagnostic("error", _RULE, text, calls[crossing].span)
    masks = [int(calls[at].kwargs.get("dir_mask", 0)) for at in setups]  # type: ignore[call-overload]  # an integer
    for name, bit in ((_RESERVE, side.taken), (_IMPORT, side.sent)):
        needed = sum(bool(mask & bit) for mask in masks)
        if sum(call.op.name == name for call in calls) < needed:
            text = f"Function '{function.name}' has fewer '{name}' calls than initialized pipe directions require"
            yield Diagnostic("error", _RULE, text, calls[setups[0]].span)


def _slots(function: Function, side: _Side) -> Iterator[Diagnostic]:
    """Every popped tile gives its slot back, once on every way."""
    taken = _Taken(side)
    taken.visit(function.body)
    for call in taken.stray:
        text = (
            f"Function '{function.name}' has '{side.free}' without a matching outstanding tpop on the same tile value"
        )
        yield Diagnostic("error", _RULE, text, call.span)
    for var in taken.slots:
        text = f"Function '{function.name}' uses {side.pop} but has no matching '{side.free}' call"
        yield Diagnostic("error", _RULE, text, var.span)


@dataclass(eq=False)
class _Taken(Visitor):
    """The popped tiles whose slots are taken; `stray` are releases of something else."""

    side: _Side
    slots: dict[Var, None] = field(default_factory=dict[Var, None])
    stray: list[Call] = field(default_factory=list[Call])
    names: dict[Var, Expr] = field(default_factory=dict[Var, Expr])

    def visit_assign_stmt(self, stmt: AssignStmt) -> None:
        value = stmt.value
        if isinstance(value, Call) and value.op.name == self.side.pop:
            self.slots[stmt.var] = None
        elif isinstance(value, Var):
            self.names[stmt.var] = self.names.get(value, value)

    def visit_call(self, call: Call) -> None:
        if call.op.name != self.side.free:
            return
        tile = call.args[0]
        popped = self.names.get(tile, tile) if isinstance(tile, Var) else tile
        if popped in self.slots:
            del self.slots[popped]  # type: ignore[arg-type]  # a key is a Var
        else:
            self.stray.append(call)

    def visit_if_stmt(self, stmt: IfStmt) -> None:
        before = dict(self.slots)
        self.visit(stmt.then_body)
        after, self.slots = self.slots, before
        if stmt.else_body is not None:
            self.visit(stmt.else_body)
        self.slots = {**after, **self.slots}

# SPDX-License-Identifier: Apache-2.0
"""AivSplitValid: a region that is divided between vector cores holds vector work, and its borders are written down.

Each lane of a divided region sees half of every tile. What crosses between the cube and the vector core there does so
through `pl.aiv_shard` and `pl.aic_gather`; loads and stores may stand anywhere, since the compiler moves them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pypto_build.analysis.core_affinity import core_affinity
from pypto_build.analysis.tile_spaces import definition_of
from pypto_build.errors import Diagnostic
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    FunctionType,
    MemorySpace,
    Program,
    SplitAivScopeStmt,
    SplitMode,
    TileType,
    Var,
    Visitor,
    as_int,
    collect,
)
from pypto_build.ops import OpRegistry
from pypto_build.ops.definition import CoreAffinity
from pypto_build.passes import PassContext

_SHARD, _GATHER = "tile.aiv_shard", "tile.aic_gather"
_BORDERS = (_SHARD, _GATHER, "tensor.aiv_shard", "tensor.aic_gather")
_FREE = ("tile.load", "tile.store", "tile.create", "tile.alloc")
_SIDES = {_SHARD: (MemorySpace.Acc, MemorySpace.Vec), _GATHER: (MemorySpace.Vec, MemorySpace.Mat)}
_REDUCED = ("sum", "max", "min", "prod", "argmax", "argmin")
_ROW = frozenset(f"tile.row_{name}" for name in _REDUCED)
_COLUMN = frozenset(f"tile.col_{name}" for name in _REDUCED)
_BY_AXIS = frozenset({"tile.sum", "tile.max", "tile.min"})


def verify_aiv_split_valid(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """What divided regions hold, where they stand, and how values cross their borders."""
    for function in program.functions.values():
        regions = collect(function, SplitAivScopeStmt)
        if regions and function.func_type is FunctionType.InCore and not function.attrs.get("split_aiv"):
            text = (
                f"pl.split_aiv opens a CORE_GROUP-level region and cannot stand in InCore function '{function.name}': "
                "write it in a pl.at(level=pl.Level.CORE_GROUP) scope"
            )
            yield _error(text, regions[0])
        yield from _Checks(function, context.ops, manual=bool(regions)).found()


@dataclass(frozen=True, slots=True)
class _Place:
    """A call, the variable that takes its result, and the region around it."""

    call: Call
    var: Var | None
    region: SplitAivScopeStmt | None


class _Places(Visitor):
    """Every call that is a statement."""

    def __init__(self) -> None:
        self.found: list[_Place] = []
        self._region: SplitAivScopeStmt | None = None

    def visit_split_aiv_scope_stmt(self, scope: SplitAivScopeStmt) -> None:
        outer, self._region = self._region, scope
        self.visit_node(scope)
        self._region = outer

    def visit_assign_stmt(self, stmt: AssignStmt) -> None:
        self._add(stmt.value, stmt.var)

    def visit_eval_stmt(self, stmt: EvalStmt) -> None:
        self._add(stmt.expr, None)

    def _add(self, value: Expr, var: Var | None) -> None:
        if isinstance(value, Call):
            self.found.append(_Place(value, var, self._region))


class _Checks:
    """The checks of one function; in a manual one, which has a region, regions decide what is vector work."""

    def __init__(self, function: Function, ops: OpRegistry, *, manual: bool) -> None:
        walk = _Places()
        walk.visit(function.body)
        self._places = walk.found
        self._made = {place.var: place for place in walk.found if place.var is not None}
        self._ops = ops
        self._manual = manual

    def found(self) -> Iterator[Diagnostic]:
        """What is wrong, in order."""
        for place in self._places:
            name = place.call.op.name
            if name in _BORDERS:
                yield from _border(place)
            elif name not in _FREE:
                yield from self._inside(place) if place.region is not None else self._outside(place)
                yield from self._crossings(place)

    def _inside(self, place: _Place) -> Iterator[Diagnostic]:
        name, region = place.call.op.name, place.region
        divided = region is not None and region.split is not SplitMode.NONE
        if self._works_on(place.call, CoreAffinity.CUBE):
            reason = ", and each lane holds only half the tile" if divided else ""
            yield _error(f"cube op {name} in a pl.split_aiv region: a region body is AIV work{reason}", place.call)
        if region is not None and divided and _reduces(place.call) == _split_axis(place.call, region.split):
            text = f"{name} reduces over the split axis of its pl.split_aiv region: each lane has a part of the result"
            yield _error(text, place.call)

    def _outside(self, place: _Place) -> Iterator[Diagnostic]:
        if self._manual and self._works_on(place.call, CoreAffinity.VECTOR) and not self._is_stated(place.call):
            text = (
                f"vector op {place.call.op.name} stands outside every pl.split_aiv region of a function that has one: "
                "put it into `for _ in pl.split_aiv(2, mode=pl.SplitMode.NONE):`"
            )
            yield _error(text, place.call)

    def _crossings(self, place: _Place) -> Iterator[Diagnostic]:
        """A value that is made on one side of a region's border and read on the other, by the other core."""
        name, lane = place.call.op.name, self._lane(place.call)
        for var in dict.fromkeys(arg for arg in place.call.args if isinstance(arg, Var)):
            made = self._made.get(var)
            if made is None or made.call.op.name in (*_FREE, *_BORDERS):
                continue
            if made.region is not None and place.region is None and lane is CoreAffinity.CUBE:
                text = f"'{var.name_hint}' leaves its pl.split_aiv region for {name} on the cube core: pl.aic_gather it"
                yield _error(text, place.call)
            enters = made.region is None and place.region is not None and lane is CoreAffinity.VECTOR
            if enters and self._lane(made.call) is CoreAffinity.CUBE:
                text = f"'{var.name_hint}' of the cube core enters a pl.split_aiv region for {name}: pl.aiv_shard it"
                yield _error(text, place.call)

    def _lane(self, call: Call) -> CoreAffinity:
        """The core that gets the result."""
        space = self._fixed(call) or _space(call)
        if space is None:
            return core_affinity(call, self._ops)
        return CoreAffinity.VECTOR if space is MemorySpace.Vec else CoreAffinity.CUBE

    def _works_on(self, call: Call, core: CoreAffinity) -> bool:
        """Whether one core alone computes; a move between them belongs to none."""
        fixed = self._fixed(call)
        if fixed is None:
            return core_affinity(call, self._ops) is core
        return (fixed is MemorySpace.Vec) is (core is CoreAffinity.VECTOR)

    def _fixed(self, call: Call) -> MemorySpace | None:
        """Where the result of an operation always lies."""
        definition = definition_of(call, self._ops)
        output = definition.memory.output if definition is not None and definition.memory is not None else None
        return output if isinstance(output, MemorySpace) else None

    def _is_stated(self, call: Call) -> bool:
        """Whether the operation itself says on which core it runs."""
        definition = definition_of(call, self._ops)
        return "core_type" in call.kwargs or (definition is not None and definition.core_affinity is not None)


def _border(place: _Place) -> Iterator[Diagnostic]:
    """A crossing stands in a region, takes its operand from one core and hands the result to the other."""
    call, name = place.call, place.call.op.name
    if place.region is None:
        yield _error(f"{name} must appear inside a pl.split_aiv region", call)
        return
    if name not in _SIDES:
        return
    source, target = _SIDES[name]
    given, made = _space(call.args[0]), _space(call)
    if given not in (None, source):
        yield _error(f"the {name} operand is in {given.name if given else ''}: it requires {source.name}", call)
    if made not in (None, target):
        yield _error(f"the {name} result is in {made.name if made else ''}: it must be {target.name}", call)


def _space(value: Expr) -> MemorySpace | None:
    return value.type.memory_space if isinstance(value.type, TileType) else None


def _reduces(call: Call) -> int | None:
    """The axis that a reduction takes away; None for anything else."""
    kind = call.args[0].type if call.args else None
    if not isinstance(kind, TileType):
        return None
    rank = len(kind.shape)
    if call.op.name in _ROW:
        return rank - 1
    if call.op.name in _COLUMN:
        return rank - 2
    axis = call.kwargs.get("axis") if call.op.name in _BY_AXIS else None
    number = as_int(axis) if isinstance(axis, Expr) else axis
    return number % rank if isinstance(number, int) else None


def _split_axis(call: Call, mode: SplitMode) -> int:
    kind = call.args[0].type if call.args else None
    rank = len(kind.shape) if isinstance(kind, TileType) else 2
    return rank - 2 if mode is SplitMode.UP_DOWN else rank - 1


def _error(text: str, at: Call | SplitAivScopeStmt) -> Diagnostic:
    return Diagnostic("error", "AivSplitValid", text, at.span)

# SPDX-License-Identifier: Apache-2.0
"""The on-chip memory of every tile of a kernel: what operations fix, what consumers ask for, what views inherit.

Demands run backward through views to loads and creations, which may be placed; spaces then run forward. A carry has
the space that its loop yields, and so has what it starts from. One backward sweep, at most two walks of a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    GlobalVar,
    IfStmt,
    MemorySpace,
    ScopeStmt,
    SeqStmts,
    Stmt,
    TileType,
    Var,
    WhileStmt,
    collect,
)
from pypto_build.ops import OpRegistry
from pypto_build.ops.definition import FromInput, FromKwarg, OpDef, Spaces

_PLACEABLE = (MemorySpace.Vec, MemorySpace.Mat)  # where a load from global memory can go


def definition_of(value: Expr, ops: OpRegistry) -> OpDef | None:
    """The definition of an operation call; None for any other expression."""
    if not isinstance(value, Call) or isinstance(value.op, GlobalVar) or not ops.has(value.op.name):
        return None
    return ops.get(value.op.name)


def constrained_inputs(call: Call, definition: OpDef | None) -> Iterator[tuple[int, Var, Spaces]]:
    """The tile arguments that must live in certain spaces."""
    inputs = definition.memory.inputs if definition is not None and definition.memory is not None else ()
    for position, (arg, allowed) in enumerate(zip(call.args, inputs, strict=False)):
        if allowed and isinstance(arg, Var) and isinstance(arg.type, TileType):
            yield position, arg, allowed


def tile_spaces(function: Function, ops: OpRegistry) -> Mapping[Var, MemorySpace]:
    """The memory space of each tile variable of a kernel; a merge of different spaces is left out."""
    inference = _Inference(ops, _demands(function, ops))
    inference.walk(function.body)
    return inference.spaces


def _demands(function: Function, ops: OpRegistry) -> Mapping[Var, MemorySpace]:
    """What consumers ask for, carried back through views; a special space beats Vec, which everything can reach."""
    wanted: dict[Var, MemorySpace] = {}
    views: list[tuple[Var, Var]] = []
    for stmt in collect(function, AssignStmt, EvalStmt):
        value = stmt.value if isinstance(stmt, AssignStmt) else stmt.expr
        definition = definition_of(value, ops)
        if definition is None or not isinstance(value, Call):
            continue
        for _, arg, allowed in constrained_inputs(value, definition):
            _demand(wanted, arg, allowed[0])
        source = _inherited(value, definition)
        if source is not None and isinstance(stmt, AssignStmt):
            views.append((stmt.var, source))
    for view, source in reversed(views):
        if view in wanted:
            _demand(wanted, source, wanted[view])
    return wanted


def _demand(wanted: dict[Var, MemorySpace], var: Var, space: MemorySpace) -> None:
    if wanted.get(var, MemorySpace.Vec) is MemorySpace.Vec:
        wanted[var] = space


def _inherited(call: Call, definition: OpDef) -> Var | None:
    spec = definition.memory
    return _first_tile(call) if spec is not None and isinstance(spec.output, FromInput) else None


def _first_tile(call: Call) -> Var | None:
    return next((arg for arg in call.args if isinstance(arg, Var) and isinstance(arg.type, TileType)), None)


class _Inference:
    def __init__(self, ops: OpRegistry, wanted: Mapping[Var, MemorySpace]) -> None:
        self._ops = ops
        self._wanted = wanted
        self.spaces: dict[Var, MemorySpace] = {}

    def walk(self, stmt: Stmt) -> None:
        match stmt:
            case SeqStmts():
                for inner in stmt.stmts:
                    self.walk(inner)
            case AssignStmt():
                if isinstance(stmt.var.type, TileType):
                    self._set(stmt.var, self._of_value(stmt.value, stmt))
            case ForStmt() | WhileStmt():
                self._loop(stmt)
            case IfStmt():
                self._if(stmt)
            case ScopeStmt():
                self.walk(stmt.body)
            case _:
                return

    def _set(self, var: Var, space: MemorySpace | None) -> None:
        if space is not None:
            self.spaces[var] = space

    def _of_value(self, value: Expr, stmt: AssignStmt) -> MemorySpace | None:
        if isinstance(value, Var):
            return self.spaces.get(value)
        definition = definition_of(value, self._ops)
        if definition is None or not isinstance(value, Call):
            return _stated(value) or MemorySpace.Vec
        spec = definition.memory
        if spec is None or spec.output is None:
            return _stated(value) or MemorySpace.Vec
        if isinstance(spec.output, MemorySpace):
            return spec.output
        if isinstance(spec.output, FromKwarg):
            return self._placed(stmt.var, value, spec.output)
        return self._of_first_tile(value)

    def _placed(self, var: Var, call: Call, output: FromKwarg) -> MemorySpace:
        stated = call.kwargs.get(output.name)
        if isinstance(stated, MemorySpace):
            return stated
        wanted = self._wanted.get(var)
        return wanted if wanted in _PLACEABLE else self._of_first_tile(call)

    def _of_first_tile(self, call: Call) -> MemorySpace:
        for arg in call.args:
            space = self.spaces.get(arg) if isinstance(arg, Var) else None
            if space is not None:
                return space
        return MemorySpace.Vec

    def _loop(self, stmt: ForStmt | WhileStmt) -> None:
        for arg in stmt.iter_args:
            if isinstance(arg.type, TileType) and isinstance(arg.init_value, Var):
                self._set(arg, self.spaces.get(arg.init_value))
        self.walk(stmt.body)
        if self._carried(stmt):
            self.walk(stmt.body)
            self._carried(stmt)

    def _carried(self, stmt: ForStmt | WhileStmt) -> bool:
        """Hand the yielded spaces to carries, results and what the carries start from; whether a carry changed."""
        changed = False
        yielded = yielded_values(stmt.body)
        for arg, value, result in zip(stmt.iter_args, yielded, stmt.return_vars, strict=False):
            space = self.spaces.get(value) if isinstance(value, Var) else None
            if space is None or not isinstance(arg.type, TileType):
                continue
            changed = changed or self.spaces.get(arg) is not space
            self.spaces[arg] = self.spaces[result] = space
            if isinstance(arg.init_value, Var):
                self.spaces[arg.init_value] = space
        return changed

    def _if(self, stmt: IfStmt) -> None:
        self.walk(stmt.then_body)
        if stmt.else_body is not None:
            self.walk(stmt.else_body)
        branches = [yielded_values(stmt.then_body), yielded_values(stmt.else_body)]
        for index, var in enumerate(stmt.return_vars):
            if not isinstance(var.type, TileType):
                continue
            values = [branch[index] for branch in branches if index < len(branch)]
            found = {self.spaces.get(value) for value in values if isinstance(value, Var)} - {None}
            if len(found) == 1:
                self._set(var, found.pop())


def _stated(value: Expr) -> MemorySpace | None:
    kind = value.type
    space = kind.memory_space if isinstance(kind, TileType) else None
    return None if space is MemorySpace.DDR else space

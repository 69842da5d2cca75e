# SPDX-License-Identifier: Apache-2.0
"""InferTileMemorySpace: every tile of a kernel gets its memory, and a move where producer and consumer disagree.

A move stands right before the first consumer that needs it and serves later consumers of the same region.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, cast

from pypto_build.analysis.tile_spaces import constrained_inputs, definition_of, tile_spaces
from pypto_build.errors import Diagnostic, UserError
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    Function,
    FunctionType,
    IterArg,
    MemorySpace,
    Program,
    Rewriter,
    Stmt,
    TileLayout,
    TileType,
    Type,
    Var,
    collect,
    defined_vars,
    rebuilt,
)
from pypto_build.ops import OpRegistry
from pypto_build.ops.definition import FromKwarg, OpDef
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.tile_storage import is_core_function

P = IRProperty
_DUMPS = "dump_vars"
BRIDGE = "__compiler_tensor_to_tile_mat_bridge"
"""Marks a load that the compiler made for an operand of a matrix product; it ends here."""
_Moves = dict[tuple[Expr, MemorySpace], Var]


@dataclass(frozen=True, slots=True)
class InferTileMemorySpace(FunctionPass):
    """Decide the memory of each tile of a kernel and insert the moves between memories."""

    name: ClassVar[str] = "InferTileMemorySpace"
    requires: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SSAForm, P.IncoreTileOps, P.SplitIncoreOrch, P.NormalizedStmtStructure}
    )
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm, P.TileMemoryInferred, P.NormalizedStmtStructure})
    after: ClassVar[tuple[str, ...]] = ("ConvertTensorToTileOps",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """A kernel with a memory space on every tile; other functions as they are.

        Raises:
            UserError: a parameter of the kernel is a tile.
        """
        del callees
        if not is_core_function(function):
            return function
        for param in function.params:
            if isinstance(param.type, TileType):
                text = f"parameter '{param.name_hint}' of kernel '{function.name}' is a tile"
                raise UserError("SPACE001", text, param.span, help="pass a tensor and load it in the kernel")
        return _Placer(tile_spaces(function, context.ops), context.ops).visit(function)


class _Placer(Rewriter):
    def __init__(self, spaces: Mapping[Var, MemorySpace], ops: OpRegistry) -> None:
        super().__init__()
        self._spaces = spaces
        self._ops = ops
        self._moves: _Moves = {}

    # -- regions -----------------------------------------------------------------------------------------------------

    def visit_body(self, body: Stmt) -> Stmt:
        """A move of a nested body serves that body only."""
        before = self._moves
        self._moves = dict(before)
        new = super().visit_body(body)
        self._moves = before
        return new

    # -- statements --------------------------------------------------------------------------------------------------

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...]:
        moves, value = self._value(stmt.value, self._spaces.get(stmt.var))
        var = self._bound(stmt.var, value, rebuilt_call=value is not stmt.value)
        value = _placed_call(value, var)
        new = stmt if var is stmt.var and value is stmt.value else rebuilt(stmt, {"var": var, "value": value})
        return (*moves, new) if moves else new

    def visit_eval_stmt(self, stmt: EvalStmt) -> Stmt | tuple[Stmt, ...]:
        moves, value = self._value(stmt.expr, None)
        new = stmt if value is stmt.expr else rebuilt(stmt, {"expr": value})
        return (*moves, new) if moves else new

    def visit_definition(self, var: Var) -> Var:
        kind = self._placed_type(self.visit_type(var.type), var)
        changes: dict[str, object] = {} if kind is var.type else {"type": kind}
        if isinstance(var, IterArg):
            init: Expr = self.visit(var.init_value)
            if init is not var.init_value:
                changes["init_value"] = init
        return self.rebound(var, changes)

    def _bound(self, var: Var, value: Expr, *, rebuilt_call: bool) -> Var:
        kind = self.visit_type(var.type)
        if rebuilt_call and isinstance(kind, TileType) and isinstance(value, Call) and isinstance(value.type, TileType):
            kind = rebuilt(value.type, {"memref": kind.memref})
        kind = self._placed_type(kind, var)
        return self.rebound(var, {} if kind is var.type else {"type": kind})

    def _placed_type(self, kind: Type, var: Var) -> Type:
        space = self._spaces.get(var)
        if not isinstance(kind, TileType) or space is None or kind.memory_space is space:
            return kind
        return rebuilt(kind, {"memory_space": space})

    # -- calls -------------------------------------------------------------------------------------------------------

    def _value(self, value: Expr, space: MemorySpace | None) -> tuple[list[Stmt], Expr]:
        """The moves to put before a value, and the value."""
        if not isinstance(value, Call):
            return [], self.visit(value)
        definition = definition_of(value, self._ops)
        moves: list[Stmt] = []
        args: list[Expr] = [self.visit(arg) for arg in value.args]
        moved: dict[Expr, list[Expr]] = {}
        for position, arg, allowed in constrained_inputs(value, definition):
            where = self._spaces.get(arg)
            if where is None or where in allowed:
                continue
            args[position] = self._moved(args[position], arg, allowed[0], moves=moves)
            moved.setdefault(arg, []).append(args[position])
        kwargs = dict(value.kwargs)
        placed_by = _space_attribute(definition)
        if placed_by is not None and space not in (None, kwargs.get(placed_by.name, placed_by.default)):
            kwargs[placed_by.name] = space
        attrs = self._attrs(value, moved)
        same = all(a is b for a, b in zip(args, value.args, strict=True))
        if same and kwargs == dict(value.kwargs) and attrs == dict(value.attrs):
            return moves, value
        if definition is None:
            return moves, rebuilt(value, {"args": tuple(args)})
        return moves, self._ops.create_call(value.op.name, args, kwargs, value.span, attrs)

    def _moved(self, source: Expr, original: Var, target: MemorySpace, *, moves: list[Stmt]) -> Var:
        known = self._moves.get((original, target))
        if known is not None:
            return known
        kwargs: dict[str, object] = {"target_memory": target}
        if self._spaces[original] is MemorySpace.Acc and target is MemorySpace.Vec:
            kwargs |= {"blayout": TileLayout.row_major, "slayout": TileLayout.none_box}
        call = self._ops.create_call("tile.move", (source,), kwargs, original.span)
        var = Var(f"{original.name_hint}_{target.name}", call.type, original.span)
        moves.append(AssignStmt(var, call, original.span))
        self._moves[original, target] = var
        return var

    def _attrs(self, call: Call, moved: Mapping[Expr, list[Expr]]) -> dict[str, object]:
        """The attributes; a dumped operand is dumped where it is read."""
        attrs = {name: _mapped(self, value) for name, value in call.attrs.items() if name != BRIDGE}
        if _DUMPS in attrs and moved:
            dumped: list[Expr] = []
            for var in cast("tuple[Expr, ...]", call.attrs[_DUMPS]):
                dumped.extend(dict.fromkeys(moved.get(var, [self.visit(var)])))
            attrs[_DUMPS] = tuple(dumped)
        return attrs


def _placed_call(value: Expr, var: Var) -> Expr:
    """The value; a call says of its result the memory that the variable says."""
    kind, space = value.type, var.type.memory_space if isinstance(var.type, TileType) else None
    if not isinstance(value, Call) or not isinstance(kind, TileType) or space in (None, kind.memory_space):
        return value
    return rebuilt(value, {"type": rebuilt(kind, {"memory_space": space})})


def _space_attribute(definition: OpDef | None) -> FromKwarg | None:
    """The attribute that says where the result lives, of an operation that has one."""
    spec = definition.memory if definition is not None else None
    return spec.output if spec is not None and isinstance(spec.output, FromKwarg) else None


def _mapped(rewriter: Rewriter, value: object) -> object:
    if isinstance(value, Expr):
        return rewriter.visit(value)
    if isinstance(value, tuple):
        return tuple(_mapped(rewriter, item) for item in cast("tuple[object, ...]", value))
    return value


# -- the property ------------------------------------------------------------------------------------------------------


def verify_tile_memory_inferred(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every tile of a kernel has a memory space; operations of a kernel without a core yet find their operands."""
    for function in program.functions.values():
        if not is_core_function(function):
            continue
        for var in defined_vars([function.body]):
            if isinstance(var.type, TileType) and var.type.memory_space is None:
                text = f"tile '{var.name_hint}' in kernel '{function.name}' has no memory space"
                yield Diagnostic("error", "TileMemoryInferred", text, var.span)
        checked = collect(function, Call) if function.func_type is FunctionType.InCore else []
        for call in checked:
            for position, arg, allowed in constrained_inputs(call, definition_of(call, context.ops)):
                kind = arg.type
                if isinstance(kind, TileType) and kind.memory_space is not None and kind.memory_space not in allowed:
                    wanted = " or ".join(space.name for space in allowed)
                    text = (
                        f"argument {position} of {call.op.name} in kernel '{function.name}' is in "
                        f"{kind.memory_space.name}, but must be in {wanted}"
                    )
                    yield Diagnostic("error", "TileMemoryInferred", text, call.span)

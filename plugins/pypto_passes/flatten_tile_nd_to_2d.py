# SPDX-License-Identifier: Apache-2.0
"""FlattenTileNdTo2D: kernels compute with tiles of two dimensions, because the instructions know no others.

All axes but the last become the rows. Batched products become one product per matrix, and a transposition gets the
scratch tile that its instruction needs. What nobody reads any more after that goes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.buffer_roots import BufferRoots
from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.analysis.statement_walk import assignments
from pypto_build.errors import Span, UserError
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    GlobalVar,
    IfStmt,
    IterArg,
    MakeTuple,
    MemorySpace,
    ParamDirection,
    Stmt,
    TensorType,
    TileType,
    Type,
    Var,
    WhileStmt,
    as_int,
    rebuilt,
)
from pypto_build.ops import OpRegistry
from pypto_build.ops.reshaping import volume
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.flat_batch_products import BatchProducts
from pypto_passes.flat_operations import LOWERINGS, recreated
from pypto_passes.flat_shapes import flat_type, is_deep
from pypto_passes.flat_transfers import is_scattered_load
from pypto_passes.flattening import Site
from pypto_passes.product_stores import stores_of_products
from pypto_passes.scope_captures import counted_uses
from pypto_passes.statement_emitter import Rewritten, StatementEmitter
from pypto_passes.tile_storage import is_core_function
from pypto_passes.unread_tiles import READING, without_unread
from pypto_passes.written_params import written_params

P = IRProperty


@dataclass(frozen=True, slots=True)
class FlattenTileNdTo2D(FunctionPass):
    """Flatten tiles of more than two dimensions in kernels, and lower batched products and transpositions of them."""

    name: ClassVar[str] = "FlattenTileNdTo2D"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm, P.IncoreTileOps, P.NormalizedStmtStructure})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm, P.TileOps2D, P.NormalizedStmtStructure})
    after: ClassVar[tuple[str, ...]] = ("ConvertTensorToTileOps",)
    before: ClassVar[tuple[str, ...]] = ("InferTileMemorySpace", "ExpandMixedKernel", "InitMemRef")
    reads: ClassVar[tuple[str, ...]] = ("hardware",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """A kernel with tiles of two dimensions; other functions, and kernels without deeper tiles, as they are.

        Raises:
            UserError: a tile has an extent that is not constant, or an operation means something else on flat tiles.
        """
        if not is_core_function(function):
            return function
        flattener = _Flattener(function, callees, context)
        new: Function = flattener.visit(function)
        if new is function:
            return function
        types = tuple(_flat_result(kind, function.span) for kind in new.return_types)
        return without_unread(rebuilt(new, {"return_types": types}), flattener.droppable)


def _flat_result(kind: Type, span: Span) -> Type:
    return flat_type(kind, span) if is_deep(kind) else kind


class _Flattener(StatementEmitter):
    """Flattens one kernel. A Var of a deeper tile is replaced from its definition on."""

    def __init__(self, function: Function, callees: Callees, context: PassContext) -> None:
        super().__init__()
        self.ops = context.ops
        self.droppable: set[Var] = set()
        self._uses = counted_uses(function)
        self._definitions = {stmt.var: stmt.value for stmt in assignments(function) if isinstance(stmt.value, Call)}
        self._looks = Counter(call.args[0] for call in self._definitions.values() if call.op.name == "tile.reshape")
        self._stores = stores_of_products(function, self._uses)
        self._waiting: dict[Expr, Site] = {}  # products that are computed when they are stored
        self._refused: dict[Var, str] = {}  # what batched products alone can read, and why
        self._yields: dict[Var, Expr] = {}  # what a result of a loop or branch is bound to
        self._params = frozenset(function.params)
        self._changed = False
        again = loads_again(function, context.ops, callees)
        self._products = BatchProducts(self, self._definitions, again, context.hardware.capacity(MemorySpace.Mat))

    # -- what lowerings use ------------------------------------------------------------------------------------------

    def emit(self, value: Expr, hint: str, span: Span) -> Var:
        """Bind a value in front of the statement that is lowered."""
        var = super().emit(value, hint, span)
        if isinstance(value, Call) and value.op.name in READING:
            self.droppable.add(var)
        return var

    def flat(self, value: Expr) -> Expr:
        """What stands for a value now."""
        return self.visit(value)

    def matrices(self, var: Var) -> Expr:
        """The flat tile that holds the matrices of a variable, however they lie."""
        return self.substitution.get(var, var)

    # -- statements --------------------------------------------------------------------------------------------------

    def rewrite_assign(self, stmt: AssignStmt) -> Rewritten:
        value = stmt.value
        if isinstance(value, Call):
            if stmt.var in self._stores:
                self._waiting[stmt.var] = Site(value, stmt.span)
                return None
            if self._is_left_to_products(stmt.var, value):
                return None
        new = self._value(value, stmt.var.name_hint, stmt.span)
        self._changed = self._changed or new is not value
        # Before SSA a result may have the Var of a parameter; in a kernel that is changed it gets one of its own.
        made = new is not value or (self._changed and stmt.var in self._params)
        var = self._bound(stmt.var, new, made=made)
        statement = stmt if var is stmt.var and new is value else rebuilt(stmt, {"var": var, "value": new})
        looks = self._flat_look(stmt.var, var, value=new)
        return (statement, *looks) if looks else statement

    def rewrite_eval(self, stmt: EvalStmt) -> Rewritten:
        new = self._value(stmt.expr, "part", stmt.span)
        return stmt if new is stmt.expr else rebuilt(stmt, {"expr": new})

    def _value(self, value: Expr, hint: str, span: Span) -> Expr:
        if not isinstance(value, Call) or isinstance(value.op, GlobalVar) or not self.ops.has(value.op.name):
            return self.visit(value)
        site = Site(value, span)
        match value.op.name:
            case "tile.batch_matmul":
                return self._products.computed(site, hint)
            case "tile.batch_matmul_acc":
                return self._products.accumulated(site, hint)
            case "tile.store" if value.args[0] in self._waiting:
                return self._products.stored(self._waiting.pop(value.args[0]), site, hint=hint)
            case name:
                return LOWERINGS.get(name, recreated)(self, site)

    def _is_left_to_products(self, var: Var, call: Call) -> bool:
        """Whether a tile exists matrix by matrix only, made by the products that read it.

        Raises:
            UserError: its window is scattered in global memory, and its matrices cannot be loaded one by one.
        """
        source = call.args[0] if call.args else None
        if call.op.name == "tile.load" and is_scattered_load(call):
            reason = "reads rows that do not lie together: load one index of the outer dimension at a time"
            if not self._products.is_separable(call):
                raise _unreadable(var, reason, call.span)
            self._refused[var] = reason
            return True
        views = ("tile.reshape", "tile.transpose_view")
        if call.op.name not in views or not isinstance(source, Var) or source not in self._refused:
            return False
        self._refused[var] = self._refused[source]
        return True

    def visit_var(self, var: Var) -> Expr:
        if var in self._refused:
            raise _unreadable(var, self._refused[var], var.span)
        return super().visit_var(var)

    # -- variables ---------------------------------------------------------------------------------------------------

    def _bound(self, var: Var, value: Expr, *, made: bool) -> Var:
        """The Var of what the value is now: one of its own for a tile or tensor that is made in another way."""
        kind = value.type
        if not made or not isinstance(var.type, TileType | TensorType) or not isinstance(kind, TileType | TensorType):
            new = super().visit_definition(var)
        else:
            new = self.rebound(var, {"type": kind if var.type.memref is None else kind.replace(memref=var.type.memref)})
        if isinstance(value, Call) and value.op.name in READING and self._uses[var]:
            self.droppable.add(new)
        if isinstance(value, Call) and value.op.name == "tile.transpose_view" and _has_matrices(var.type):
            self._refused[var] = "is a transposed view of several matrices, which only a batched product can read"
        return new

    def _flat_look(self, old: Var, var: Var, *, value: Expr) -> tuple[Stmt, ...]:
        """What reads a tile in a shape that the author asked for, reads it as rows and columns instead."""
        if not isinstance(value, Call) or not is_deep(value.type) or self._looks[old] == self._uses[old]:
            return ()
        shape = MakeTuple(flat_type(value.type, value.span).shape, value.span)
        look = self.ops.create_call("tile.reshape", (var, shape), {}, value.span)
        flat = Var(f"{old.name_hint}_2d", look.type, old.span)
        self.substitution[old] = flat
        self.droppable.add(flat)
        return (AssignStmt(flat, look, value.span),)

    def visit_definition(self, var: Var) -> Var:
        if not is_deep(var.type):
            return super().visit_definition(var)
        if isinstance(var, IterArg):
            init = self.visit(var.init_value)
            return self.rebound(var, {"init_value": init, "type": init.type})
        source = self._yields.get(var)
        kind = flat_type(var.type, var.span) if source is None else self.visit(source).type
        return self.rebound(var, {"type": kind})

    # -- control flow ------------------------------------------------------------------------------------------------

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt:
        return self._joined(stmt, stmt.body)

    def visit_while_stmt(self, stmt: WhileStmt) -> Stmt:
        return self._joined(stmt, stmt.body)

    def visit_if_stmt(self, stmt: IfStmt) -> Stmt:
        return self._joined(stmt, stmt.then_body)

    def _joined(self, stmt: ForStmt | WhileStmt | IfStmt, body: Stmt) -> Stmt:
        self._yields.update(zip(stmt.return_vars, yielded_values(body), strict=False))
        return self.visit_node(stmt)


def _has_matrices(kind: Type) -> bool:
    return is_deep(kind) and as_int(volume(kind.shape[:-2])) != 1


def _unreadable(var: Var, reason: str, span: Span) -> UserError:
    return UserError("FLAT006", f"tile '{var.name_hint}' cannot be flattened to 2D: it {reason}", span)


def loads_again(function: Function, ops: OpRegistry, callees: Callees) -> Callable[[Call], bool]:
    """Whether a load reads the same wherever it stands: its tensor is a parameter that the kernel does not write."""
    directions = {name: callee.after.param_directions for name, callee in callees.items()}
    found = written_params(function, ops, directions=directions, returned=lambda _: None)
    unwritten = {p for p, direction in zip(function.params, found, strict=True) if direction is ParamDirection.In}
    roots = BufferRoots(function, ops, directions=directions, returned=lambda _: None)
    return lambda load: roots.root(load.args[0]) in unwritten

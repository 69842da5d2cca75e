# SPDX-License-Identifier: Apache-2.0
"""InitMemRef: every tile and tensor gets a memory reference, and every buffer of a core an allocation without address.

A store lives in its destination, an accumulator in its input, a view in its source, an alias in what it names, a carry
in its first value and a merged value in the buffer of its first branch. Each other tile gets an allocation of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.analysis.statement_walk import assignments, nested_statements, statement_vars
from pypto_build.errors import Diagnostic
from pypto_build.ir import (
    PTR_TYPE,
    AssignStmt,
    Call,
    ConstInt,
    DataType,
    Expr,
    ForStmt,
    Function,
    GlobalVar,
    IfStmt,
    IterArg,
    MemorySpace,
    MemRef,
    Program,
    Rewriter,
    ShapedType,
    Stmt,
    TensorType,
    TileType,
    Type,
    Var,
    WhileStmt,
    const_index,
    rebuilt,
    sequence,
    statements,
)
from pypto_build.ops.arithmetic import plus
from pypto_build.ops.definition import CrossCoreRole
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.declared_allocations import Allocation, DeclaredAllocations
from pypto_passes.normalize_stmt_structure import NormalizeStmtStructure
from pypto_passes.tile_storage import (
    packed_bytes,
    row_strides,
    shared_argument,
    slice_offset,
    static_shape,
    storage_bytes,
)
from pypto_passes.tuple_elements import with_all_elements

P = IRProperty
_ZERO = ConstInt(0, DataType.INT64)


@dataclass(frozen=True, slots=True)
class InitMemRef(FunctionPass):
    """Give tiles and tensors memory references, and put the allocations in front of the body."""

    name: ClassVar[str] = "InitMemRef"
    requires: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SSAForm, P.SplitIncoreOrch, P.IncoreTileOps, P.TileOps2D, P.TileMemoryInferred}
    )
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.HasMemRefs, P.NormalizedStmtStructure})
    invalidates: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm})
    after: ClassVar[tuple[str, ...]] = ("CanonicalizeIOOrder", "LowerPipelineLoops", "NormalizeReturnOrder")
    reads: ClassVar[tuple[str, ...]] = ("hardware", "memory_planner")

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function with a memory reference on every tile and tensor.

        Raises:
            UserError: a declared allocation cannot be what the tiles bound to it need.
            InternalError: a tile's extent is not constant.
        """
        flat = with_all_elements(NormalizeStmtStructure().run(function, callees, context), context.ops)
        assigner = _Assigner(flat, context)
        new: Function = assigner.visit(flat)
        allocations = assigner.allocation_statements(new)
        return new if not allocations else rebuilt(new, {"body": sequence((*allocations, *statements(new.body)))})


class _Assigner(Rewriter):
    def __init__(self, function: Function, context: PassContext) -> None:
        super().__init__()
        self._ops = context.ops
        self._hardware = context.hardware
        self._declared = DeclaredAllocations(function, context)
        self._taken = {var.name_hint for var in statement_vars(function)}
        self._count = 0
        self._allocations: dict[Var, Allocation] = {}
        self._strides: dict[Var, tuple[int, ...]] = {}
        self._results: dict[Var, Expr] = {}  # what a return variable takes its buffer from

    def allocation_statements(self, function: Function) -> list[Stmt]:
        """One `tile.alloc` per allocation of a core, in the order of first use; what is there already stays."""
        defined = {stmt.var for stmt in assignments(function)}
        return [self._allocate(base, item) for base, item in self._allocations.items() if base not in defined]

    def _allocate(self, base: Var, item: Allocation) -> Stmt:
        kwargs: dict[str, object] = {"pinned": True} if item.pinned else {}
        args = (const_index(item.space.value), const_index(item.size))
        return AssignStmt(base, self._ops.create_call("tile.alloc", args, kwargs))

    # -- definitions -----------------------------------------------------------------------------------------------

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt:
        value: Expr = self.visit(stmt.value)
        kind = self.visit_type(stmt.var.type)
        ref = self._reference(stmt, value, kind) if isinstance(kind, ShapedType) else None
        var = self._bound(stmt.var, kind, ref)
        if stmt.var in self._strides:
            self._strides[var] = self._strides[stmt.var]
        if var is stmt.var and value is stmt.value:
            return stmt
        return rebuilt(stmt, {"var": var, "value": value})

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt:
        return self._loop(stmt)

    def visit_while_stmt(self, stmt: WhileStmt) -> Stmt:
        return self._loop(stmt)

    def _loop(self, stmt: ForStmt | WhileStmt) -> Stmt:
        self._results.update(zip(stmt.return_vars, yielded_values(stmt.body), strict=False))
        return self.visit_node(stmt)

    def visit_if_stmt(self, stmt: IfStmt) -> Stmt:
        self._results.update(zip(stmt.return_vars, yielded_values(stmt.then_body), strict=False))
        return self.visit_node(stmt)

    def visit_definition(self, var: Var) -> Var:
        kind = self.visit_type(var.type)
        if isinstance(var, IterArg):
            init: Expr = self.visit(var.init_value)
            new = self._bound(var, kind, _reference_of(init))
            if init is not var.init_value:
                new = rebuilt(new, {"init_value": init})
                self.substitution[var] = new
            return new
        if not isinstance(kind, ShapedType):
            return super().visit_definition(var)
        source = self._results.get(var)
        if source is not None:
            return self._bound(var, kind, _reference_of(self.visit(source)))
        return self._bound(var, kind, self._fresh(var, kind))

    def _bound(self, var: Var, kind: Type, ref: MemRef | None) -> Var:
        """The Var with this reference in its type; a reference that an earlier run made stays."""
        if isinstance(kind, TileType | TensorType) and (kind.memref is None or kind.memref.is_pinned):
            kind = kind if ref is None and kind.memref is None else _with_reference(kind, ref)
        return self.rebound(var, {} if kind is var.type else {"type": kind})

    # -- references ------------------------------------------------------------------------------------------------

    def _reference(self, stmt: AssignStmt, value: Expr, kind: ShapedType) -> MemRef | None:
        if isinstance(value, Var):
            if value in self._strides:
                self._strides[stmt.var] = self._strides[value]
            return _reference_of(value)
        if isinstance(value, Call) and not isinstance(value.op, GlobalVar) and self._ops.has(value.op.name):
            definition = self._ops.get(value.op.name)
            if definition.cross_core_role is CrossCoreRole.TPOP:
                if isinstance(kind, TileType):
                    storage_bytes(kind, self._hardware, stmt.span)
                return None  # the tile stays in the slot of the pipe
            shared = shared_argument(value, definition)
            if shared is not None:
                self._declared.check_unbound(stmt)
                return self._view(stmt.var, value, shared, kind)
        return self._fresh(stmt.var, kind)

    def _view(self, var: Var, call: Call, shared: int, kind: ShapedType) -> MemRef | None:
        source = call.args[shared]
        ref = _reference_of(source)
        if ref is None or not isinstance(source.type, TileType) or not isinstance(kind, TileType):
            return ref
        offset, strides = ref.byte_offset, None
        if call.op.name == "tile.slice":
            strides = self._strides.get(source) if isinstance(source, Var) else None
            strides = strides or row_strides(source.type)
            start = slice_offset(call, strides)
            offset = start if _is_zero(offset) else plus(offset, start)
            if strides is not None and len(strides) == len(kind.shape):
                self._strides[var] = strides
        size = _view_bytes(kind, ref.size)
        if size == ref.size and offset is ref.byte_offset:
            return ref
        return rebuilt(ref, {"byte_offset": offset, "size": size})

    def _fresh(self, var: Var, kind: ShapedType) -> MemRef | None:
        if not isinstance(kind, TileType | TensorType) or (kind.memref is not None and not kind.memref.is_pinned):
            return None
        declared = self._declared.reference(kind)
        if declared is not None:
            ref, allocation = declared
            self._allocations.setdefault(ref.base, allocation)
            return ref
        space = (kind.memory_space if isinstance(kind, TileType) else None) or MemorySpace.DDR
        size = storage_bytes(kind, self._hardware, var.span)
        base = Var(self._name(space), PTR_TYPE)
        if space is not MemorySpace.DDR or isinstance(kind, TileType):
            self._allocations[base] = Allocation(space, size)
        return MemRef(base.name_hint, base=base, byte_offset=_ZERO, size=size)

    def _name(self, space: MemorySpace) -> str:
        while True:
            name = f"mem_{space.name.lower()}_{self._count}"
            self._count += 1
            if name not in self._taken:
                return name


def _with_reference(kind: TileType | TensorType, ref: MemRef | None) -> Type:
    """The type with a reference; a tile that nobody has given a space is in global memory from now on."""
    if isinstance(kind, TileType) and kind.memory_space is None and ref is not None:
        return rebuilt(kind, {"memref": ref, "memory_space": MemorySpace.DDR})
    return rebuilt(kind, {"memref": ref})


def _view_bytes(kind: TileType, whole: int) -> int:
    shape = static_shape(kind)
    if shape is None:
        return whole
    size = 1
    for extent in shape:
        size *= extent
    return packed_bytes(size, kind.dtype)


def _reference_of(value: Expr) -> MemRef | None:
    kind = value.type
    return kind.memref if isinstance(kind, TileType | TensorType) else None


def _is_zero(offset: Expr) -> bool:
    return isinstance(offset, ConstInt) and offset.value == 0


# -- the property ------------------------------------------------------------------------------------------------------


def verify_has_mem_refs(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every tile of a function has a memory reference, except what stays in the slot of a pipe."""
    for function in program.functions.values():
        free = set(_pipe_tiles(function, context))
        for var in statement_vars(function):
            kind = var.type
            if isinstance(kind, TileType) and kind.memref is None and var not in free:
                text = f"tile '{var.name_hint}' in function '{function.name}' has no memory reference"
                yield Diagnostic("error", "HasMemRefs", text, var.span)


def _pipe_tiles(function: Function, context: PassContext) -> Iterable[Var]:
    free: set[Var] = set()
    for stmt in nested_statements(function.body):
        if isinstance(stmt, AssignStmt) and _stays_in_pipe(stmt.value, free, context):
            free.add(stmt.var)
        elif not isinstance(stmt, AssignStmt):
            free.update(_merged_from(stmt, free))
    return free


def _stays_in_pipe(value: Expr, free: set[Var], context: PassContext) -> bool:
    if isinstance(value, Var):
        return value in free
    if not isinstance(value, Call) or isinstance(value.op, GlobalVar) or not context.ops.has(value.op.name):
        return False
    definition = context.ops.get(value.op.name)
    if definition.cross_core_role is CrossCoreRole.TPOP:
        return True
    shared = shared_argument(value, definition)
    return shared is not None and value.args[shared] in free


def _merged_from(stmt: Stmt, free: set[Var]) -> Iterable[Var]:
    if isinstance(stmt, IfStmt):
        yield from (v for v, y in zip(stmt.return_vars, yielded_values(stmt.then_body), strict=False) if y in free)
    elif isinstance(stmt, ForStmt | WhileStmt):
        for arg, var in zip(stmt.iter_args, stmt.return_vars, strict=False):
            if arg.init_value in free:
                yield arg
                yield var

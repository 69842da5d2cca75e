# SPDX-License-Identifier: Apache-2.0
"""ConvertTensorToTileOps: a kernel written with tensors gets loads, tile operations and stores.

Parameters that are computed with are loaded at the entry; a result that ends as a tile is stored into an `Out`
parameter that the kernel gets for it, and every caller creates the tensor that it passes there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, cast

from pypto_build.analysis.buffer_roots import BufferRoots
from pypto_build.analysis.names import NameCounter, base_name
from pypto_build.analysis.return_lineage import yielded_values
from pypto_build.errors import Diagnostic
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    FunctionType,
    GlobalVar,
    IfStmt,
    IterArg,
    MakeTuple,
    MemorySpace,
    ParamDirection,
    Program,
    ReturnStmt,
    Rewriter,
    Stmt,
    Submit,
    TensorLayout,
    TensorType,
    TileType,
    Var,
    WhileStmt,
    collect,
    defined_vars,
    rebuilt,
    sequence,
    statements,
)
from pypto_build.passes import Callee, Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.tensor_conversions import SELF_LOADING, UNCHANGED, conversion, is_global, loaded, zeros
from pypto_passes.written_params import written_params

P = IRProperty
_WRAPPERS = (FunctionType.Spmd, FunctionType.Group)
_VIEWS = ("tensor.slice", "tensor.reshape", "tensor.reinterpret_view", "tensor.set_validshape")


@dataclass(frozen=True, slots=True)
class ConvertTensorToTileOps(FunctionPass):
    """Make tile operations of the tensor operations of kernels, and pass the tensors that their results go to."""

    name: ClassVar[str] = "ConvertTensorToTileOps"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm, P.SplitIncoreOrch, P.NormalizedStmtStructure})
    produces: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SSAForm, P.IncoreTileOps, P.NormalizedStmtStructure, P.AivSplitValid}
    )
    invalidates: ClassVar[frozenset[IRProperty]] = frozenset({P.AivSplitValid})
    after: ClassVar[tuple[str, ...]] = ("OutlineIncoreScopes", "FlattenCallExpr")

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """A kernel without tensor computations; a caller with the tensors that its kernels' results need.

        Raises:
            UserError: a tensor operation has no tile operation that does the same.
        """
        if function.func_type is FunctionType.InCore:
            return _Kernel(function, callees, context).converted()
        if any(_added(callee) for callee in callees.values()):
            return _with_outputs(function, callees, context)
        return function


# -- kernels -----------------------------------------------------------------------------------------------------------


class _Kernel(Rewriter):
    """Converts one kernel. A Var of a tensor that became a tile is replaced from its definition on."""

    def __init__(self, function: Function, callees: Callees, context: PassContext) -> None:
        super().__init__()
        self.ops = context.ops
        self._function = function
        self._directions = {name: callee.after.param_directions for name, callee in callees.items()}
        self._roots = BufferRoots(function, context.ops, directions=self._directions, returned=lambda _: None)
        self._mat = _matrix_operands(function)
        self._yields: dict[Var, Expr] = {}  # what a result of a loop or branch is bound to
        self._global_carries = _global_carries(function, self._roots)
        self._before: list[Stmt] = []
        self._outputs: list[Var] = []
        self._counter = NameCounter()
        for var in defined_vars([function]):
            self._counter.seen(var.name_hint)

    def converted(self) -> Function:
        """The kernel; the same object when it has no tensor operation to convert."""
        entry = [self._load(param) for param in self._loaded_params()]
        body = self.visit_body(self._function.body)
        if not entry and body is self._function.body:
            return self._function
        new = rebuilt(self._function, {"body": sequence((*entry, *statements(body)), body.span)})
        params = (*new.params, *self._outputs)
        directions = (*new.param_directions, *(ParamDirection.Out for _ in self._outputs))
        new = rebuilt(new, {"params": params, "param_directions": directions})
        found = written_params(new, self.ops, directions=self._directions, returned=lambda _: None)
        upgraded = tuple(
            inferred if given is ParamDirection.In else given for given, inferred in zip(directions, found, strict=True)
        )
        return rebuilt(new, {"param_directions": upgraded})

    def _loaded_params(self) -> list[Var]:
        """Parameters that a converted operation reads, or that a loop starts from and carries as a tile."""
        found: set[Expr] = set()
        for call in collect(self._function.body, Call):
            name = call.op.name
            if name.startswith("tensor.") and name not in SELF_LOADING and name not in UNCHANGED:
                found.update(call.args)
        for loop in collect(self._function.body, ForStmt, WhileStmt):
            found.update(arg.init_value for arg in loop.iter_args if is_global(arg) and arg not in self._global_carries)
        return [param for param in self._function.params if param in found and is_global(param)]

    def _load(self, param: Var) -> Stmt:
        call = loaded(self, param, MemorySpace.Vec, param.span)
        var = Var(self._name(param.name_hint, "tile"), call.type, param.span)
        self.substitution[param] = var
        return AssignStmt(var, call, param.span)

    def emit(self, call: Expr, hint: str) -> Var:
        """Bind a value in front of the statement that is converted."""
        var = Var(self._name(hint, "tile"), call.type, call.span)
        self._before.append(AssignStmt(var, call, call.span))
        return var

    def wants_mat(self, call: Call) -> bool:
        """Whether the result of a call ends up as an operand of a matrix product."""
        return call in self._mat

    def _name(self, name: str, role: str) -> str:
        return self._counter.fresh(base_name(name), role)

    # -- statements --------------------------------------------------------------------------------------------------

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...]:
        outer, self._before = self._before, []
        value = self._value(stmt.value)
        var = self._bound(stmt.var, value)
        new = stmt if var is stmt.var and value is stmt.value else rebuilt(stmt, {"var": var, "value": value})
        before, self._before = self._before, outer
        return (*before, new) if before else new

    def visit_eval_stmt(self, stmt: EvalStmt) -> Stmt | tuple[Stmt, ...]:
        outer, self._before = self._before, []
        value = self._value(stmt.expr)
        new = stmt if value is stmt.expr else rebuilt(stmt, {"expr": value})
        before, self._before = self._before, outer
        return (*before, new) if before else new

    def visit_return_stmt(self, stmt: ReturnStmt) -> Stmt | tuple[Stmt, ...]:
        stores: list[Stmt] = []
        values: list[Expr] = []
        for index, value in enumerate(stmt.value):
            new = value if value in self._function.params else self.visit(value)
            wanted = self._function.return_types[index] if index < len(self._function.return_types) else new.type
            if isinstance(new.type, TileType) and isinstance(wanted, TensorType):
                new = self._stored(new, wanted, index, stores=stores, stmt=stmt)
            values.append(new)
        if all(a is b for a, b in zip(values, stmt.value, strict=True)):
            return stmt
        return (*stores, rebuilt(stmt, {"value": tuple(values)}))

    def _stored(self, tile: Expr, kind: TensorType, index: int, *, stores: list[Stmt], stmt: ReturnStmt) -> Expr:
        output = Var(self._name(f"ret{index}", "out"), kind, stmt.span)
        self._outputs.append(output)
        call = self.ops.create_call("tile.store", (tile, zeros(len(kind.shape)), output), {}, stmt.span)
        var = Var(self._name(f"ret{index}", "store"), call.type, stmt.span)
        stores.append(AssignStmt(var, call, stmt.span))
        return var

    # -- control flow ------------------------------------------------------------------------------------------------

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt:
        return self._loop(stmt)

    def visit_while_stmt(self, stmt: WhileStmt) -> Stmt:
        return self._loop(stmt)

    def _loop(self, stmt: ForStmt | WhileStmt) -> Stmt:
        self._yields.update(zip(stmt.return_vars, yielded_values(stmt.body), strict=False))
        return self.visit_node(stmt)

    def visit_if_stmt(self, stmt: IfStmt) -> Stmt:
        self._yields.update(zip(stmt.return_vars, yielded_values(stmt.then_body), strict=False))
        return self.visit_node(stmt)

    def visit_definition(self, var: Var) -> Var:
        if isinstance(var, IterArg):
            return self._carry(var)
        source = self._yields.get(var)
        return super().visit_definition(var) if source is None else self._bound(var, self.visit(source), renamed=False)

    def _carry(self, arg: IterArg) -> Var:
        in_place = arg in self._global_carries and arg.init_value in self._function.params
        init = arg.init_value if in_place else self.visit(arg.init_value)
        if init is arg.init_value:
            return arg
        kind = init.type if isinstance(init.type, TileType) and is_global(arg) else self.visit_type(arg.type)
        return self.rebound(arg, {"init_value": init, "type": kind})

    def _bound(self, var: Var, value: Expr, *, renamed: bool = True) -> Var:
        """The Var with the type that its value has now; a tensor that became a tile gets a name that says so."""
        kind = value.type
        if not isinstance(var.type, TensorType) or not isinstance(kind, TileType):
            return super().visit_definition(var)
        name = self._name(var.name_hint, "tile") if renamed else var.name_hint
        new = Var(name, kind, var.span)
        self.substitution[var] = new
        return new

    # -- values ------------------------------------------------------------------------------------------------------

    def _value(self, value: Expr) -> Expr:
        if not isinstance(value, Call) or isinstance(value.op, GlobalVar) or not _is_converted(value):
            return self.visit(value)
        if value.op.name in SELF_LOADING:
            args = [arg if arg in self._function.params else self.visit(arg) for arg in value.args]
        else:
            args = [self.visit(arg) for arg in value.args]
        new = conversion(value.op.name)(self, value, args)
        return value if _same_call(new, value) else new


def _global_carries(function: Function, roots: BufferRoots) -> set[Var]:
    """Carries of a buffer in global memory that each iteration updates in place."""
    return {
        arg
        for loop in collect(function.body, ForStmt, WhileStmt)
        for arg, value in zip(loop.iter_args, yielded_values(loop.body), strict=False)
        if is_global(arg) and roots.root(value) is roots.root(arg.init_value)
    }


def _is_converted(call: Call) -> bool:
    return call.op.name.startswith("tensor.") and call.op.name not in UNCHANGED


def _same_call(new: Expr, old: Call) -> bool:
    """Whether a conversion left an access to global memory as it was."""
    return isinstance(new, Call) and new.op == old.op and all(a is b for a, b in zip(new.args, old.args, strict=False))


def _matrix_operands(function: Function) -> set[Expr]:
    """The calls whose results reach an operand of a matrix product, through views and other names."""
    definitions = {stmt.var: stmt.value for stmt in collect(function.body, AssignStmt)}
    found: set[Expr] = set()
    for call in collect(function.body, Call):
        operands = {"tensor.matmul": call.args[:2], "tensor.matmul_acc": call.args[1:3]}.get(call.op.name, ())
        for operand in operands:
            _trace(operand, definitions, found)
    return found


def _trace(value: Expr, definitions: dict[Var, Expr], found: set[Expr]) -> None:
    source: Expr | None = value
    while isinstance(source, Var) and source in definitions:
        made = definitions[source]
        if isinstance(made, Call):
            found.add(made)
            source = made.args[0] if made.op.name in _VIEWS else None
        else:
            source = made


# -- callers -----------------------------------------------------------------------------------------------------------


def _added(callee: Callee) -> tuple[Var, ...]:
    """The output parameters that a callee got."""
    return callee.after.params[len(callee.before.params) :]


def _with_outputs(function: Function, callees: Callees, context: PassContext) -> Function:
    wrapper = function.func_type in _WRAPPERS
    caller = _Caller(callees, context, wrapper=wrapper)
    body = caller.visit_body(function.body)
    new = rebuilt(function, {"body": body})
    if not caller.forwarded:
        return new
    params = (*new.params, *caller.forwarded)
    directions = (*new.param_directions, *(ParamDirection.Out for _ in caller.forwarded))
    return rebuilt(new, {"params": params, "param_directions": directions})


class _Caller(Rewriter):
    """Creates the tensors for the outputs that callees got; a wrapper hands on outputs of its own instead."""

    def __init__(self, callees: Callees, context: PassContext, *, wrapper: bool) -> None:
        super().__init__()
        self._callees = callees
        self._ops = context.ops
        self._wrapper = wrapper
        self._before: list[Stmt] = []
        self.forwarded: list[Var] = []

    def visit_stmt(self, stmt: Stmt) -> Stmt | tuple[Stmt, ...]:
        outer, self._before = self._before, []
        new: Stmt = self.visit_node(stmt)
        before, self._before = self._before, outer
        return (*before, new) if before else new

    def visit_call(self, call: Call) -> Expr:
        return self._extended(self.visit_node(call))

    def visit_submit(self, call: Submit) -> Expr:
        return self._extended(self.visit_node(call))

    def _extended(self, call: Call | Submit) -> Expr:
        callee = self._callees.of(call.op)
        added = () if callee is None else _added(callee)
        if not added:
            return call
        return rebuilt(call, {"args": (*call.args, *(self._output(param) for param in added))})

    def _output(self, param: Var) -> Var:
        kind = cast(TensorType, param.type)
        if self._wrapper:
            var = Var(param.name_hint, kind, param.span)
            self.forwarded.append(var)
            return var
        create = self._ops.create_call("tensor.create", (MakeTuple(kind.shape),), _creation(kind), param.span)
        var = Var(param.name_hint, create.type, param.span)
        self._before.append(AssignStmt(var, create, param.span))
        return var


def _creation(kind: TensorType) -> dict[str, object]:
    layout = kind.tensor_view.layout if kind.tensor_view is not None else TensorLayout.ND
    return {"dtype": kind.dtype, "layout": layout}


# -- the property ------------------------------------------------------------------------------------------------------


def verify_incore_tile_ops(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """A kernel computes with tiles; of tensors it only reads and writes elements."""
    del context
    allowed = {*UNCHANGED, "tensor.read", "tensor.write"}
    for function in program.functions.values():
        if function.func_type is not FunctionType.InCore:
            continue
        for call in collect(function.body, Call):
            if call.op.name.startswith("tensor.") and call.op.name not in allowed:
                text = f"{call.op.name} in kernel '{function.name}' works on tensors: it should be a tile operation"
                yield Diagnostic("error", "IncoreTileOps", text, call.span)

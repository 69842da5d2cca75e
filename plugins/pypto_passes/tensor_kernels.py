# SPDX-License-Identifier: Apache-2.0
"""Converting one kernel: loads at the entry, each tensor operation by its conversion, stores before the return.

A Var of a tensor that became a tile is replaced from its definition on. A parameter keeps its name for those who write
to it or look at it in global memory; its tile has another.
"""

from __future__ import annotations

from pypto_build.analysis.names import NameCounter, base_name
from pypto_build.ir import (
    AssignStmt,
    Call,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    IterArg,
    ParamDirection,
    ReturnStmt,
    Rewriter,
    Stmt,
    TensorType,
    TileType,
    TupleType,
    Type,
    Var,
    WhileStmt,
    YieldStmt,
    defined_vars,
    rebuilt,
    same_value,
    sequence,
    statements,
)
from pypto_build.ops import OpRegistry
from pypto_passes.tensor_conversions import Building, Surroundings, conversion, is_global
from pypto_passes.tensor_conversions.building import zeros
from pypto_passes.tensor_places import tensor_places


def converted_kernel(function: Function, ops: OpRegistry, *, flat_gather: bool) -> Function:
    """The kernel with tile operations and an output parameter for each result that is a tile; the same if it has none.

    Raises:
        UserError: a tensor operation has no tile operation that does the same.
    """
    return _Kernel(function, ops, flat_gather=flat_gather).converted()


class _Kernel(Rewriter):
    def __init__(self, function: Function, ops: OpRegistry, *, flat_gather: bool) -> None:
        super().__init__()
        self._function = function
        self._ops = ops
        self._places = tensor_places(function, ops)
        self._tiles: dict[Expr, Var] = {}
        self._around = Surroundings(ops, self._tiles, self._places.in_mat, self._places.written, flat_gather)
        self._outputs: dict[int, Var] = {}
        self._merges: list[tuple[Var, ...]] = []  # what the yields of the bodies around go to
        self._kinds: dict[Var, Type] = {}  # of the results of branches that are tiles
        self._carried: dict[Var, IterArg] = {}  # by the result of the loop
        self._entering = Building(self._around, function.span)
        self._shadowed: list[list[tuple[Var, Expr]]] = []  # by the bodies around: what their Vars stood for before
        self._names = NameCounter()
        for var in defined_vars([function]):
            self._names.seen(var.name_hint)

    def converted(self) -> Function:
        entry = [self._loaded(param) for param in self._places.loaded]
        body = self.visit_body(self._function.body)
        if not entry and body is self._function.body:
            return self._function
        outputs = [self._outputs[position] for position in sorted(self._outputs)]
        made = [*entry, *statements(body)]
        if not isinstance(made[-1], ReturnStmt):  # what is put at the end of a kernel later goes in front of its return
            made.append(ReturnStmt((), body.span))
        changes = {
            "body": sequence(made, body.span),
            "params": (*self._function.params, *outputs),
            "param_directions": (*self._function.param_directions, *(ParamDirection.Out for _ in outputs)),
        }
        return rebuilt(self._function, changes)

    def _loaded(self, param: Var) -> Stmt:
        load = Building(self._around, param.span).load(param)
        var = Var(self._name(param.name_hint, "tile"), load.type, param.span)
        self._tiles[param] = var
        return AssignStmt(var, load, param.span)

    def _name(self, name: str, role: str) -> str:
        return self._names.only_one(base_name(name), role)

    def _output(self, position: int) -> Var:
        """The parameter for a returned tile."""
        if position not in self._outputs:
            kind = self._function.return_types[position]
            self._outputs[position] = Var(self._name(f"ret{position}", "out"), kind, self._function.span)
        return self._outputs[position]

    # -- statements --------------------------------------------------------------------------------------------------

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...] | None:
        position = self._places.outputs.get(stmt.var)
        if position is not None:
            self.substitution[stmt.var] = self._output(position)
            return None
        building = Building(self._around, stmt.value.span)
        value = self._value(stmt.value, building)
        if stmt.var in self._places.tiles and is_global(value):
            value = building.tile(value)
        var = self._bound(stmt.var, value, renamed=value is not stmt.value and isinstance(stmt.value, Call))
        new = stmt if var is stmt.var and value is stmt.value else rebuilt(stmt, {"var": var, "value": value})
        return (*building.statements, new) if building.statements else new

    def _bound(self, var: Var, value: Expr, *, renamed: bool) -> Var:
        """The Var of a value: a new one where the operation was converted, or where the value has become a tile."""
        if isinstance(value.type, TupleType) and not same_value(var.type, value.type):
            return self.rebound(var, {"type": value.type})
        if not isinstance(var.type, TensorType) or not (renamed or isinstance(value.type, TileType)):
            return super().visit_definition(var)
        name = self._name(var.name_hint, "tile") if renamed else var.name_hint
        if var in self.substitution or var in self._function.params:
            self._shadowed[-1].append((var, self.substitution.get(var, var)))
        return self.rebound(var, {"name_hint": name, "type": value.type})

    def visit_body(self, body: Stmt) -> Stmt:
        """A body; a Var that it binds again means what it meant before when the body ends."""
        self._shadowed.append([])
        new = super().visit_body(body)
        for var, before in reversed(self._shadowed.pop()):
            self.substitution[var] = before
        return new

    def visit_eval_stmt(self, stmt: EvalStmt) -> Stmt | tuple[Stmt, ...]:
        building = Building(self._around, stmt.expr.span)
        value = self._value(stmt.expr, building)
        if value is stmt.expr:
            return stmt
        if isinstance(value, Var):
            return tuple(building.statements)
        return (*building.statements, rebuilt(stmt, {"expr": value}))

    def visit_return_stmt(self, stmt: ReturnStmt) -> Stmt | tuple[Stmt, ...]:
        building = Building(self._around, stmt.span)
        values = [self._returned(value, position, building) for position, value in enumerate(stmt.value)]
        return self._ended(stmt, values, building)

    def visit_yield_stmt(self, stmt: YieldStmt) -> Stmt | tuple[Stmt, ...]:
        building = Building(self._around, stmt.span)
        values = [self.visit(value) for value in stmt.value]
        for position, target in enumerate(self._merges[-1] if self._merges else ()):
            if target in self._places.tiles:
                values[position] = building.tile(values[position])
                self._kinds[target] = values[position].type
        return self._ended(stmt, values, building)

    @staticmethod
    def _ended(stmt: ReturnStmt | YieldStmt, values: list[Expr], building: Building) -> Stmt | tuple[Stmt, ...]:
        if all(new is old for new, old in zip(values, stmt.value, strict=True)):
            return stmt
        new = rebuilt(stmt, {"value": tuple(values)})
        return (*building.statements, new) if building.statements else new

    def _returned(self, value: Expr, position: int, building: Building) -> Expr:
        new: Expr = self.visit(value)
        kind = value.type
        if not isinstance(kind, TensorType) or is_global(new):
            return new
        store = building.op("tile.store", new, zeros(len(kind.shape)), self._output(position))
        return building.let(self._name(f"ret{position}", "store"), store)

    # -- control flow ------------------------------------------------------------------------------------------------

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt | tuple[Stmt, ...]:
        return self._loop(stmt)

    def visit_while_stmt(self, stmt: WhileStmt) -> Stmt | tuple[Stmt, ...]:
        return self._loop(stmt)

    def _loop(self, stmt: ForStmt | WhileStmt) -> Stmt | tuple[Stmt, ...]:
        """A loop, behind the loads of what enters its tiles."""
        outer, self._entering = self._entering, Building(self._around, stmt.span)
        entering = self._entering
        self._carried.update(zip(stmt.return_vars, stmt.iter_args, strict=False))
        self._merges.append(stmt.iter_args)
        new = self.visit_node(stmt)
        self._merges.pop()
        self._entering = outer
        return (*entering.statements, new) if entering.statements else new

    def visit_if_stmt(self, stmt: IfStmt) -> Stmt:
        self._merges.append(stmt.return_vars)
        new = self.visit_node(stmt)
        self._merges.pop()
        return new

    def visit_definition(self, var: Var) -> Var:
        if isinstance(var, IterArg):
            return self._carry(var)
        if var not in self._places.tiles:
            return super().visit_definition(var)
        arg = self._carried.get(var)
        kind = self._kinds[var] if arg is None else self.visit(arg).type
        return self.rebound(var, {"type": kind})

    def _carry(self, arg: IterArg) -> Var:
        init = self.visit(arg.init_value)
        if arg not in self._places.tiles:
            return super().visit_definition(arg) if init is arg.init_value else self.rebound(arg, {"init_value": init})
        init = self._entering.tile(init)
        return self.rebound(arg, {"init_value": init, "type": init.type})

    # -- values ------------------------------------------------------------------------------------------------------

    def _value(self, value: Expr, building: Building) -> Expr:
        convert = conversion(value, self._ops) if isinstance(value, Call) else None
        if convert is None or not isinstance(value, Call):
            return self.visit(value)
        new = convert(building, value, [self.visit(arg) for arg in value.args])
        return value if _same_call(new, value) else new


def _same_call(new: Expr, old: Call) -> bool:
    """Whether a conversion left an access to global memory as it was."""
    return isinstance(new, Call) and new.op == old.op and all(a is b for a, b in zip(new.args, old.args, strict=False))

# SPDX-License-Identifier: Apache-2.0
"""ConvertToSSA: every variable is assigned once; branches and loops carry what they change.

Requirements SSA-1 to SSA-68. A variable is its Var object, not its name. The walk keeps the current version of each
variable; a branch that changes one yields it, a loop that changes one carries it from iteration to iteration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.names import NameCounter, base_name
from pypto_build.errors import InternalError
from pypto_build.ir import (
    AssignStmt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    IterArg,
    Level,
    Node,
    ParamDirection,
    Rewriter,
    Role,
    ScalarType,
    ScopeStmt,
    SeqStmts,
    SpmdScopeStmt,
    Stmt,
    Type,
    Var,
    WhileStmt,
    YieldStmt,
    map_attrs,
    map_tuple,
    rebuilt,
    sequence,
)
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.first_values import FirstValues, symbols_of
from pypto_passes.ssa_needs import Needs
from pypto_passes.ssa_versions import (
    LoopParts,
    assigned_type,
    by_name,
    diverges,
    kept_role,
    same_items,
    with_yields,
)
from pypto_passes.version_reads import VersionReads


@dataclass(frozen=True, slots=True)
class ConvertToSSA(FunctionPass):
    """Rename so that every variable is assigned once, with phis at branches and carries through loops."""

    name: ClassVar[str] = "ConvertToSSA"
    produces: ClassVar[frozenset[IRProperty]] = frozenset({IRProperty.SSAForm})
    invalidates: ClassVar[frozenset[IRProperty]] = frozenset({IRProperty.NormalizedStmtStructure})
    before: ClassVar[tuple[str, ...]] = ("FlattenCallExpr", "OutlineIncoreScopes")  # they make names of their own
    after: ClassVar[tuple[str, ...]] = ("InlineFunctions", "UnrollLoops", "CtrlFlowTransform")

    refuse_unbound: bool = True
    """Whether a variable that is read where it may have no value is refused; else the verifier of SSA form finds it."""

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function in SSA form; the same object when it is already, with versioned names.

        Raises:
            UserError: a variable may have no value where it is read.
        """
        del callees, context
        if _is_host_body(function):
            return function
        return _Converter(function, refuse_unbound=self.refuse_unbound).convert()


def _is_host_body(function: Function) -> bool:
    """A host function's body is opaque Python. Source: SSA-61."""
    return function.role is Role.SubWorker and function.level is not None and function.level.value >= Level.HOST.value


class _Converter:
    """One function on its way into SSA form."""

    def __init__(self, function: Function, *, refuse_unbound: bool) -> None:
        self.function = function
        self.needs = Needs(function)
        self.names = NameCounter()
        self.first = FirstValues(
            lambda var: self.names.fresh(base_name(var.name_hint), "ssa"),
            symbols=symbols_of(function),
            refuse=refuse_unbound,
        )
        self.current: dict[Var, Expr] = {}
        self.outputs: list[Var] = []  # the new Out and InOut parameters, for escaping variables
        self._reads = VersionReads(self.needs.assigned(function.body) if refuse_unbound else ())

    def convert(self) -> Function:
        """The converted function."""
        function = self.function
        params = self._parameters(function.params)
        self.outputs = [
            param
            for param, direction in zip(params, function.param_directions, strict=True)
            if direction is not ParamDirection.In
        ]
        types = map_tuple(function.return_types, self._type)
        attrs = map_attrs(function.attrs, self._expr)
        body = self._stmt(function.body)
        if params is function.params and body is function.body and types is function.return_types:
            return function if attrs is function.attrs else rebuilt(function, {"attrs": attrs})
        return rebuilt(function, {"params": params, "return_types": types, "attrs": attrs, "body": body})

    # -- variables and expressions ---------------------------------------------------------------------------------

    def _parameters(self, params: tuple[Var, ...]) -> tuple[Var, ...]:
        """The versions of the parameters, scalars first: a shape may name one that stands later in the list."""
        in_order = sorted(params, key=lambda param: not isinstance(param.type, ScalarType))
        versions = {param: self._define(param, "ssa") for param in in_order}
        new = tuple(versions[param] for param in params)
        return params if same_items(params, new) else new

    def _define(self, var: Var, role: str, kind: Type | None = None) -> Var:
        """The next version of a variable; the Var itself if it has just that name and type already."""
        role = kept_role(var.name_hint, role)
        name = self.names.fresh(base_name(var.name_hint), role)
        kind = self._type(var.type if kind is None else kind)
        kept = name == var.name_hint and kind is var.type and type(var) is Var
        new = var if kept else Var(name, kind, var.span)
        self.current[var] = new
        return new

    def _renaming(self) -> Rewriter:
        self._reads.substitution = self.current
        return self._reads

    def _expr(self, expr: Node) -> Expr:
        return self._renaming().visit(expr)

    def _type(self, kind: Type) -> Type:
        return self._renaming().visit_type(kind)

    # -- statements ------------------------------------------------------------------------------------------------

    def _sequence(self, seq: SeqStmts) -> Stmt:
        for position, stmt in enumerate(seq.stmts[:-1]):
            if isinstance(stmt, YieldStmt):
                raise InternalError(f"YieldStmt at position {position} of {len(seq.stmts)} is not the last", stmt.span)
        new = map_tuple(seq.stmts, self._stmt)
        return seq if new is seq.stmts else sequence(new, seq.span)

    def _stmt(self, stmt: Stmt) -> Stmt:
        self._reads.place = stmt.span
        match stmt:
            case AssignStmt():
                return self._assign(stmt)
            case SeqStmts():
                return self._sequence(stmt)
            case IfStmt():
                return self._if(stmt)
            case ForStmt():
                return self._for(stmt)
            case WhileStmt():
                return self._while(stmt)
            case ScopeStmt():
                return self._scope(stmt)
            case _:
                return self._renaming().visit_node(stmt)

    def _assign(self, stmt: AssignStmt) -> Stmt:
        value = self._expr(stmt.value)
        var = self._define(stmt.var, "ssa", assigned_type(stmt.var.type, value))
        if var is stmt.var and value is stmt.value:
            return stmt
        return AssignStmt(var, value, stmt.span, stmt.leading_comments)

    def _scope(self, scope: ScopeStmt) -> Stmt:
        changes: dict[str, object] = {}
        attrs = map_attrs(scope.attrs, self._expr)  # attributes belong to the state before the body (SSA-58)
        if attrs is not scope.attrs:
            changes["attrs"] = attrs
        if isinstance(scope, SpmdScopeStmt):
            core_num = self._expr(scope.core_num)
            if core_num is not scope.core_num:
                changes["core_num"] = core_num
        body = self._stmt(scope.body)
        if body is not scope.body:
            changes["body"] = body
        return rebuilt(scope, changes) if changes else scope

    # -- branches --------------------------------------------------------------------------------------------------

    def _if(self, stmt: IfStmt) -> Stmt:
        condition = self._expr(stmt.condition)
        before = dict(self.current)
        then_body, then_versions = self._branch(stmt.then_body, before)
        else_body: Stmt | None
        else_body, else_versions = self._branch(stmt.else_body, before)
        changed = [
            var
            for var in by_name(self.needs.assigned(stmt))
            if var not in stmt.return_vars and diverges(then_versions.get(var), else_versions.get(var))
        ]
        self.current = before
        phis = tuple(self._define(var, "phi", then_versions[var].type) for var in changed)
        results = tuple(self._define(var, "rv") for var in stmt.return_vars)
        if changed:
            then_body = with_yields(then_body, [then_versions[v] for v in changed])
            else_body = with_yields(else_body, [else_versions[v] for v in changed])
        elif stmt.else_body is None:
            else_body = None
        results = (*results, *phis)
        same_bodies = then_body is stmt.then_body and else_body is stmt.else_body
        if condition is stmt.condition and same_bodies and same_items(results, stmt.return_vars):
            return stmt
        return IfStmt(condition, then_body, else_body, results, stmt.span, stmt.leading_comments)

    def _branch(self, body: Stmt | None, before: dict[Var, Expr]) -> tuple[Stmt, dict[Var, Expr]]:
        self.current = dict(before)
        converted = self._stmt(body) if body is not None else SeqStmts(())
        return converted, self.current

    # -- loops -----------------------------------------------------------------------------------------------------

    def _for(self, stmt: ForStmt) -> Stmt:
        bounds = tuple(self._expr(bound) for bound in (stmt.start, stmt.stop, stmt.step))
        attrs = map_attrs(stmt.attrs, self._expr)
        loop_var: list[Var] = []

        def enter() -> None:
            loop_var.append(self._define(stmt.loop_var, "idx"))

        parts = self._loop(stmt, enter)
        same_bounds = same_items(bounds, (stmt.start, stmt.stop, stmt.step))
        same_rest = loop_var[0] is stmt.loop_var and attrs is stmt.attrs
        if same_bounds and same_rest and parts.are_those_of(stmt):
            return stmt
        changes = dict(zip(("start", "stop", "step"), bounds, strict=True))
        loop = rebuilt(stmt, {**changes, "loop_var": loop_var[0], "attrs": attrs, **parts.fields()})
        return sequence((*parts.before, loop), stmt.span)

    def _while(self, stmt: WhileStmt) -> Stmt:
        condition: list[Expr] = []

        def enter() -> None:
            condition.append(self._expr(stmt.condition))  # reads what the iteration was entered with (SSA-43)

        parts = self._loop(stmt, enter)
        if condition[0] is stmt.condition and parts.are_those_of(stmt):
            return stmt
        loop = rebuilt(stmt, {"condition": condition[0], **parts.fields()})
        return sequence((*parts.before, loop), stmt.span)

    def _loop(self, stmt: ForStmt | WhileStmt, enter: Callable[[], None]) -> LoopParts:
        """The carries, the body and the results: those of the program first, then changed ones, then escaping ones."""
        before = dict(self.current)
        own = {*stmt.iter_args, *((stmt.loop_var,) if isinstance(stmt, ForStmt) else ())}
        assigned = [var for var in by_name(self.needs.assigned(stmt.body)) if var not in own]
        needed = self.needs.after(stmt)
        carried = [var for var in assigned if var in before]
        escaping = [var for var in assigned if var not in before and var in needed]
        inits = [self._expr(arg.init_value) for arg in stmt.iter_args]
        inits += [before[var] for var in carried]
        inits += [self._first_value(var) for var in escaping]
        made = self.first.take()
        iter_args = tuple(
            self._carry(var, init) for var, init in zip((*stmt.iter_args, *carried, *escaping), inits, strict=True)
        )
        enter()
        body = self._stmt(stmt.body)
        extra = [self.current[var] for var in (*carried, *escaping)]
        if extra:
            body = with_yields(body, extra)
        self.current = before
        results = tuple(self._define(var, "rv") for var in stmt.return_vars)
        results += tuple(
            self._define(var, "rv", arg.type)
            for var, arg in zip((*carried, *escaping), iter_args[len(stmt.iter_args) :], strict=True)
        )
        return LoopParts(made, iter_args, body, results)

    def _carry(self, var: Var, init: Expr) -> IterArg:
        name = self.names.fresh(base_name(var.name_hint), kept_role(var.name_hint, "iter"))
        if isinstance(var, IterArg) and name == var.name_hint and init is var.init_value:
            kind = self._type(var.type)
            new = var if kind is var.type else IterArg(name, kind, var.span, init)
        else:
            new = IterArg(name, self._type(var.type) if isinstance(var, IterArg) else init.type, var.span, init)
        self.current[var] = new
        return new

    def _first_value(self, var: Var) -> Expr:
        """What enters the first iteration for a variable that only the body defines."""
        return self.first.of(var, self._type(var.type), outputs=self.outputs, versions=self.current.values())

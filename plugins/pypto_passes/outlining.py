# SPDX-License-Identifier: Apache-2.0
"""Scopes that become functions: what goes in, what comes out, and the call that takes the scope's place.

Parameters are the variables that the body reads before it binds them, in the order of first reading. Results are the
variables that later code reads, then the tensors that the body stores into; a result that is a parameter's buffer is
returned as that parameter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pypto_build.analysis.names import base_name
from pypto_build.analysis.return_lineage import ReturnLineage
from pypto_build.analysis.returned_params import ReturnedBy
from pypto_build.ir import (
    EMPTY_MAP,
    UNKNOWN_TYPE,
    AssignStmt,
    Call,
    DataType,
    EvalStmt,
    Expr,
    ForStmt,
    Function,
    FunctionType,
    GlobalVar,
    IfStmt,
    IterArg,
    Level,
    ParamDirection,
    ReturnStmt,
    Rewriter,
    Role,
    ScopeStmt,
    Span,
    Stmt,
    Submit,
    TupleGetItemExpr,
    TupleType,
    Type,
    Var,
    WhileStmt,
    clone_fresh,
    collect,
    defined_vars,
    frozen_map,
    rebuilt,
    scalar_type,
    sequence,
    statements,
)
from pypto_build.ops import OpRegistry
from pypto_passes.scope_captures import (
    assembled_tensors,
    captured,
    counted_uses,
    named_stores,
    stored_tensors,
    without_rebinding,
)
from pypto_passes.written_params import written_params

TASK = "task_id_var"
DEPS = "manual_dep_edges"
NO_DEP = "arg_direction_overrides_vars"
NO_DEP_POSITIONS = "arg_direction_overrides"
DUMPS = "dump_vars"
EARLY = "allow_early_resolve"
PREDICATE = "predicate"
_LAUNCH = frozenset({TASK, DEPS, NO_DEP, DUMPS, EARLY, PREDICATE})


@dataclass(frozen=True, slots=True)
class Shape:
    """What kind of function a scope becomes."""

    func_type: FunctionType
    name: str
    level: Level | None = None
    role: Role | None = None
    attrs: Mapping[str, object] = EMPTY_MAP
    launch: Mapping[str, object] = EMPTY_MAP  # further fields of the launch: core_num, sync_start
    exports_stores: bool = True


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known of the rest of the program."""

    ops: OpRegistry
    directions: Mapping[str, tuple[ParamDirection, ...]]
    returned: ReturnedBy


class Outliner(Rewriter):
    """Replaces the scopes of one function by calls; the new functions are collected in `functions`.

    `kinds` are the scopes to replace; `shape_of` says what a scope becomes, or None for one that stays.
    """

    REWRITES_TYPES = False

    def __init__(
        self,
        function: Function,
        around: Surroundings,
        *,
        kinds: tuple[type[ScopeStmt], ...],
        shape_of: Callable[[ScopeStmt], Shape | None],
    ) -> None:
        super().__init__()
        self._around = around
        self._kinds = kinds
        self._shape_of = shape_of
        self._uses = counted_uses(function.body)
        self._bound = {*function.params, *defined_vars([function.body])}
        self._names = {var.name_hint for var in self._bound}
        self._tasks = {scope.attrs[TASK] for scope in collect(function, *kinds) if TASK in scope.attrs}
        self.functions: list[Function] = []

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | None:
        """The launch binds the task id, so the invalid one that stood for it goes."""
        value = stmt.value
        placeholder = isinstance(value, Call) and value.op.name == "system.task_invalid"
        return None if placeholder and stmt.var in self._tasks else self.visit_node(stmt)

    # -- where a new name of a stored tensor is valid ----------------------------------------------------------------

    def visit_for_stmt(self, stmt: ForStmt) -> Stmt:
        return self._branch(stmt)

    def visit_while_stmt(self, stmt: WhileStmt) -> Stmt:
        return self._branch(stmt)

    def visit_if_stmt(self, stmt: IfStmt) -> Stmt:
        before = dict(self.substitution)
        then = self.visit_body(stmt.then_body)
        self.substitution = dict(before)
        other = None if stmt.else_body is None else self.visit_body(stmt.else_body)
        self.substitution = before
        condition = self.visit(stmt.condition)
        changes = {"condition": condition, "then_body": then, "else_body": other}
        same = all(getattr(stmt, name) is value for name, value in changes.items())
        return stmt if same else rebuilt(stmt, changes)

    def _branch(self, stmt: Stmt) -> Stmt:
        """A store inside a body that may not run gives the tensor no new name behind it."""
        before = dict(self.substitution)
        new: Stmt = self.visit_node(stmt)
        after = {var: self.substitution[var] for var in self.substitution if isinstance(var, IterArg)}
        self.substitution = {**before, **after}
        return new

    # -- scopes ------------------------------------------------------------------------------------------------------

    def visit_scope_stmt(self, scope: ScopeStmt) -> Stmt | tuple[Stmt, ...]:
        shape = self._shape_of(scope) if isinstance(scope, self._kinds) else None
        if shape is None:
            return self.visit_node(scope)
        body = without_rebinding(scope.body, self._bound) if shape.exports_stores else scope.body
        inputs = captured(body, self._bound)
        exported = self._exported(scope, body)
        stored = stored_tensors(body, inputs, self._around.ops) if shape.exports_stores else ()
        body = named_stores(body, stored, exported, self._names)
        function, outputs, order = self._function(scope, shape, _Region(body, inputs, exported, stored))
        self.functions.append(function)
        arguments = tuple(self.substitution.get(var, var) for var in order)
        return self._call(scope, shape, function, arguments=arguments, captured=order, outputs=outputs)

    def _exported(self, scope: ScopeStmt, body: Stmt) -> tuple[Var, ...]:
        inside = counted_uses(scope.body)
        return tuple(
            var
            for var in dict.fromkeys(defined_vars([body]))
            if self._uses[var] > inside[var] and not isinstance(var, IterArg)
        )

    def _function(
        self, scope: ScopeStmt, shape: Shape, region: _Region
    ) -> tuple[Function, list[tuple[Var, Var | None]], tuple[Var, ...]]:
        """The function, for each result the caller's Var and the stored tensor it renames, and what is passed."""
        params = tuple(Var(var.name_hint, var.type, var.span) for var in region.captured)
        mapping: dict[Var, Expr] = dict(zip(region.captured, params, strict=True))
        params = tuple(_retyped(param, mapping, var) for param, var in zip(params, region.captured, strict=True))
        mapping.update(zip(region.captured, params, strict=True))
        body, inside = clone_fresh(region.body, mapping)
        draft = Function(
            shape.name,
            params,
            tuple(ParamDirection.In for _ in params),
            (),
            body,
            scope.span,
            shape.func_type,
            shape.level,
            shape.role,
            shape.attrs,
        )
        lineage = ReturnLineage(draft, self._around.ops, self._around.returned)
        results: list[tuple[Var, Var | None, Expr]] = []
        covered: set[Expr] = set()
        for var in region.exported:
            value = inside[var]
            root = lineage.root(value)
            value = value if root is None else params[root.param]
            covered.add(value)
            results.append((var, None, value))
        later = [var for var in region.stored if mapping[var] not in covered]
        later.sort(key=lambda var: self._uses[var] > region.uses[var])
        for var in later:
            renamed = Var(self._fresh_name(var), var.type, var.span)
            results.append((renamed, var, mapping[var]))
        stmts = (*statements(body), *self._return(scope, results))
        types = tuple(value.type for _, _, value in results)
        draft = rebuilt(draft, {"body": sequence(stmts, scope.span), "return_types": types})
        around = self._around
        directions = written_params(draft, around.ops, directions=around.directions, returned=around.returned)
        if not shape.exports_stores:
            written = {mapping[var] for var in assembled_tensors(region.body, region.captured)}
            directions = tuple(
                d if param in written else ParamDirection.In for param, d in zip(params, directions, strict=True)
            )
        outputs = [(var, renamed) for var, renamed, _ in results]
        return rebuilt(draft, {"param_directions": directions}), outputs, region.captured

    def _return(self, scope: ScopeStmt, results: Sequence[tuple[Var, Var | None, Expr]]) -> Iterable[Stmt]:
        if results:
            yield ReturnStmt(tuple(value for _, _, value in results), scope.span)

    def _fresh_name(self, var: Var) -> str:
        base = base_name(var.name_hint)
        number = 1
        while f"{base}__store_v{number}" in self._names:
            number += 1
        name = f"{base}__store_v{number}"
        self._names.add(name)
        return name

    # -- the call ----------------------------------------------------------------------------------------------------

    def _call(
        self,
        scope: ScopeStmt,
        shape: Shape,
        function: Function,
        *,
        arguments: tuple[Expr, ...],
        captured: tuple[Var, ...],
        outputs: Sequence[tuple[Var, Var | None]],
    ) -> tuple[Stmt, ...]:
        attrs = self._launch_attrs(scope, captured)
        types = tuple(var.type for var, _ in outputs)
        op = GlobalVar(function.name)
        task = scope.attrs.get(TASK)
        call: Expr
        if _is_submitted(scope, shape):
            call = self._submit(scope, shape, op, arguments=arguments, types=types, attrs=attrs)
            bound: list[Var] = [var for var, _ in outputs]
            bound.append(task if isinstance(task, Var) else Var("_task", scalar_type(DataType.TASK_ID), scope.span))
            made = _unpacked(call, bound, scope.span, name="_submit_tmp")
        else:
            early: dict[str, object] = {EARLY: True} if scope.attrs.get(EARLY) else {}
            kind = UNKNOWN_TYPE if not types else types[0] if len(types) == 1 else TupleType(types)
            call = Call(op, arguments, EMPTY_MAP, frozen_map({**attrs, **early, **shape.launch}), kind, scope.span)
            made = _bound_results(call, [var for var, _ in outputs], scope.span)
        for var, renamed in outputs:
            if renamed is not None:
                self.substitution[renamed] = var
        return made

    def _submit(
        self,
        scope: ScopeStmt,
        shape: Shape,
        op: GlobalVar,
        *,
        arguments: tuple[Expr, ...],
        types: tuple[Type, ...],
        attrs: Mapping[str, object],
    ) -> Submit:
        deps = tuple(self.visit(dep) for dep in cast("tuple[Expr, ...]", scope.attrs.get(DEPS, ())))
        predicate = scope.attrs.get(PREDICATE)
        return Submit(
            op,
            arguments,
            deps,
            EMPTY_MAP,
            frozen_map(attrs),
            TupleType((*types, scalar_type(DataType.TASK_ID))),
            scope.span,
            core_num=cast("Expr | None", shape.launch.get("core_num")),
            sync_start=bool(shape.launch.get("sync_start", False)),
            allow_early_resolve=bool(scope.attrs.get(EARLY, False)),
            predicate=None if predicate is None else self.visit(cast(Expr, predicate)),
        )

    def _launch_attrs(self, scope: ScopeStmt, captured: tuple[Var, ...]) -> dict[str, object]:
        attrs: dict[str, object] = {}
        exempt = cast("tuple[Var, ...]", scope.attrs.get(NO_DEP, ()))
        positions = tuple(sorted(captured.index(var) for var in exempt if var in captured))
        if positions:
            attrs[NO_DEP_POSITIONS] = positions
        dumped = tuple(
            self.visit(var) for var in cast("tuple[Var, ...]", scope.attrs.get(DUMPS, ())) if var in captured
        )
        if dumped:
            attrs[DUMPS] = dumped
        return attrs


@dataclass(frozen=True, slots=True)
class _Region:
    body: Stmt
    captured: tuple[Var, ...]
    exported: tuple[Var, ...]
    stored: tuple[Var, ...]

    @property
    def uses(self) -> Counter[Var]:
        return counted_uses(self.body)


def _is_submitted(scope: ScopeStmt, shape: Shape) -> bool:
    """Whether the launch is a task that others know or wait for; on several cores, an early one is always."""
    early = shape.func_type is FunctionType.Spmd and bool(scope.attrs.get(EARLY))
    return early or any(scope.attrs.get(name) is not None for name in (TASK, PREDICATE)) or bool(scope.attrs.get(DEPS))


def launching(function: Function) -> Function:
    """A function whose body launches tasks: an opaque one is an Orchestration from then on."""
    if function.func_type is not FunctionType.Opaque:
        return function
    return rebuilt(function, {"func_type": FunctionType.Orchestration, "level": None, "role": None})


def kept_attrs(scope: ScopeStmt) -> dict[str, object]:
    """The attributes of a scope that describe the function, not its launch."""
    return {name: value for name, value in scope.attrs.items() if name not in _LAUNCH}


def _bound_results(call: Expr, outputs: Sequence[Var], span: Span) -> tuple[Stmt, ...]:
    if not outputs:
        return (EvalStmt(call, span),)
    if len(outputs) == 1:
        return (AssignStmt(outputs[0], call, span),)
    return _unpacked(call, outputs, span, name="ret")


def _unpacked(call: Expr, outputs: Sequence[Var], span: Span, *, name: str) -> tuple[Stmt, ...]:
    whole = Var(name, call.type, span)
    elements = (AssignStmt(var, TupleGetItemExpr(whole, i, span), span) for i, var in enumerate(outputs))
    return (AssignStmt(whole, call, span), *elements)


def _retyped(param: Var, mapping: Mapping[Var, Expr], original: Var) -> Var:
    """The parameter with extents that are parameters themselves named as such."""
    kind = Rewriter(mapping).visit_type(original.type)
    return param if kind is original.type else rebuilt(param, {"type": kind})

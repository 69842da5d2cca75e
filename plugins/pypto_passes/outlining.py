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
from pypto_build.errors import InternalError
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
    Node,
    ParamDirection,
    ReturnStmt,
    Rewriter,
    Role,
    ScopeStmt,
    Span,
    Stmt,
    Submit,
    TensorType,
    TupleGetItemExpr,
    TupleType,
    Type,
    Var,
    Visitor,
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
from pypto_passes.written_params import BOOKKEEPING, written_params

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
        self._uses = _counted(function.body)
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
        body = _without_rebinding(scope.body, self._bound) if shape.exports_stores else scope.body
        captured = _captured(body, self._bound)
        exported = self._exported(scope, body)
        stored = _stored(body, captured, self._around.ops) if shape.exports_stores else ()
        body = _named_stores(body, stored, exported, self._names)
        function, outputs, order = self._function(scope, shape, _Region(body, captured, exported, stored))
        self.functions.append(function)
        arguments = tuple(self.substitution.get(var, var) for var in order)
        return self._call(scope, shape, function, arguments=arguments, captured=order, outputs=outputs)

    def _exported(self, scope: ScopeStmt, body: Stmt) -> tuple[Var, ...]:
        inside = _counted(scope.body)
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
            written = {mapping[var] for var in _assembled(region.body, region.captured)}
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
        if task is not None or scope.attrs.get(DEPS):
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
        return _counted(self.body)


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


# -- what a body reads, binds and stores -------------------------------------------------------------------------------


class _Uses(Visitor):
    """Counts uses, those in types and attributes included."""

    WALKS_TYPES = True

    def __init__(self) -> None:
        self.counts: Counter[Var] = Counter()

    def visit_var(self, var: Var) -> None:
        self.counts[var] += 1

    def visit_constant(self, constant: Expr) -> None:
        """Nothing is below a constant."""


def _counted(node: Node) -> Counter[Var]:
    uses = _Uses()
    uses.visit(node)
    return uses.counts


class _Captures(Visitor):
    """Uses of variables that are not bound yet, in walking order; symbols of types are no captures by themselves."""

    def __init__(self, bound: set[Var]) -> None:
        self._outer = bound
        self._defined: set[Var] = set()
        self.found: dict[Var, None] = {}

    def visit_assign_stmt(self, stmt: AssignStmt) -> None:
        self.visit(stmt.value)
        self._from_type(stmt.var.type)
        self._defined.add(stmt.var)

    def visit_definition(self, var: Var) -> None:
        if isinstance(var, IterArg):
            self.visit(var.init_value)
        self._from_type(var.type)
        self._defined.add(var)

    def visit_var(self, var: Var) -> None:
        if var not in self._defined:
            self.found.setdefault(var)

    def visit_call(self, call: Call) -> None:
        for arg in call.args:
            self.visit(arg)
        for name, value in call.attrs.items():
            if name not in BOOKKEEPING and isinstance(value, tuple):
                self._from_attribute(cast("tuple[object, ...]", value))

    def _from_attribute(self, value: tuple[object, ...]) -> None:
        for item in value:
            if isinstance(item, Expr):
                self.visit(item)

    def _from_type(self, kind: Type) -> None:
        """A local scalar in an extent must come in; a symbol of the program's types is known everywhere."""
        for var in _counted_type(kind):
            if var in self._outer and var not in self._defined:
                self.found.setdefault(var)


def _counted_type(kind: Type) -> Counter[Var]:
    uses = _Uses()
    uses.visit_type(kind)
    return uses.counts


def _captured(body: Stmt, bound: set[Var]) -> tuple[Var, ...]:
    captures = _Captures(bound)
    captures.visit(body)
    return tuple(captures.found)


def _store_target(expr: Expr, ops: OpRegistry) -> Var | None:
    """The tensor that a tile operation writes into."""
    if not isinstance(expr, Call) or isinstance(expr.op, GlobalVar) or not ops.has(expr.op.name):
        return None
    definition = ops.get(expr.op.name)
    position = definition.reuses_input
    if position is None or definition.category != "TileOp" or position >= len(expr.args):
        return None
    target = expr.args[position]
    return target if isinstance(target, Var) and isinstance(target.type, TensorType) else None


class _Stores(Visitor):
    def __init__(self, ops: OpRegistry) -> None:
        self._ops = ops
        self.targets: dict[Var, None] = {}

    def visit_call(self, call: Call) -> None:
        target = _store_target(call, self._ops)
        if target is not None:
            self.targets.setdefault(target)
        self.visit_node(call)


def _stored(body: Stmt, captured: Sequence[Var], ops: OpRegistry) -> tuple[Var, ...]:
    stores = _Stores(ops)
    stores.visit(body)
    return tuple(var for var in stores.targets if var in captured)


def _assembled(body: Stmt, captured: Sequence[Var]) -> set[Var]:
    found: set[Var] = set()

    class _Assembles(Visitor):
        def visit_call(self, call: Call) -> None:
            if call.op.name == "tensor.assemble" and call.args[0] in captured:
                found.add(cast(Var, call.args[0]))
            self.visit_node(call)

    _Assembles().visit(body)
    return found


class _NamedStores(Rewriter):
    """Every store binds its result; a result that later code reads gets a second name beside its tensor's."""

    REWRITES_TYPES = False

    def __init__(self, stored: Sequence[Var], exported: Sequence[Var], names: set[str]) -> None:
        super().__init__()
        self._stored = stored
        self._exported = exported
        self._names = names

    def visit_eval_stmt(self, stmt: EvalStmt) -> Stmt:
        target = self._target(stmt.expr)
        return stmt if target is None else AssignStmt(self._second(target), stmt.expr, stmt.span)

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | tuple[Stmt, ...]:
        target = self._target(stmt.value)
        if target is None or stmt.var not in self._exported:
            return stmt
        return stmt, AssignStmt(self._second(target), stmt.var, stmt.span)

    def _target(self, expr: Expr) -> Var | None:
        if not isinstance(expr, Call):
            return None
        return next((arg for arg in expr.args if arg in self._stored and _is_store(expr, arg)), None)  # type: ignore[return-value]  # a Var of the list

    def _second(self, target: Var) -> Var:
        base = base_name(target.name_hint)
        name = f"{base}__store"
        number = 1
        while name in self._names:
            number += 1
            name = f"{base}__store_{number}"
        self._names.add(name)
        return Var(name, target.type, target.span)


def _is_store(call: Call, arg: Expr) -> bool:
    return isinstance(arg.type, TensorType) and call.type == arg.type


def _named_stores(body: Stmt, stored: Sequence[Var], exported: Sequence[Var], names: set[str]) -> Stmt:
    return _NamedStores(stored, exported, set(names)).visit_body(body) if stored else body


class _Unbinder(Rewriter):
    """Input that is not in SSA form: a store that binds its own target binds a name of its own instead."""

    REWRITES_TYPES = False

    def __init__(self, captured: Sequence[Var]) -> None:
        super().__init__()
        self._captured = captured

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt:
        if stmt.var not in self._captured:
            return stmt
        value = stmt.value
        if isinstance(value, Call) and stmt.var in value.args and _is_store(value, stmt.var):
            return rebuilt(stmt, {"var": Var(f"{stmt.var.name_hint}__store", stmt.var.type, stmt.span)})
        text = f"'{stmt.var.name_hint}' is bound again inside a scope: run ConvertToSSA before the outlining"
        raise InternalError(text, stmt.span)


def _without_rebinding(body: Stmt, bound: set[Var]) -> Stmt:
    captured = _captured(body, bound)
    rebound = [var for var in defined_vars([body]) if var in captured]
    return _Unbinder(rebound).visit_body(body) if rebound else body

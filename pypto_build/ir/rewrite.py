# SPDX-License-Identifier: Apache-2.0
"""Walking and rewriting the IR: one method per class, the same object back when nothing changed.

A method is named `visit_` and the class in snake case (`visit_for_stmt`); a class without one falls back to its base
classes (`visit_binary_expr`, `visit_scope_stmt`, `visit_stmt`, `visit_expr`), at last to a walk over the field table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

from pypto_build.ir.expr import Expr, MemRef, Var
from pypto_build.ir.node import Entity, FieldRole, FrozenMap, Node, map_attrs, nodes_in
from pypto_build.ir.program import Function, Program
from pypto_build.ir.stmt import SeqStmts, Stmt, sequence
from pypto_build.ir.types import Type

_E = TypeVar("_E", bound=Entity)
_BASES = (Entity, object)
_TYPE_ROLES = (FieldRole.TYPE, FieldRole.TYPES)
_COLLECTIONS = (tuple, FrozenMap)  # empty ones have nothing to walk


@cache
def method_name(cls: type) -> str:
    """`ForStmt` -> `visit_for_stmt`."""
    return "visit_" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()


class _Dispatcher:
    """Finds the method of a node's class, once per class."""

    _methods: ClassVar[dict[type, Callable[[Any, Any], Any]]] = {}

    def __init_subclass__(cls) -> None:
        cls._methods = {}

    @classmethod
    def _bind(cls, kind: type) -> Callable[[Any, Any], Any]:
        for base in kind.__mro__:
            method = getattr(cls, method_name(base), None) if base not in _BASES else None
            if method is not None:
                cls._methods[kind] = method
                return cast("Callable[[Any, Any], Any]", method)
        raise TypeError(f"{cls.__name__} cannot visit {kind.__name__}")


class Visitor(_Dispatcher):
    """Walks everything below a node; override the methods of the classes you ask about.

    Types are walked only when WALKS_TYPES is set: then Vars in shapes, views and memory references are seen too.
    """

    WALKS_TYPES: ClassVar[bool] = False
    _plans: ClassVar[dict[type[Entity], _Plan]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._plans = {}

    def visit(self, node: Node) -> None:
        """Visit one node."""
        method = self._methods.get(type(node)) or self._bind(type(node))
        method(self, node)

    def visit_node(self, node: Node) -> None:
        """Visit what is below a node."""
        self.walk_entity(node)

    def visit_definition(self, var: Var) -> None:
        """Visit a Var where it is bound."""
        self.visit_node(var)

    def visit_var(self, var: Var) -> None:
        """Visit a Var where it is used; what it was bound with is not walked again."""

    def visit_program(self, program: Program) -> None:
        """Visit the functions in name order."""
        for function in program.functions.values():
            self.visit(function)

    def visit_type(self, kind: Type) -> None:
        """Visit a type (only with WALKS_TYPES)."""
        self.walk_entity(kind)

    def walk_entity(self, entity: Entity) -> None:
        """Visit every field of an entity in walking order."""
        plan = self._plans.get(type(entity))
        for value_of, step in self._plan(type(entity)) if plan is None else plan:
            value = value_of(entity)
            if not (value is None or (value.__class__ in _COLLECTIONS and not value)):
                step(self, value)

    @classmethod
    def _plan(cls, kind: type[Entity]) -> _Plan:
        """The fields to walk and how, found once per class."""
        rows = [row for row in kind.WALKED if cls.WALKS_TYPES or row.role not in _TYPE_ROLES]
        plan = tuple([(attrgetter(row.name), _STEPS[row.role]) for row in rows])
        cls._plans[kind] = plan
        return plan

    def walk_attrs(self, attrs: Mapping[str, object]) -> None:
        """Visit the nodes among the attributes."""
        for value in attrs.values():
            for node in nodes_in(value):
                self.visit(node)


def _walk_child(visitor: Visitor, value: Entity) -> None:
    if isinstance(value, Node):
        visitor.visit(value)
    else:
        visitor.walk_entity(value)  # a view inside a type


def _each(visit: Callable[[Visitor], Callable[[Any], None]]) -> Callable[[Visitor, tuple[Any, ...]], None]:
    def walk(visitor: Visitor, values: tuple[Any, ...]) -> None:
        step = visit(visitor)
        for value in values:
            step(value)

    return walk


_Plan: TypeAlias = tuple[tuple[Callable[[Any], Any], Callable[[Visitor, Any], None]], ...]
_STEPS: Mapping[FieldRole, Callable[[Visitor, Any], None]] = {
    FieldRole.CHILD: _walk_child,
    FieldRole.CHILDREN: _each(lambda visitor: visitor.visit),
    FieldRole.DEFINITION: lambda visitor, var: visitor.visit_definition(var),
    FieldRole.DEFINITIONS: _each(lambda visitor: visitor.visit_definition),
    FieldRole.TYPE: lambda visitor, kind: visitor.visit_type(kind),
    FieldRole.TYPES: _each(lambda visitor: visitor.visit_type),
    FieldRole.ATTRS: Visitor.walk_attrs,
}


class Rewriter(_Dispatcher):
    """Builds a changed copy; what does not change stays the same object.

    `substitution` maps a Var to what stands for it from now on. A definition whose type or initial value changes gets
    a fresh Var and an entry there, so later uses follow. A statement method may return a tuple of statements (they are
    spliced in) or None (the statement goes).
    """

    REWRITES_TYPES: ClassVar[bool] = True

    def __init__(self, substitution: Mapping[Var, Expr] | None = None) -> None:
        self.substitution: dict[Var, Expr] = dict(substitution or {})

    def visit(self, node: Node) -> Any:  # Any: a method returns what its class is replaced with
        """The node's replacement."""
        method = self._methods.get(type(node)) or self._bind(type(node))
        return method(self, node)

    def visit_node(self, node: _E) -> _E:
        """The node with everything below it rewritten."""
        return map_entity(node, self)

    def visit_var(self, var: Var) -> Expr:
        """A use of a Var."""
        return self.substitution.get(var, var)

    def visit_mem_ref(self, ref: MemRef) -> Expr:
        """A memory reference inside a type: its allocation and offset follow the substitution."""
        given = self.substitution.get(ref)
        if given is not None:
            return given
        new = map_entity(ref, self)
        if new is not ref:
            self.substitution[ref] = new
        return new

    def visit_definition(self, var: Var) -> Var:
        """A Var where it is bound: a fresh one if its type or initial value changes."""
        new = map_entity(var, self)
        if new is not var:
            self.substitution[var] = new
        return new

    def rebound(self, var: Var, changes: Mapping[str, object]) -> Var:
        """A Var where it is bound with some fields changed: a fresh one that later uses follow, if there are any."""
        if not changes:
            return var
        new = rebuilt(var, changes)
        self.substitution[var] = new
        return new

    def visit_view(self, view: _E) -> _E:
        """A view inside a type."""
        return map_entity(view, self)

    def visit_type(self, kind: Type) -> Type:
        """A type with the expressions inside it rewritten."""
        return map_entity(kind, self) if self.REWRITES_TYPES else kind

    def visit_seq_stmts(self, seq: SeqStmts) -> Stmt:
        """A sequence: results are spliced, missing ones dropped, nested sequences flattened."""
        result: list[Stmt] = []
        changed = False
        for stmt in seq.stmts:
            new = self.visit(stmt)
            changed = changed or new is not stmt
            if isinstance(new, tuple):
                result.extend(cast("tuple[Stmt, ...]", new))
            elif new is not None:
                result.append(new)
        return sequence(result, seq.span) if changed else seq

    def visit_body(self, body: Stmt) -> Stmt:
        """A body that is not a sequence may still be replaced by none or several statements."""
        new = self.visit(body)
        if isinstance(new, tuple):
            return sequence(cast("tuple[Stmt, ...]", new), body.span)
        return SeqStmts((), body.span) if new is None else new

    def visit_program(self, program: Program) -> Program:
        """A program with each function rewritten; None drops a function, a tuple adds some."""
        functions: list[Function] = []
        for function in program.functions.values():
            new = self.visit(function)
            made = cast("tuple[Function, ...]", new) if isinstance(new, tuple) else () if new is None else (new,)
            functions.extend(made)
        return program.with_functions(functions)


def _map_child(rewriter: Rewriter, value: Any) -> Any:
    if isinstance(value, Stmt):
        return rewriter.visit_body(value)
    return rewriter.visit(value) if isinstance(value, Node) else rewriter.visit_view(value)


_MAPS: Mapping[FieldRole, Callable[[Rewriter, Any], Any]] = {
    FieldRole.CHILD: _map_child,
    FieldRole.CHILDREN: lambda rewriter, nodes: map_tuple(nodes, rewriter.visit),
    FieldRole.TYPE: lambda rewriter, kind: rewriter.visit_type(kind),
    FieldRole.TYPES: lambda rewriter, kinds: map_tuple(kinds, rewriter.visit_type),
    FieldRole.DEFINITION: lambda rewriter, var: rewriter.visit_definition(var),
    FieldRole.DEFINITIONS: lambda rewriter, variables: map_tuple(variables, rewriter.visit_definition),
    FieldRole.ATTRS: lambda rewriter, attrs: map_attrs(attrs, rewriter.visit),
}


def map_tuple(items: tuple[_E, ...], visit: Callable[[_E], Any]) -> tuple[_E, ...]:
    """The items with `visit` applied; the same tuple when nothing changed."""
    new = tuple([visit(item) for item in items])
    for old_item, new_item in zip(items, new, strict=True):
        if old_item is not new_item:
            return new
    return items


def map_entity(entity: _E, rewriter: Rewriter) -> _E:
    """The entity with every field that holds nodes or types rewritten; the same object if none changed."""
    changes: dict[str, object] = {}
    for name, value_of, rewritten in _map_plan(type(entity)):
        value = value_of(entity)
        if value is None or (value.__class__ in _COLLECTIONS and not value):
            continue
        new = rewritten(rewriter, value)
        if new is not value:
            changes[name] = new
    return rebuilt(entity, changes) if changes else entity


@cache
def _map_plan(kind: type[Entity]) -> tuple[tuple[str, Callable[[Any], Any], Callable[[Rewriter, Any], Any]], ...]:
    """The fields to rewrite and how."""
    return tuple([(row.name, attrgetter(row.name), _MAPS[row.role]) for row in kind.WALKED])


def rebuilt(entity: _E, changes: Mapping[str, object]) -> _E:
    """A copy of the entity with some fields changed, made by its constructor."""
    values = [changes[row.name] if row.name in changes else getattr(entity, row.name) for row in entity.FIELDS]
    return type(entity)(*values)


def substitute(node: _E, mapping: Mapping[Var, Expr]) -> _E:
    """The node with uses of some Vars replaced, types and attributes included."""
    return cast(_E, Rewriter(mapping).visit(cast(Node, node))) if mapping else node


class _FreshVars(Rewriter):
    """Clones with a new Var for every definition."""

    def visit_definition(self, var: Var) -> Var:
        """Always a fresh Var."""
        given = self.substitution.get(var)
        if isinstance(given, Var):
            return given
        new = map_entity(var, self)
        fresh = rebuilt(var, {}) if new is var else new
        self.substitution[var] = fresh
        return fresh


def clone_fresh(body: Stmt, mapping: Mapping[Var, Expr] | None = None) -> tuple[Stmt, dict[Var, Expr]]:
    """A copy of a body in which every definition is a new Var; also the mapping of old Vars to new expressions."""
    cloner = _FreshVars(mapping)
    return cast(Stmt, cloner.visit(body)), cloner.substitution

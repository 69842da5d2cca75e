# SPDX-License-Identifier: Apache-2.0
"""One look over a piece of IR before it is printed: which Vars it defines, uses and has as dimensions, whom it calls.

The walk follows the field table with a list of its own instead of recursion, so deep expressions are no limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from pypto_build.ir.expr import Call, Expr, GlobalVar, IterArg, MemRef, Submit, Var, WindowBuffer
from pypto_build.ir.node import Entity, FieldRole, FrozenMap, Node
from pypto_build.ir.program import Function
from pypto_build.ir.stmt import AssignStmt, ScopeStmt
from pypto_build.ir.types import DistributedTensorType, Type

TASK_ID_VAR = "task_id_var"  # the attribute that holds what `with ... as tid` binds
ALLOC_WINDOW = "pld.tensor.alloc_window_buffer"

_USE, _DEFINITION, _IN_TYPE = 0, 1, 2
_Step = tuple[int, object]
_TYPE_ROLES = (FieldRole.TYPE, FieldRole.TYPES)
_COLLECTIONS = (tuple, FrozenMap)  # empty ones have nothing to walk
_DEFINING_ROLES = (FieldRole.DEFINITION, FieldRole.DEFINITIONS)


class Scan:
    """What one walk found, in the order of the text; dictionaries serve as ordered sets."""

    def __init__(self, root: Node | Type) -> None:
        self.defined: dict[Var, None] = {}
        self.used: dict[Var, None] = {}
        self.dimensions: dict[Var, None] = {}  # used inside a type
        self.callees: dict[str, None] = {}
        self.window_sizes: dict[Var, Expr] = {}  # allocation -> the size that its statement asks for
        self._seen_types: set[int] = set()
        self._walk(root)

    def free_dimensions(self) -> Iterator[Var]:
        """The Vars inside types that nothing here defines."""
        return (var for var in self.dimensions if var not in self.defined)

    def free_uses(self) -> Iterator[Var]:
        """The Vars used outside types that nothing here defines."""
        return (var for var in self.used if var not in self.defined)

    def _walk(self, root: Node | Type) -> None:
        steps: list[_Step] = [(_IN_TYPE if isinstance(root, Type) else _USE, root)]
        while steps:
            kind, item = steps.pop()
            if isinstance(item, Entity):
                steps.extend(reversed(self._visited(kind, item)))
            elif isinstance(item, tuple):
                steps.extend([(kind, inner) for inner in reversed(cast("tuple[object, ...]", item))])
            elif isinstance(item, dict):
                values = cast("dict[str, object]", item).values()
                steps.extend([(kind, inner) for inner in reversed(values)])

    def _visited(self, kind: int, item: Entity) -> list[_Step]:
        if isinstance(item, Var):
            return self._var(kind, item)
        if isinstance(item, Type):
            return self._type(item)
        if isinstance(item, Call | Submit) and isinstance(item.op, GlobalVar):
            self.callees[item.op.name] = None
        if isinstance(item, AssignStmt):
            self._note_window(item)
        return self._fields(kind, item)

    def _fields(self, kind: int, item: Entity) -> list[_Step]:
        steps: list[_Step] = []
        for row in item.WALKED:
            if row.role in _TYPE_ROLES and kind == _USE and not isinstance(item, Function):
                continue  # the type of an expression is not in the text
            value = getattr(item, row.name)
            if (value is not None and value.__class__ not in _COLLECTIONS) or value:
                steps.append((_DEFINITION if row.role in _DEFINING_ROLES else kind, value))
        if isinstance(item, ScopeStmt) and TASK_ID_VAR in item.attrs:
            steps.insert(0, (_DEFINITION, item.attrs[TASK_ID_VAR]))
        return steps

    def _var(self, kind: int, var: Var) -> list[_Step]:
        if isinstance(var, MemRef):  # its base is named by the annotation, wherever it is defined
            return [(_USE, var.byte_offset), (_USE, var.slot_index)]
        if isinstance(var, WindowBuffer):
            return [(_USE, var.size)]
        if kind == _DEFINITION:
            self.defined[var] = None
            initial = var.init_value if isinstance(var, IterArg) else None
            return [(_USE, initial), (_IN_TYPE, var.type)]
        found = self.dimensions if kind == _IN_TYPE else self.used
        found[var] = None
        return []

    def _type(self, kind: Type) -> list[_Step]:
        if id(kind) in self._seen_types:
            return []
        self._seen_types.add(id(kind))
        hidden = "window_buffer" if isinstance(kind, DistributedTensorType) else ""
        return [(_IN_TYPE, getattr(kind, row.name)) for row in kind.WALKED if row.name != hidden]

    def _note_window(self, stmt: AssignStmt) -> None:
        value = stmt.value
        if isinstance(value, Call) and value.op.name == ALLOC_WINDOW and value.args:
            self.window_sizes[stmt.var] = value.args[0]

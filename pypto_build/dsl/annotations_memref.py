# SPDX-License-Identifier: Apache-2.0
"""Memory references inside annotations: declared allocations, ranges of allocations, and the two legacy forms."""

from __future__ import annotations

import ast
from typing import Final

from pypto_build.dsl.annotations_names import MISSING, Names, as_expr, as_index, known_int, terminal_name
from pypto_build.dsl.language.memory import MemRef as Declaration
from pypto_build.dsl.language.memory import MemRefSlot
from pypto_build.ir import PTR_TYPE, Expr, MemorySpace, MemRef, PtrType, Span, Var, const_index

_INDEX: Final = "MemRef byte offset"


class MemRefReader:
    """Reads the memory references of one function; one name is one allocation throughout."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._bases: dict[str, Var] = {}  # ranges: `pl.MemRef(base, offset, size)`
        self._declared: dict[str, Var] = {}  # declarations: `pl.MemRef("name")`
        self._owners: dict[str, Declaration] = {}  # declared name -> the object that declares it
        self._names_of: dict[int, str] = {}  # id of a declaring object -> the name it goes by

    def base(self, name: str) -> Var | None:
        """The allocation that a reference read so far named although no variable was bound yet, or None.

        Whoever binds that variable must use this Var, so that both mean one allocation.
        """
        return self._bases.get(name)

    def is_memref(self, node: ast.expr) -> bool:
        """Whether a node of an annotation is a memory reference."""
        target = node.value if isinstance(node, ast.Subscript) else node
        if isinstance(target, ast.Call):
            return terminal_name(target.func) == "MemRef"
        return isinstance(target, ast.Name) and isinstance(
            self._names.closure.get(target.id), Declaration | MemRefSlot | MemRef
        )

    def read(self, node: ast.expr) -> MemRef:
        """The reference that a node spells."""
        if isinstance(node, ast.Subscript):
            return self._slot(node)
        if isinstance(node, ast.Call):
            return self._call(node, None)
        name = terminal_name(node)
        return self.from_value(self._names.closure[name], name, node)

    def from_value(self, value: object, variable: str, node: ast.AST | None) -> MemRef:
        """A closure value as a reference; an unnamed declaration is named after its variable."""
        if isinstance(value, MemRef):
            return value
        if isinstance(value, MemRefSlot):
            index = as_index(value.index)
            if index is None:
                raise self._names.error("A MemRef slot index must be an integer", node)
            return self._declaration(self._named(value.memref, variable, node), value.memref.slots, index, node=node)
        if not isinstance(value, Declaration):
            raise self._names.error(f"'{variable}' is not a pl.MemRef", node)
        if not value.declares:
            return self._range_of_values(value, node)
        return self._declaration(self._named(value, variable, node), value.slots, None, node=node)

    def _slot(self, node: ast.Subscript) -> MemRef:
        index = self._names.index(node.slice, "MemRef slot index")
        target = node.value
        if isinstance(target, ast.Call):
            return self._call(target, index)
        name = terminal_name(target)
        declared = self._names.closure[name]
        if not isinstance(declared, Declaration) or not declared.declares:
            raise self._names.error(f"'{name}' has no slots", node, "Declare it with pl.MemRef(slots=N)")
        return self._declaration(self._named(declared, name, node), declared.slots, index, node=node)

    def _call(self, node: ast.Call, index: Expr | int | None) -> MemRef:
        slots = self._slots(node)
        count = len(node.args)
        if count == 0:
            raise self._names.error(
                "An inline pl.MemRef() needs a name", node, 'Write pl.MemRef("name"), or bind pl.MemRef() to a variable'
            )
        if count == 1:
            first = node.args[0]
            if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
                raise self._names.error("A declared pl.MemRef is named by a string literal", first)
            return self._declaration(first.value, slots, index, node=node)
        if index is not None:
            raise self._names.error("Only a declared pl.MemRef has slots", node)
        return self._range(node)

    def _slots(self, node: ast.Call) -> int:
        for keyword in node.keywords:
            if keyword.arg != "slots":
                raise self._names.error(f"Unknown MemRef keyword '{keyword.arg}'", keyword.value)
            number = known_int(self._names.index(keyword.value, "slots"))
            if number is None or number < 1:
                raise self._names.error("pl.MemRef needs at least one slot, as an integer constant", keyword.value)
            return number
        return 1

    def _named(self, declared: Declaration, variable: str, node: ast.AST | None) -> str:
        """The name of a declaring object: object and name belong to each other one to one."""
        name = declared.name or variable
        known = self._names_of.setdefault(id(declared), name)
        if known != name:
            raise self._names.error(f"The allocation '{known}' is also referenced as '{name}'", node, "Use one name")
        owner = self._owners.setdefault(name, declared)
        if owner is not declared:
            raise self._names.error(f"Two pl.MemRef declarations both resolve to the name '{name}'", node)
        return name

    def _declaration(self, name: str, slots: int, index: Expr | int | None, *, node: ast.AST | None) -> MemRef:
        constant = None if index is None else known_int(index)
        if index is not None and slots == 1:
            raise self._names.error(
                f"The allocation '{name}' has a single slot", node, "Give it slots=N, or leave the subscript out"
            )
        if constant is not None and not 0 <= constant < slots:
            raise self._names.error(f"Slot {constant} of '{name}' is out of range, it has {slots}", node)
        base = self._declared.setdefault(name, Var(name, PTR_TYPE, self._span(node)))
        slot = None if index is None else as_expr(index)
        return MemRef(
            name,
            span=self._span(node),
            base=base,
            byte_offset=const_index(0),
            is_pinned=True,
            slot_count=slots,
            slot_index=slot,
        )

    def _range(self, node: ast.Call) -> MemRef:
        space = self._names.member(MemorySpace, node.args[0]) if len(node.args) == 4 else None
        if space is not None:
            offset, size, number = node.args[1:]
            name = f"mem_{space.name.lower()}_{self._int(number)}"
            return self._make(self._interned(name), self._offset(offset), self._int(size), node=node)
        if len(node.args) != 3:
            raise self._names.error("pl.MemRef takes a base, a byte offset and a size", node)
        first, second, third = node.args
        base = self._base(first)
        if base is None:
            return self._make(
                self._interned(f"mem_ddr_{self._int(third)}"), self._offset(first), self._int(second), node=node
            )
        return self._make(base, self._offset(second), self._int(third), node=node)

    def _range_of_values(self, value: Declaration, node: ast.AST | None) -> MemRef:
        base, offset, size = (*value.arguments, None, None, None)[:3]
        made = as_index(offset)
        if not isinstance(base, str | Var) or made is None or not isinstance(size, int):
            raise self._names.error("pl.MemRef takes a base name, a byte offset and a size", node)
        return self._make(self._interned(base) if isinstance(base, str) else base, as_expr(made), size, node=node)

    def _base(self, node: ast.expr) -> Var | None:
        """The allocation that a string or a name stands for; None for an address (the legacy form)."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._interned(node.value)
        if not isinstance(node, ast.Name) or isinstance(self._names.closure.get(node.id, MISSING), int):
            return None
        return self._interned(node.id)

    def _interned(self, name: str) -> Var:
        bound = self._names.scope(name)
        if isinstance(bound, Var) and isinstance(bound.type, PtrType):
            return bound
        return self._bases.setdefault(name, Var(name, PTR_TYPE))

    def _offset(self, node: ast.expr) -> Expr:
        return as_expr(self._names.index(node, _INDEX), self._span(node))

    def _int(self, node: ast.expr) -> int:
        number = known_int(self._names.index(node, "MemRef size"))
        if number is None:
            raise self._names.error("A MemRef size must be an integer constant", node)
        return number

    def _make(self, base: Var, offset: Expr, size: int, *, node: ast.AST | None) -> MemRef:
        return MemRef(base.name_hint, span=self._span(node), base=base, byte_offset=offset, size=size)

    def _span(self, node: ast.AST | None) -> Span:
        return Span.unknown() if node is None else self._names.span_of(node)

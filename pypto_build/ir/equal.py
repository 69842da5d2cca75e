# SPDX-License-Identifier: Apache-2.0
"""Structural equality of IR, with the path and the reason of the first difference.

Definitions map to each other wherever they stand; free Vars must be the same object unless auto mapping is on.
Names, places, comments and memory references inside types do not count; INDEX and INT64 are one type on constants
and loop variables. Source: the public rules of structural comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeGuard, TypeVar

from pypto_build.ir.dtype import DataType
from pypto_build.ir.expr import Expr, GlobalVar, Op, Var, WindowBuffer
from pypto_build.ir.node import Entity, FieldRole, FieldSpec, Node
from pypto_build.ir.program import Program
from pypto_build.ir.stmt import AssignStmt, ForStmt, SeqStmts
from pypto_build.ir.types import ScalarType, TupleType, Type
from pypto_build.ir.value import same_integer_kind

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Difference:
    """Where and why two structures differ; left and right are the nodes there when both are nodes."""

    path: str
    reason: str
    left: object = None
    right: object = None

    def message(self) -> str:
        """The text of a failed assertion."""
        lines = ["Structural equality assertion failed" + (f" at: {self.path}" if self.path else "")]
        if isinstance(self.left, Node) and isinstance(self.right, Node):
            lines.append(f"Left-hand side:\n{_indent(str(self.left))}\n")
            lines.append(f"Right-hand side:\n{_indent(str(self.right))}\n")
        return "\n".join([*lines, f"Reason: {self.reason}"])


def _indent(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())


def structural_equal(left: object, right: object, enable_auto_mapping: bool = False) -> bool:
    """Whether two nodes or types have the same structure."""
    return first_difference(left, right, enable_auto_mapping) is None


def assert_structural_equal(left: object, right: object, enable_auto_mapping: bool = False) -> None:
    """Raise ValueError with the first difference unless two nodes or types have the same structure."""
    found = first_difference(left, right, enable_auto_mapping)
    if found is not None:
        raise ValueError(found.message())


def first_difference(left: object, right: object, enable_auto_mapping: bool = False) -> Difference | None:
    """The first difference in walking order, or None."""
    try:
        _Comparison(enable_auto_mapping).compare(left, right)
    except _DifferenceFound as found:
        path = "".join(reversed(found.path)).removeprefix(".")
        return Difference(path, found.reason, found.left, found.right)
    return None


class _DifferenceFound(Exception):
    """Carries the difference up to the root, collecting the path on the way."""

    def __init__(self, reason: str, left: object = None, right: object = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.left = left
        self.right = right
        self.path: list[str] = []


class _Comparison:
    """One comparison with the mapping of Vars found so far."""

    def __init__(self, auto_mapping: bool) -> None:
        self.auto_mapping = auto_mapping
        self.to_right: dict[Var, Var] = {}
        self.to_left: dict[Var, Var] = {}

    def compare(self, left: object, right: object) -> None:
        """Raise _DifferenceFound at the first difference."""
        if left is right and not (isinstance(left, Var) and left in self.to_right):
            return
        if isinstance(left, Entity) and isinstance(right, Entity):
            self._entities(left, right)
        elif _is_tuple(left) and _is_tuple(right):
            self._tuples(left, right)
        elif _is_mapping(left) and _is_mapping(right):
            self._attrs(left, right)
        else:
            _plain(left, right)

    def _entities(self, left: Entity, right: Entity) -> None:
        if isinstance(left, Var) and isinstance(right, Var):
            self._variables(left, right)
        elif type(left) is not type(right):
            kind = "Type name mismatch" if isinstance(left, Type) else "Node type mismatch"
            raise _DifferenceFound(f"{kind} ({type(left).__name__} != {type(right).__name__})", left, right)
        elif isinstance(left, Program) and isinstance(right, Program):
            self._programs(left, right)
        else:
            self._fields(left, right)

    def _fields(self, left: Entity, right: Entity) -> None:
        for row in _comparison_order(left):
            try:
                self._field(row, left, right)
            except _DifferenceFound as found:
                found.path.append("" if isinstance(left, SeqStmts) else f".{row.name}")
                raise

    def _field(self, row: FieldSpec, left: Entity, right: Entity) -> None:
        a, b = getattr(left, row.name), getattr(right, row.name)
        if row.role is FieldRole.DEFINITION:
            self._definition(a, b, loop_variable=isinstance(left, ForStmt))
        elif row.role is FieldRole.DEFINITIONS:
            self._tuples(a, b, self._definition)
        elif row.role is FieldRole.DATA and isinstance(a, DataType) and isinstance(b, DataType):
            if a is not b and not (left.INDEX_IS_INT64 and same_integer_kind(a, b)):
                kind = "ScalarType" if isinstance(left, Expr) else _described(left)
                raise _DifferenceFound(f"{kind} dtype mismatch ({a} != {b})")
        elif row.name == "shape" and _count(a) != _count(b):
            raise _DifferenceFound(f"{_described(left)} shape rank mismatch ({_count(a)} != {_count(b)})")
        elif row.role is FieldRole.TYPES and isinstance(left, TupleType) and _count(a) != _count(b):
            raise _DifferenceFound(f"TupleType size mismatch ({_count(a)} != {_count(b)})")
        elif self.auto_mapping and isinstance(a, WindowBuffer) and isinstance(b, WindowBuffer):
            self._map(a, b)  # a type says which allocation it is in, not how large that is
        elif (a is None) is not (b is None):
            raise _DifferenceFound(f"Optional field presence mismatch ({_presence(a)} != {_presence(b)})")
        else:
            self.compare(a, b)

    def _programs(self, left: Program, right: Program) -> None:
        for a, b in zip(left.functions, right.functions, strict=False):
            if a != b:
                raise _DifferenceFound(f"Map key mismatch ('{a.name}' != '{b.name}')")
        if len(left.functions) != len(right.functions):
            raise _DifferenceFound(f"Map size mismatch ({len(left.functions)} items != {len(right.functions)} items)")
        for name, function in left.functions.items():
            try:
                self.compare(function, right.functions[name])
            except _DifferenceFound as found:
                found.path.append(f"['{name.name}']")
                raise

    def _tuples(
        self, left: tuple[_T, ...], right: tuple[_T, ...], compare: Callable[[_T, _T], None] | None = None
    ) -> None:
        compare = compare or self.compare
        if len(left) != len(right):
            raise _DifferenceFound(f"Vector size mismatch ({len(left)} items != {len(right)} items)")
        for index, (a, b) in enumerate(zip(left, right, strict=True)):
            try:
                compare(a, b)
            except _DifferenceFound as found:
                found.path.append(f"[{index}]")
                raise

    def _attrs(self, left: Mapping[str, object], right: Mapping[str, object]) -> None:
        for key in [*left, *(key for key in right if key not in left)]:
            if key not in left or key not in right:
                raise _DifferenceFound(f"Kwargs key '{key}' present on one side only (or duplicated)")
            a, b = left[key], right[key]
            if not _is_structure(a) and type(a) is not type(b):
                raise _DifferenceFound(f"Kwargs value type mismatch for key '{key}'")
            try:
                self.compare(a, b)
            except _DifferenceFound as found:
                reason = found.reason if found.left is not None else f"Kwargs value mismatch for key '{key}'"
                raise _DifferenceFound(reason, found.left, found.right) from None

    def _definition(self, left: Var, right: Var, *, loop_variable: bool = False) -> None:
        if type(left) is not type(right):
            raise _DifferenceFound(f"Node type mismatch ({type(left).__name__} != {type(right).__name__})", left, right)
        mapping, self.auto_mapping = self.auto_mapping, True  # what a definition names in its type is bound with it
        if not (loop_variable and _both_index(left.type, right.type)):
            self._nested(".type", left.type, right.type)
        self._map(left, right)
        for row in left.COMPARED:
            if row.name not in ("type", "name_hint"):
                self._nested(f".{row.name}", getattr(left, row.name), getattr(right, row.name))
        self.auto_mapping = mapping

    def _nested(self, step: str, left: object, right: object) -> None:
        try:
            self.compare(left, right)
        except _DifferenceFound as found:
            found.path.append(step)
            raise

    def _variables(self, left: Var, right: Var) -> None:
        known = self.to_right.get(left)
        if known is right:
            return
        if known is not None or right in self.to_left:
            raise _DifferenceFound("Variable mapping inconsistent (one Var stands for two)", left, right)
        if type(left) is not type(right):
            raise _DifferenceFound(f"Node type mismatch ({type(left).__name__} != {type(right).__name__})", left, right)
        if not self.auto_mapping:
            raise _DifferenceFound("Variable pointer mismatch (without auto-mapping)", left, right)
        self._definition(left, right)

    def _map(self, left: Var, right: Var) -> None:
        if self.to_right.get(left, right) is not right or self.to_left.get(right, left) is not left:
            raise _DifferenceFound("Variable mapping inconsistent (one Var stands for two)", left, right)
        self.to_right[left] = right
        self.to_left[right] = left


def _comparison_order(entity: Entity) -> tuple[FieldSpec, ...]:
    first = entity.WALK_FIRST
    if not first or isinstance(entity, AssignStmt):  # a variable may stand in the value that it is assigned
        return entity.COMPARED
    return tuple(sorted(entity.COMPARED, key=lambda row: row.name not in first))


def _plain(left: object, right: object) -> None:
    if isinstance(left, Op) and isinstance(right, Op) and type(left) is type(right) and left != right:
        what = "Function" if isinstance(left, GlobalVar) else "Operator"
        raise _DifferenceFound(f"{what} name mismatch ('{left.name}' != '{right.name}')")
    if type(left) is not type(right):
        raise _DifferenceFound(f"Value type mismatch ({type(left).__name__} != {type(right).__name__})")
    if left != right and isinstance(left, Enum):
        raise _DifferenceFound(f"{type(left).__name__} mismatch ({left} != {right})")
    if left != right:
        raise _DifferenceFound(
            f"{_VALUE_NAMES.get(type(left), type(left).__name__)} value mismatch ({left} != {right})"
        )


_VALUE_NAMES: dict[type, str] = {int: "int64_t", float: "double", bool: "bool", str: "string"}


def _is_tuple(value: object) -> TypeGuard[tuple[object, ...]]:
    return isinstance(value, tuple)


def _is_mapping(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping)


def _is_structure(value: object) -> bool:
    return isinstance(value, Entity | tuple)


def _count(value: Any) -> int:
    return len(value)


def _described(entity: Entity) -> str:
    return type(entity).__name__


def _presence(value: object) -> str:
    return "nothing" if value is None else type(value).__name__


def _both_index(left: Type, right: Type) -> bool:
    return isinstance(left, ScalarType) and isinstance(right, ScalarType) and same_integer_kind(left.dtype, right.dtype)

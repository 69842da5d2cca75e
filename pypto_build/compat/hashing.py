# SPDX-License-Identifier: Apache-2.0
"""A structural hash that agrees with structural equality: what equality looks away from does not count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from pypto_build.ir import ConstInt, Entity, FieldRole, ForStmt, Op, Program, Var, WindowBuffer
from pypto_build.ir.node import FieldSpec

_DEFINED = (FieldRole.DEFINITION, FieldRole.DEFINITIONS)


def structural_hash(node: object, enable_auto_mapping: bool = False) -> int:
    """A number that is the same for structurally equal nodes or types."""
    return hash(_Hasher(enable_auto_mapping).value(node))


class _Hasher:
    """Turns a structure into nested tuples; a defined Var becomes the number of its definition."""

    def __init__(self, auto_mapping: bool) -> None:
        self._auto_mapping = auto_mapping
        self._numbers: dict[Var, int] = {}

    def value(self, value: object) -> object:
        if isinstance(value, Var):
            return self._use(value)
        if isinstance(value, Program):
            return tuple((key.name, self.value(function)) for key, function in value.functions.items())
        if isinstance(value, Entity):
            return self._entity(value)
        if isinstance(value, tuple):
            return tuple(self.value(item) for item in cast("tuple[object, ...]", value))
        if isinstance(value, Mapping):
            return self._mapping(cast("Mapping[str, object]", value))
        if isinstance(value, Op):
            return value.name
        return (type(value).__name__, value)

    def _entity(self, entity: Entity) -> object:
        first = entity.WALK_FIRST
        rows = sorted(entity.COMPARED, key=lambda row: row.name not in first) if first else entity.COMPARED
        return (type(entity).__name__, *(self._field(entity, row) for row in rows))

    def _field(self, entity: Entity, row: FieldSpec) -> object:
        value = getattr(entity, row.name)
        if row.name == "dtype" and isinstance(entity, ConstInt):
            return None  # INDEX and INT64 are one
        if row.role in _DEFINED:
            defined = cast("tuple[Var, ...]", value if isinstance(value, tuple) else (value,))
            typed = not isinstance(entity, ForStmt)
            return tuple(self._define(var, typed=typed) for var in defined)
        return self.value(value)

    def _define(self, var: Var, *, typed: bool) -> object:
        mapping, self._auto_mapping = self._auto_mapping, True  # what the type of a definition names is bound with it
        kind = self.value(var.type) if typed else None
        self._auto_mapping = mapping
        rest = [self.value(getattr(var, r.name)) for r in var.COMPARED if r.name not in ("type", "name_hint")]
        number = self._numbers.setdefault(var, len(self._numbers))
        return (type(var).__name__, number, kind, *rest)

    def _use(self, var: Var) -> object:
        number = self._numbers.get(var)
        if number is not None:
            return number
        if not self._auto_mapping:
            return id(var)
        if not isinstance(var, WindowBuffer):
            return self._define(var, typed=True)
        self._numbers[var] = len(self._numbers)
        return (type(var).__name__, self.value(var.type))

    def _mapping(self, mapping: Mapping[str, object]) -> object:
        return tuple(
            (key, None if isinstance(value, Var) else self.value(value))
            for key, value in sorted(mapping.items())
            if not isinstance(value, Var)
        )

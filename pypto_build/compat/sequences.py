# SPDX-License-Identifier: Apache-2.0
"""Tuples and read-only mappings of the IR, shown to foreign code as the lists and dictionaries it expects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MemberDescriptorType
from typing import Any, cast

from pypto_build.compat.callers import frame_at, is_own
from pypto_build.ir import ArrayType, Entity, FieldRole, expr, frozen_map, program, stmt, types

SetAttribute = Callable[[type, str, object], None]
_TUPLES = (FieldRole.DEFINITIONS, FieldRole.CHILDREN, FieldRole.TYPES)
_PLAIN_TUPLES = ("param_directions", "devices")


class SequenceField:
    """A slot that holds a tuple and shows a list."""

    def __init__(self, slot: MemberDescriptorType) -> None:
        self._get = slot.__get__
        self._set = slot.__set__

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = self._get(instance, owner)
        return value if is_own(frame_at(1)) else self.shown(value)

    def __set__(self, instance: object, value: Any) -> None:
        self._set(instance, self.kept(value))

    def shown(self, value: Any) -> Any:
        """What a reader outside this project sees of it."""
        return list(value)

    def kept(self, value: Any) -> Any:
        """What the slot holds of it."""
        return tuple(cast("list[Any]", value)) if type(value) is list else value


class MappingField(SequenceField):
    """A slot that holds a read-only mapping and shows a dictionary."""

    def shown(self, value: Any) -> Any:
        """What a reader outside this project sees of it."""
        return thawed(value)

    def kept(self, value: Any) -> Any:
        """What the slot holds of it."""
        return frozen(cast("object", value)) if type(value) is dict else value


def thawed(value: object) -> object:
    """Tuples as lists and mappings as dictionaries, all the way down."""
    if isinstance(value, Mapping):
        return {name: thawed(item) for name, item in cast("Mapping[str, object]", value).items()}
    if type(value) is tuple:
        return [thawed(item) for item in cast("tuple[object, ...]", value)]
    return value


def frozen(value: object) -> object:
    """Lists as tuples and dictionaries as read-only mappings, all the way down."""
    if isinstance(value, Mapping):
        return frozen_map({name: frozen(item) for name, item in cast("Mapping[str, object]", value).items()})
    if isinstance(value, list | tuple):
        return tuple(frozen(item) for item in cast("list[object]", value))
    return value


def patch(set_attribute: SetAttribute) -> None:
    """Put the views on every class of the IR."""
    for cls in entity_classes():
        set_attribute(cls, "__setattr__", _refuse)
        for row in cls.FIELDS:
            slot = cls.__dict__.get(row.name)
            if not isinstance(slot, MemberDescriptorType):
                continue  # inherited, and patched where it is defined
            if row.role in _TUPLES or row.name in _PLAIN_TUPLES or row.name == "leading_comments":
                set_attribute(cls, row.name, SequenceField(slot))
            elif row.role is FieldRole.ATTRS:
                set_attribute(cls, row.name, MappingField(slot))
    set_attribute(ArrayType, "shape", _array_shape())


def _refuse(_entity: object, name: str, _value: object) -> None:
    raise AttributeError(f"the IR cannot be changed: tried to set {name!r}")


def _array_shape() -> property:
    def shape(kind: ArrayType) -> object:
        return (kind.extent,) if is_own(frame_at(1)) else [kind.extent]

    return property(shape)


def entity_classes() -> list[type[Entity]]:
    """Every concrete class of the IR."""
    found = [
        value
        for module in (expr, program, stmt, types)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Entity) and value.FIELDS
    ]
    return list(dict.fromkeys(found))

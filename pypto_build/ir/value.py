# SPDX-License-Identifier: Apache-2.0
"""Comparison by value of types, views and attribute values; Vars inside them compare by identity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard, cast

from pypto_build.ir.dtype import DataType
from pypto_build.ir.node import Entity, FieldRole


def same_value(left: object, right: object) -> bool:
    """Whether two types, views, expressions or plain values are the same, with Vars compared by identity.

    Memory references inside types do not count. Plain values compare with their Python type: 1, 1.0 and True differ.
    """
    if left is right:
        return True
    kind = type(left)
    if kind is not type(right):
        return _is_mapping(left) and _is_mapping(right) and _same_mapping(left, right)
    if isinstance(left, Entity):
        return _same_entity(left, cast("Entity", right))
    if kind is tuple:
        return _same_tuple(cast("tuple[object, ...]", left), cast("tuple[object, ...]", right))
    if _is_mapping(left) and _is_mapping(right):
        return _same_mapping(left, right)
    return bool(left == right)


def _is_mapping(value: object) -> TypeGuard[Mapping[object, object]]:
    return isinstance(value, Mapping)


def _same_tuple(left: tuple[object, ...], right: tuple[object, ...]) -> bool:
    return len(left) == len(right) and all(map(same_value, left, right))


def _same_mapping(left: Mapping[object, object], right: Mapping[object, object]) -> bool:
    return left.keys() == right.keys() and all(same_value(value, right[key]) for key, value in left.items())


def _same_entity(left: Entity, right: Entity) -> bool:
    if left.BY_IDENTITY:
        return False
    for row in left.COMPARED:
        a, b = getattr(left, row.name), getattr(right, row.name)
        if a is b:
            continue
        if row.name == "dtype" and left.INDEX_IS_INT64 and same_integer_kind(a, b):
            continue
        if not same_value(a, b):
            return False
    return True


def same_integer_kind(left: object, right: object) -> bool:
    """Whether two dtypes are the same, INDEX and INT64 taken as one."""
    return left is right or (left in _INDEX_LIKE and right in _INDEX_LIKE)


_INDEX_LIKE = (DataType.INDEX, DataType.INT64)


def value_hash(entity: Entity) -> int:
    """A hash that agrees with `same_value`: the class, the plain data and the constant parts."""
    parts: list[object] = [type(entity).__name__]
    for row in entity.COMPARED:
        value = getattr(entity, row.name)
        if row.role is FieldRole.DATA and not (row.name == "dtype" and entity.INDEX_IS_INT64):
            parts.append(value)
        elif isinstance(value, tuple):
            parts.append(len(cast("tuple[object, ...]", value)))
            parts.extend(_hash_part(item) for item in cast("tuple[object, ...]", value))
        else:
            parts.append(_hash_part(value))
    return hash(tuple(parts))


def _hash_part(value: object) -> int:
    if isinstance(value, Entity):
        return id(value) if value.BY_IDENTITY else value_hash(value)
    return 0 if value is None else hash(type(value).__name__)

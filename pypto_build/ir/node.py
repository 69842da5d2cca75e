# SPDX-License-Identifier: Apache-2.0
"""The base of everything in the IR: frozen slotted dataclasses with one field table per class.

The table says of each field whether it is a definition, a use, a type, plain data, a name hint or ignored. Rewriting,
equality, digests, serialization and the completeness test of the printer all read this table and nothing else, so a
new field can be forgotten in one place only: its own declaration.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, ClassVar, NoReturn, TypeVar, cast, dataclass_transform

from pypto_build.errors import UNKNOWN_SPAN, Span


class FrozenMap(dict[str, object]):
    """A read-only dictionary (a mapping proxy is not hashable before Python 3.12, so no default of a field)."""

    __slots__ = ()

    def _refuse(self, *_args: object, **_kwargs: object) -> NoReturn:
        raise TypeError("attributes of the IR are read-only: build a new mapping with frozen_map")

    __setitem__ = __delitem__ = __ior__ = clear = _refuse
    pop = popitem = setdefault = update = _refuse  # pyright: ignore[reportAssignmentType]  # likewise

    def __hash__(self) -> int:  # type: ignore[override]  # a dict refuses to hash because it can change
        return hash(frozenset(self))


EMPTY_MAP: Mapping[str, object] = FrozenMap()


class FieldRole(Enum):
    """What a field means to the walks over the IR."""

    DEFINITION = "definition"  # one Var (or None) that this node binds
    DEFINITIONS = "definitions"  # a tuple of Vars that this node binds
    CHILD = "child"  # one node or None
    CHILDREN = "children"  # a tuple of nodes
    TYPE = "type"  # one Type or None
    TYPES = "types"  # a tuple of Types
    DATA = "data"  # a plain value: str, int, float, bool, enum, DataType, Op, None, or tuples of these
    ATTRS = "attrs"  # a mapping of name to plain value, node, type, or tuples of these
    IGNORED = "ignored"  # places and comments


@dataclasses.dataclass(frozen=True, slots=True)
class FieldSpec:
    """One row of a field table; `compared` is False where equality looks away although the digest does not."""

    name: str
    role: FieldRole
    compared: bool = True


# The specifiers below return Any, as `dataclasses.field` does: the declared type of the field is what counts.
_ROLE = "pypto_build.role"
_T = TypeVar("_T")


def _field(role: FieldRole, default: object, *, compared: bool = True) -> object:
    metadata = {_ROLE: (role, compared)}
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def definition(*, default: object = dataclasses.MISSING) -> Any:
    """A field that holds one Var bound here."""
    return _field(FieldRole.DEFINITION, default)


def definitions(*, default: object = dataclasses.MISSING) -> Any:
    """A field that holds a tuple of Vars bound here."""
    return _field(FieldRole.DEFINITIONS, default)


def child(*, default: object = dataclasses.MISSING, compared: bool = True) -> Any:
    """A field that holds one node."""
    return _field(FieldRole.CHILD, default, compared=compared)


def children(*, default: object = dataclasses.MISSING) -> Any:
    """A field that holds a tuple of nodes."""
    return _field(FieldRole.CHILDREN, default)


def type_field(*, default: object = dataclasses.MISSING) -> Any:
    """A field that holds one Type."""
    return _field(FieldRole.TYPE, default)


def type_fields(*, default: object = dataclasses.MISSING) -> Any:
    """A field that holds a tuple of Types."""
    return _field(FieldRole.TYPES, default)


def data(*, default: object = dataclasses.MISSING) -> Any:
    """A field that holds a plain value."""
    return _field(FieldRole.DATA, default)


def attributes(*, default: object = dataclasses.MISSING) -> Any:
    """A field that holds a read-only mapping."""
    return _field(FieldRole.ATTRS, default)


def hint(*, default: object = dataclasses.MISSING) -> Any:
    """A plain value that reaches the output but means nothing to equality: in the digest, not compared."""
    return _field(FieldRole.DATA, default, compared=False)


def ignored(*, default: object = dataclasses.MISSING) -> Any:
    """A field that neither equality nor digests see."""
    return _field(FieldRole.IGNORED, default)


class Entity:
    """Anything with a field table: nodes, types and views."""

    __slots__ = ()
    FIELDS: ClassVar[tuple[FieldSpec, ...]] = ()
    DIGESTED: ClassVar[tuple[FieldSpec, ...]] = ()  # what the digest sees
    COMPARED: ClassVar[tuple[FieldSpec, ...]] = ()  # what equality sees
    BY_IDENTITY: ClassVar[bool] = False  # compared by identity even inside a structural comparison (Var and its kin)
    WALK_FIRST: ClassVar[tuple[str, ...]] = ()  # fields that are walked before the others (uses before definitions)
    WALKED: ClassVar[tuple[FieldSpec, ...]] = ()  # the fields that hold nodes or types, in walking order
    INDEX_IS_INT64: ClassVar[bool] = False  # whether equality takes dtype INDEX and INT64 for the same

    def replace(self: _T, **changes: object) -> _T:
        """A copy with some fields changed; meant for tests and rare paths, a pass calls the constructor."""
        return cast(_T, dataclasses.replace(self, **changes))  # type: ignore[type-var]  # every Entity is a dataclass


class Node(Entity):
    """An expression, statement, function or program: compared by identity; `structural_equal` compares structure."""

    __slots__ = ()
    span: Span

    def same_as(self, other: object) -> bool:
        """Whether both are the very same node."""
        return self is other

    def __str__(self) -> str:
        from pypto_build.ir.printing import python_print  # the printer sits above the nodes

        return python_print(self)


@dataclass_transform(
    frozen_default=True,
    eq_default=False,
    field_specifiers=(
        definition,
        definitions,
        child,
        children,
        type_field,
        type_fields,
        data,
        attributes,
        hint,
        ignored,
        dataclasses.field,
    ),
)
def node(cls: type[_T]) -> type[_T]:
    """Make a class a frozen, slotted record with identity equality and a field table."""
    made = dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)(cls)
    return _with_table(made)


@dataclass_transform(
    frozen_default=True,
    eq_default=False,
    field_specifiers=(
        definition,
        definitions,
        child,
        children,
        type_field,
        type_fields,
        data,
        hint,
        attributes,
        ignored,
        dataclasses.field,
    ),
)
def weak_node(cls: type[_T]) -> type[_T]:
    """The same, for the few classes that caches beside the IR refer to weakly."""
    made = dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)(cls)
    return _with_table(made)


def _with_table(made: type[_T]) -> type[_T]:
    rows: list[FieldSpec] = []
    for row in dataclasses.fields(made):  # type: ignore[arg-type]  # made by dataclass one line above
        if _ROLE not in row.metadata:
            raise TypeError(f"{made.__name__}.{row.name} has no role: declare it with child(), data(), ...")
        role, compared = row.metadata[_ROLE]
        rows.append(FieldSpec(row.name, role, compared and role is not FieldRole.IGNORED))
    table = tuple(rows)
    setattr(made, "FIELDS", table)  # noqa: B010  # the class variables of Entity, filled once per class
    setattr(made, "DIGESTED", tuple(r for r in table if r.role is not FieldRole.IGNORED))  # noqa: B010
    setattr(made, "COMPARED", tuple(r for r in table if r.compared))  # noqa: B010
    first: tuple[str, ...] = getattr(made, "WALK_FIRST", ())
    walked = [r for r in table if r.role not in (FieldRole.IGNORED, FieldRole.DATA)]
    setattr(made, "WALKED", tuple(sorted(walked, key=lambda r: r.name not in first)))  # noqa: B010
    return made


def frozen_map(values: Mapping[str, object] | None) -> Mapping[str, object]:
    """A read-only copy of a mapping; the shared empty one when there is nothing in it."""
    if not values:
        return EMPTY_MAP
    return values if isinstance(values, FrozenMap) else FrozenMap(values)


def iter_children(entity: Entity) -> Iterator[Node]:
    """The nodes directly below an entity, in walking order; definitions and nodes inside attributes included."""
    for row in entity.WALKED:
        role = row.role
        if role in _CHILD_ROLES:
            value = getattr(entity, row.name)
            if isinstance(value, Node):
                yield value
            elif value is not None and role is FieldRole.ATTRS:
                for item in value.values():
                    yield from nodes_in(item)
            elif value:
                yield from value


_CHILD_ROLES = frozenset(
    {FieldRole.DEFINITION, FieldRole.DEFINITIONS, FieldRole.CHILD, FieldRole.CHILDREN, FieldRole.ATTRS}
)


def nodes_in(value: object) -> Iterator[Node]:
    """The nodes inside one attribute value, which may be a node or a tuple of values."""
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in cast("tuple[object, ...]", value):
            yield from nodes_in(item)


def map_attrs(attrs: Mapping[str, object], visit: Callable[[Node], object]) -> Mapping[str, object]:
    """The attributes with `visit` applied to every node inside; the same mapping when nothing changed."""
    changed: dict[str, object] = {}
    for name, value in attrs.items():
        new = _map_value(value, visit)
        if new is not value:
            changed[name] = new
    return FrozenMap({**attrs, **changed}) if changed else attrs


def _map_value(value: object, visit: Callable[[Node], object]) -> object:
    if isinstance(value, Node):
        return visit(value)
    if isinstance(value, tuple):
        items = cast("tuple[object, ...]", value)
        new = tuple(_map_value(item, visit) for item in items)
        return items if all(a is b for a, b in zip(items, new, strict=True)) else new
    return value


__all__ = ["EMPTY_MAP", "UNKNOWN_SPAN", "Entity", "FieldRole", "FieldSpec", "Node", "Span", "frozen_map", "node"]

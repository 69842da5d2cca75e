# SPDX-License-Identifier: Apache-2.0
"""IR as a flat table of JSON records, and back; safe to load because nothing in it is executed.

One record per node, children before parents, so that shared nodes stay shared and deep trees need no recursion in the
JSON reader. Places and comments are left out unless asked for: a stored body must not depend on them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, cast

from pypto_build.errors import UNKNOWN_SPAN, Span, UserError
from pypto_build.ir import enums, expr, program, stmt, types
from pypto_build.ir.dtype import DataType, dtype_by_attribute
from pypto_build.ir.expr import GlobalVar, Op
from pypto_build.ir.node import Entity, FieldRole, FrozenMap
from pypto_build.ir.program import Program

FORMAT = 1


def encode(entity: Entity, *, spans: bool = False) -> bytes:
    """The entity as UTF-8 JSON, byte-identical for equal inputs in every process."""
    return _Writer(spans).table(entity)


def encode_apart(entity: Entity) -> tuple[bytes, tuple[Span, ...]]:
    """What `encode` gives, and apart from it the places of the nodes, in an order that `decode` knows."""
    writer = _Writer(spans=False)
    content = writer.table(entity)
    return content, tuple(cast("Any", one).span for one in writer.written if type(one) in _PLACED)


def decode(text: bytes, places: Iterable[Span] = ()) -> Any:  # Any: the caller knows what it encoded
    """The entity that `encode` wrote; with the places that `encode_apart` gave beside it, if they are given.

    Raises:
        UserError: the text is not such a table, or one of another format version.
    """
    try:
        table = json.loads(text)
        if table["format"] != FORMAT:
            raise UserError("IR001", f"serialized IR has format {table['format']}, this version reads {FORMAT}")
        return _Reader(table["strings"], table["records"], iter(places)).load(table["root"])
    except (ValueError, KeyError, IndexError, TypeError) as problem:
        raise UserError("IR002", f"this is not serialized IR: {problem}") from problem


class _Writer:
    """Values become: scalars as themselves, [tag, ...] for the rest, ["n", index] for a record."""

    def __init__(self, spans: bool) -> None:
        self.spans = spans
        self.records: list[list[object]] = []
        self.strings: dict[str, int] = {}
        self._index: dict[int, int] = {}
        self.written: list[Entity] = []  # in order; keeps identities from being reused while they are keys

    def table(self, entity: Entity) -> bytes:
        root = self.value(entity)
        table = {"format": FORMAT, "root": root, "strings": list(self.strings), "records": self.records}
        return json.dumps(table, separators=(",", ":"), ensure_ascii=False).encode()

    def value(self, value: object) -> object:
        if value is None or isinstance(value, bool | int | str):
            return ["e", type(value).__name__, value.name] if isinstance(value, Enum) else value
        if isinstance(value, float):
            return ["f", value.hex()]
        if isinstance(value, Entity):
            return ["n", self._record(value)]
        if isinstance(value, tuple):
            return ["t", *[self.value(item) for item in cast("tuple[object, ...]", value)]]
        if isinstance(value, Mapping):
            items = cast("Mapping[str, object]", value)
            return ["m", *[[key, self.value(items[key])] for key in sorted(items)]]
        return self._leaf(value)

    def _leaf(self, value: object) -> object:
        if isinstance(value, Enum):
            return ["e", type(value).__name__, value.name]
        if isinstance(value, DataType):
            return ["d", value.attribute]
        if isinstance(value, Op):
            return ["g" if isinstance(value, GlobalVar) else "o", value.name]
        if isinstance(value, Span):
            place = (value.begin_line, value.begin_column, value.end_line, value.end_column)
            return ["s", self._string(value.filename), *place]
        raise TypeError(f"a value of type {type(value).__name__} cannot be serialized")

    def _string(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def _record(self, entity: Entity) -> int:
        known = self._index.get(id(entity))
        if known is not None:
            return known
        fields = [self._field(entity, row.role, row.name) for row in entity.FIELDS]
        index = len(self.records)
        self.records.append([type(entity).__name__, *fields])
        self._index[id(entity)] = index
        self.written.append(entity)
        return index

    def _field(self, entity: Entity, role: FieldRole, name: str) -> object:
        value = getattr(entity, name)
        if isinstance(entity, Program) and name == "functions":
            return self.value(tuple(value.values()))
        if role is FieldRole.IGNORED and not self.spans:
            return None
        return self.value(value)


class _Reader:
    def __init__(self, strings: list[str], records: list[list[object]], places: Iterator[Span]) -> None:
        self.strings = strings
        self.places = places
        self.made: list[Entity] = []
        for record in records:
            self.made.append(self._make(record))

    def load(self, value: object) -> object:
        if isinstance(value, list):
            tag, *rest = cast("list[Any]", value)
            return self._tagged(cast(str, tag), rest)
        return value

    def _tagged(self, tag: str, rest: list[Any]) -> object:
        match tag:
            case "n":
                return self.made[cast(int, rest[0])]
            case "t":
                return tuple(map(self.load, rest))
            case "m":
                return FrozenMap({key: self.load(item) for key, item in rest})
            case "e":
                return _ENUMS[rest[0]][rest[1]]
            case "s":
                return Span(self.strings[cast(int, rest[0])], *rest[1:])
            case _:
                return _ATOMS[tag](rest[0])

    def _make(self, record: list[object]) -> Entity:
        name, *fields = record
        cls = _CLASSES[cast(str, name)]
        values = [
            self._ignored(row.name, value) if row.role is FieldRole.IGNORED else self.load(value)
            for row, value in zip(cls.FIELDS, fields, strict=True)
        ]
        return cls(*values)

    def _ignored(self, name: str, value: object) -> object:
        if value is not None:
            return self.load(value)
        return next(self.places, UNKNOWN_SPAN) if name == "span" else ()


_ATOMS: dict[str, Callable[[Any], object]] = {
    "f": float.fromhex,
    "d": dtype_by_attribute,
    "o": Op,
    "g": GlobalVar,
}
"""What is made of one value; another tag is no IR of ours."""


def _classes() -> dict[str, type[Any]]:
    found: dict[str, type[Any]] = {}
    for module in (expr, stmt, types, program):
        for name, value in vars(module).items():
            if isinstance(value, type) and issubclass(value, Entity) and value.FIELDS is not Entity.FIELDS:
                found[name] = value
            elif isinstance(value, type) and issubclass(value, Entity) and "__dataclass_fields__" in vars(value):
                found[name] = value  # a class with no fields of its own, such as PtrType
    return found


_CLASSES = _classes()
_PLACED = frozenset(cls for cls in _CLASSES.values() if any(row.name == "span" for row in cls.FIELDS))
_ENUMS: dict[str, Any] = {
    name: value for name, value in vars(enums).items() if isinstance(value, type) and issubclass(value, Enum)
}

# SPDX-License-Identifier: Apache-2.0
"""The types that an option may have: what YAML value each takes, how it is shown, and its JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Literal, Protocol, Union, cast, get_args, get_origin

Json = dict[str, object]


class OptionValueError(ValueError):
    """A value does not have the type of its option; the message completes `option x of pass y ...`."""


class OptionType(Protocol):
    """One type of option."""

    @property
    def text(self) -> str:
        """What it takes, in words."""
        ...

    def convert(self, value: object) -> object:
        """The value as the pass gets it; OptionValueError when it does not fit."""
        ...

    def schema(self) -> Json:
        """JSON Schema of the values it takes."""
        ...


@dataclass(frozen=True, slots=True)
class Plain:
    """A boolean, integer, number or text. An integer is a number; a boolean is not an integer."""

    type: type
    text: str
    json: str

    def convert(self, value: object) -> object:
        """See OptionType."""
        if self.type is float and type(value) is int:
            return float(value)
        if type(value) is not self.type:
            raise OptionValueError(f"takes {self.text}, not {shown(value)}")
        return value

    def schema(self) -> Json:
        """See OptionType."""
        return {"type": self.json}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few values; a member of an enumeration is written as its value or, in lower case, its name."""

    members: tuple[tuple[object, object], ...]  # as written, as the pass gets it

    @property
    def text(self) -> str:
        """See OptionType."""
        return "one of " + ", ".join(f"`{_bare(written)}`" for written, _ in self.members)

    def convert(self, value: object) -> object:
        """See OptionType."""
        for written, meant in self.members:
            if type(value) is type(written) and value == written:
                return meant
        raise OptionValueError(f"takes {self.text}, not {shown(value)}")

    def schema(self) -> Json:
        """See OptionType."""
        return {"enum": [written for written, _ in self.members]}


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of values of one type; of a fixed length when `length` is given."""

    item: OptionType
    length: int | None = None

    @property
    def text(self) -> str:
        """See OptionType."""
        return f"a list of {self.length} values" if self.length is not None else "a list"

    def convert(self, value: object) -> object:
        """See OptionType."""
        if not isinstance(value, list | tuple):
            raise OptionValueError(f"takes {self.text}, not {shown(value)}")
        items = cast(Sequence[object], value)
        if self.length is not None and len(items) != self.length:
            raise OptionValueError(f"takes {self.text}, not of {len(items)}")
        return tuple(_item(self.item, item) for item in items)

    def schema(self) -> Json:
        """See OptionType."""
        schema: Json = {"type": "array", "items": self.item.schema()}
        return schema if self.length is None else {**schema, "minItems": self.length, "maxItems": self.length}


@dataclass(frozen=True, slots=True)
class TableOf:
    """A mapping from text to values of one type."""

    item: OptionType

    @property
    def text(self) -> str:
        """See OptionType."""
        return "a mapping"

    def convert(self, value: object) -> object:
        """See OptionType."""
        if not isinstance(value, dict):
            raise OptionValueError(f"takes {self.text}, not {shown(value)}")
        return {key: _item(self.item, item) for key, item in cast(Mapping[str, object], value).items()}

    def schema(self) -> Json:
        """See OptionType."""
        return {"type": "object", "additionalProperties": self.item.schema()}


@dataclass(frozen=True, slots=True)
class OneOf:
    """Any of several types, the first that fits; `null` is nothing."""

    types: tuple[OptionType, ...]

    @property
    def text(self) -> str:
        """See OptionType."""
        return " or ".join(one.text for one in self.types)

    def convert(self, value: object) -> object:
        """See OptionType."""
        for one in self.types:
            try:
                return one.convert(value)
            except OptionValueError:
                continue
        raise OptionValueError(f"takes {self.text}, not {shown(value)}")

    def schema(self) -> Json:
        """See OptionType."""
        return {"anyOf": [one.schema() for one in self.types]}


BASIC: Mapping[object, OptionType] = {
    bool: Plain(bool, "`true` or `false`", "boolean"),
    int: Plain(int, "an integer", "integer"),
    float: Plain(float, "a number", "number"),
    str: Plain(str, "text", "string"),
    NoneType: Plain(NoneType, "`null`", "null"),
}


def option_type(annotation: object) -> OptionType:
    """The option type of a field's annotation; TypeError for one that an option cannot have."""
    basic = (
        BASIC.get(annotation) if isinstance(annotation, type) else BASIC.get(type(None)) if annotation is None else None
    )
    if basic is not None:
        return basic
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return Choice(tuple((_written(member), member) for member in annotation))
    origin, arguments = cast(object, get_origin(annotation)), cast(tuple[object, ...], get_args(annotation))
    match origin:
        case _ if origin is Literal:
            return Choice(tuple((one, one) for one in arguments))
        case _ if origin is UnionType or origin is Union:
            return OneOf(tuple(map(option_type, arguments)))
        case _ if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
            return ListOf(option_type(arguments[0]))
        case _ if origin is tuple and len(set(arguments)) == 1:
            return ListOf(option_type(arguments[0]), len(arguments))
        case _ if isinstance(origin, type) and issubclass(origin, Mapping) and arguments[0] is str:
            return TableOf(option_type(arguments[1]))
        case _:
            raise TypeError(f"an option cannot have the type {annotation}")


def shown(value: object) -> str:
    """A value as a message shows it."""
    match value:
        case None:
            return "nothing"
        case bool():
            return f"`{str(value).lower()}`"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text `{value}`"
        case list() | tuple():
            return "a list"
        case _:
            return "a mapping"


def plain_value(value: object) -> object:
    """An option's value as YAML and JSON write it."""
    match value:
        case Enum():
            return _written(value)
        case tuple() | list():
            return [plain_value(item) for item in cast(Sequence[object], value)]
        case frozenset() | set():
            return sorted(plain_value(item) for item in value)  # type: ignore[type-var]  # reason: sets hold one type
        case Mapping():
            items = cast(Mapping[str, object], value).items()
            return {key: plain_value(item) for key, item in sorted(items)}
        case _:
            return value


def _item(item_type: OptionType, value: object) -> object:
    try:
        return item_type.convert(value)
    except OptionValueError as error:
        raise OptionValueError(f"has an item that {error}") from None


def _written(member: Enum) -> object:
    value = cast(object, member.value)
    return value if isinstance(value, str) else member.name.lower()


def _bare(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

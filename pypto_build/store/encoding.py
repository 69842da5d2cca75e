# SPDX-License-Identifier: Apache-2.0
"""Component values: their unambiguous bytes and their JSON form, neither of which depends on the process.

Every value is a type tag, a length and the content, so two different values never share bytes: `"1"` is not `1`,
`("ab", "c")` is not `("a", "bc")`, `0` is neither `0.0` nor `False`. A tuple and a list are the same value. The JSON
form is for records and for people; it restores exactly the same value.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from pypto_build.errors import UserError

ComponentValue: TypeAlias = (
    "bool | int | float | str | bytes | Sequence[ComponentValue] | Mapping[str, ComponentValue] | None"
)
"""What a key can be made of. Mappings are ordered by their keys, sequences keep their order."""

Components: TypeAlias = tuple[tuple[str, ComponentValue], ...]
"""Named values in a fixed order."""

_DEPTH = 64  # deeper values are a mistake (usually a cycle), and must not meet the recursion limit


def encode(value: object, where: str = "value") -> bytes:
    """The bytes of a value; a prefix code. A value that a key cannot hold is an error that names its place."""
    parts: list[bytes] = []
    _freeze(value, parts, 0, where)
    return b"".join(parts)


def freeze_components(components: Components) -> tuple[Components, bytes]:
    """The components with tuples and read-only sorted mappings inside, and their bytes one after another."""
    parts: list[bytes] = []
    frozen: list[tuple[str, ComponentValue]] = []
    for name, value in components:
        parts.append(_encode_str(name))
        frozen.append((name, _freeze(value, parts, 0, name)))
    return tuple(frozen), b"".join(parts)


def _freeze(value: object, parts: list[bytes], depth: int, where: str) -> ComponentValue:
    """Append the bytes of `value` to `parts`; one walk for both results, because a build makes a key per pass."""
    encoder = _SCALARS.get(type(value))
    if encoder is not None:
        parts.append(encoder(value))
        return cast("ComponentValue", value)
    if depth > _DEPTH:
        raise UserError("STORE002", f"{where} is nested more than {_DEPTH} levels deep")
    if type(value) is tuple or type(value) is list:
        items = cast("Sequence[object]", value)
        parts.append(b"l%d:" % len(items))
        return tuple([_freeze(item, parts, depth + 1, where) for item in items])
    if isinstance(value, Mapping):
        return _freeze_mapping(cast("Mapping[object, object]", value), parts, depth, where)
    raise UserError(
        "STORE001",
        f"{where} holds a value of type {type(value).__qualname__}, which cannot be part of a key",
        help="use None, bool, int, float, str, bytes, and tuples or string-keyed mappings of them; sort a set first",
    )


def _freeze_mapping(
    value: Mapping[object, object], parts: list[bytes], depth: int, where: str
) -> Mapping[str, ComponentValue]:
    names: list[str] = []
    for name in value:
        if type(name) is not str:
            raise UserError("STORE003", f"{where} has the key {name!r}; the keys of a mapping must be strings")
        names.append(name)
    names.sort()
    parts.append(b"m%d:" % len(names))
    frozen: dict[str, ComponentValue] = {}
    for name in names:
        parts.append(_encode_str(name))
        frozen[name] = _freeze(value[name], parts, depth + 1, f"{where}.{name}")
    return MappingProxyType(frozen)


def _encode_str(value: str) -> bytes:
    content = value.encode("utf-8", "surrogatepass")
    return b"s%d:%b" % (len(content), content)


def _encode_int(value: int) -> bytes:
    content = b"%d" % value
    return b"i%d:%b" % (len(content), content)


_SCALARS: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda _: b"n",
    bool: lambda value: b"t" if value else b"f",
    int: _encode_int,
    float: lambda value: b"d" + struct.pack(">d", value),
    str: _encode_str,
    bytes: lambda value: b"b%d:%b" % (len(value), value),
}
"""By exact type: a subclass (an enum member, a NumPy scalar) may mean more than the value it is based on."""


def components_to_json(components: Components) -> str:
    """One line of JSON: a list of `[name, value]` pairs, in order."""
    return dump_json([[name, to_plain(value)] for name, value in components])


def components_from_json(text: str) -> Components:
    """The components that `components_to_json` wrote; raises ValueError for anything else."""
    pairs = cast("object", json.loads(text))
    if not isinstance(pairs, list):
        raise ValueError("components must be a list of pairs")
    result: list[tuple[str, ComponentValue]] = []
    for pair in cast("list[list[object]]", pairs):
        match pair:
            case [str(name), value]:
                result.append((name, from_plain(value)))
            case _:
                raise ValueError("a component must be a pair of a name and a value")
    return tuple(result)


def dump_json(value: object) -> str:
    """Compact JSON with sorted object keys, ASCII only: the same value always gives the same text."""
    return _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(separators=(",", ":"), sort_keys=True, allow_nan=False)


def to_plain(value: ComponentValue) -> object:
    """A value in terms of JSON: bytes and non-finite floats are tagged objects, a `$` before a name is doubled."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        finite = value - value == 0.0
        return value if finite else {"$float": struct.pack(">d", value).hex()}
    if isinstance(value, bytes):
        return {"$bytes": value.hex()}
    if isinstance(value, Mapping):
        return {("$" + name if name.startswith("$") else name): to_plain(item) for name, item in value.items()}
    return [to_plain(item) for item in value]


def from_plain(value: object) -> ComponentValue:
    """The inverse of `to_plain`; raises ValueError for a tag that is not ours."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list():
            return tuple([from_plain(item) for item in cast("list[object]", value)])
        case {"$float": str(bits)}:
            return _float_of(bytes.fromhex(bits))
        case {"$bytes": str(digits)}:
            return bytes.fromhex(digits)
        case dict():
            items = cast("dict[str, object]", value)
            return MappingProxyType({_unescape(name): from_plain(items[name]) for name in sorted(items, key=_unescape)})
        case _:
            raise ValueError(f"{type(value).__name__} is not a component value")


def _float_of(bits: bytes) -> float:
    if len(bits) != 8:
        raise ValueError("a float has eight bytes")
    return struct.unpack(">d", bits)[0]


def _unescape(name: str) -> str:
    if not name.startswith("$"):
        return name
    if not name.startswith("$$"):
        raise ValueError(f"unknown tag {name!r}")
    return name[1:]

# SPDX-License-Identifier: Apache-2.0
"""The first component that differs between two keys, with both its values: the reason of a miss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from pypto_build.store.encoding import Components, ComponentValue, encode
from pypto_build.store.key import is_digest


class Absent(Enum):
    """The value of something that one of the two sides does not have."""

    ABSENT = "absent"

    def __str__(self) -> str:
        return self.value


ABSENT = Absent.ABSENT
Side: TypeAlias = "ComponentValue | Absent"
_SHOWN = 60  # characters of a value that a one-line explanation has room for


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two keys part: the component, the path inside its value, and what each side holds there."""

    component: str
    path: tuple[str | int, ...]
    old: Side
    new: Side

    @property
    def place(self) -> str:
        """`options.tiles[2]`."""
        return self.component + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)

    def __str__(self) -> str:
        return f"{self.place}: {show(self.old)} -> {show(self.new)}"


def first_difference(old: Components, new: Components) -> Difference | None:
    """The first component of `new` that `old` lacks or has with another value, then what only `old` has, or None."""
    old_values, new_values = dict(old), dict(new)
    for name, value in new:
        found = _differ(name, (), old=old_values.get(name, ABSENT), new=value)
        if found is not None:
            return found
    for name, value in old:
        if name not in new_values:
            return Difference(name, (), value, ABSENT)
    old_order, new_order = tuple(old_values), tuple(new_values)
    return None if old_order == new_order else Difference("(order of components)", (), old_order, new_order)


def show(value: Side) -> str:
    """A value on one line: digests by their first twelve digits, long values cut."""
    if isinstance(value, Absent):
        return str(value)
    if isinstance(value, str) and is_digest(value):
        return value[:12]
    text = repr(dict(value)) if isinstance(value, Mapping) else repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _differ(component: str, path: tuple[str | int, ...], *, old: Side, new: Side) -> Difference | None:
    if isinstance(old, Absent) or isinstance(new, Absent):
        return None if old is new else Difference(component, path, old, new)
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return _mappings_differ(component, path, old=old, new=new)
    if isinstance(old, tuple) and isinstance(new, tuple):
        return _sequences_differ(component, path, old=old, new=new)
    return None if encode(old) == encode(new) else Difference(component, path, old, new)


def _mappings_differ(
    component: str,
    path: tuple[str | int, ...],
    *,
    old: Mapping[str, ComponentValue],
    new: Mapping[str, ComponentValue],
) -> Difference | None:
    for name in sorted(old.keys() | new.keys()):
        found = _differ(component, (*path, name), old=old.get(name, ABSENT), new=new.get(name, ABSENT))
        if found is not None:
            return found
    return None


def _sequences_differ(
    component: str,
    path: tuple[str | int, ...],
    *,
    old: tuple[ComponentValue, ...],
    new: tuple[ComponentValue, ...],
) -> Difference | None:
    for index in range(max(len(old), len(new))):
        before = old[index] if index < len(old) else ABSENT
        after = new[index] if index < len(new) else ABSENT
        found = _differ(component, (*path, index), old=before, new=after)
        if found is not None:
            return found
    return None

# SPDX-License-Identifier: Apache-2.0
"""Property sets of the public interface: mutable, and the sets that are verified at each occasion."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, Generic, Self, TypeVar, cast

from pypto_build.passes import DEFAULT_VERIFY, STRUCTURAL, VERIFIED_BASIC, IRProperty

_E = TypeVar("_E", bound=Enum)


class EnumSet(Generic[_E]):
    """A mutable set of the members of an enum, in the enum's order."""

    def __init__(self, members: Iterable[_E] = ()) -> None:
        self._members = set(members)

    def insert(self, member: _E) -> None:
        """Add one."""
        self._members.add(member)

    def remove(self, member: _E) -> None:
        """Take one out, if it is there."""
        self._members.discard(member)

    def contains(self, member: _E) -> bool:
        """Whether it is in."""
        return member in self._members

    def contains_all(self, other: EnumSet[_E]) -> bool:
        """Whether all of the other are in."""
        return other._members <= self._members

    def union_with(self, other: EnumSet[_E]) -> Self:
        """Those in either."""
        return type(self)(self._members | other._members)

    def intersection(self, other: EnumSet[_E]) -> Self:
        """Those in both."""
        return type(self)(self._members & other._members)

    def difference(self, other: EnumSet[_E]) -> Self:
        """Those in this one only."""
        return type(self)(self._members - other._members)

    def empty(self) -> bool:
        """Whether there is none."""
        return not self._members

    def to_list(self) -> list[_E]:
        """All of them, in the enum's order."""
        return sorted(self._members, key=lambda member: member.value)

    def frozen(self) -> frozenset[_E]:
        """All of them, as our own code wants them."""
        return frozenset(self._members)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EnumSet) and self._members == cast("EnumSet[Any]", other)._members

    __hash__ = None  # type: ignore[assignment]  # it can change

    def __str__(self) -> str:
        return "{" + ", ".join(member.name for member in self.to_list()) + "}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"


class IRPropertySet(EnumSet[IRProperty]):
    """A set of properties."""


def get_default_verify_properties() -> IRPropertySet:
    """What an explicit verification checks."""
    return IRPropertySet(DEFAULT_VERIFY)


def get_structural_properties() -> IRPropertySet:
    """What holds of every well-formed program."""
    return IRPropertySet(STRUCTURAL)


def get_verified_properties() -> IRPropertySet:
    """What the level `basic` checks when a pass produces it."""
    return IRPropertySet(VERIFIED_BASIC)

# SPDX-License-Identifier: Apache-2.0
"""Names that passes give: `base__role_vN`, one counter per base name.

Source: SSA-4 to SSA-8. The delimiter `__` is reserved, so that a name can be taken apart again and no suffix stacks up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DELIMITER = "__"
_AUTO_NAME = re.compile(r"(?P<base>.+?)__(?P<role>[a-z]+(?:_[a-z]+)*)_v(?P<version>[0-9]+)")
_ONLY_ONE = re.compile(r"(?P<base>.+)__(?P<role>(?:out|store|tile|window|windowed|assembled)(?:_[0-9]+)?)")
"""Roles that a name may have without a version: a base mostly has one of them, or one for each of its elements."""


@dataclass(frozen=True, slots=True)
class AutoName:
    """A name taken apart; role is empty for a name that a person wrote, version -1 where there is none."""

    base: str
    role: str = ""
    version: int = -1

    @staticmethod
    def parse(name: str) -> AutoName:
        """Take a name apart."""
        match = _AUTO_NAME.fullmatch(name)
        if match is not None:
            return AutoName(match["base"], match["role"], int(match["version"]))
        match = _ONLY_ONE.fullmatch(name)
        return AutoName(match["base"], match["role"]) if match is not None else AutoName(name)

    def __str__(self) -> str:
        version = f"_v{self.version}" if self.version >= 0 else ""
        return f"{self.base}{DELIMITER}{self.role}{version}" if self.role else self.base


class NameCounter:
    """Hands out versions: the next number of a base name, whatever the role."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}
        self._only_ones: set[AutoName] = set()

    def seen(self, name: str) -> None:
        """Do not hand out this version or an earlier one of its base again."""
        parsed = AutoName.parse(name)
        if parsed.role and parsed.version < 0:
            self._only_ones.add(parsed)
        elif parsed.role:
            self._next[parsed.base] = max(self._next.get(parsed.base, 0), parsed.version + 1)

    def fresh(self, base: str, role: str) -> str:
        """The next name of a base in a role."""
        number = self._next.get(base, 0)
        self._next[base] = number + 1
        return str(AutoName(base, role, number))

    def only_one(self, base: str, role: str) -> str:
        """The name of a base in a role, without a version for the first."""
        name = AutoName(base, role)
        if name in self._only_ones:
            return self.fresh(base, role)
        self._only_ones.add(name)
        return str(name)


def base_name(name: str) -> str:
    """The base that a person wrote, or a person's name as it is.

    Raises:
        ValueError: the base itself contains the reserved delimiter. Source: SSA-7.
    """
    base = name
    while (parsed := AutoName.parse(base)).role:
        base = parsed.base
    if DELIMITER in base.strip("_"):
        raise ValueError(f"variable name {name!r} contains the reserved delimiter '{DELIMITER}'")
    return base

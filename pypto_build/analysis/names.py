# SPDX-License-Identifier: Apache-2.0
"""Names that passes give: `base__role_vN`, one counter per base name.

Source: SSA-4 to SSA-8. The delimiter `__` is reserved, so that a name can be taken apart again and no suffix stacks up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DELIMITER = "__"
_AUTO_NAME = re.compile(r"(?P<base>.+?)__(?P<role>[a-z]+(?:_[a-z]+)*)_v(?P<version>[0-9]+)")


@dataclass(frozen=True, slots=True)
class AutoName:
    """A name taken apart; role is empty for a name that a person wrote."""

    base: str
    role: str = ""
    version: int = -1

    @staticmethod
    def parse(name: str) -> AutoName:
        """Take a name apart."""
        match = _AUTO_NAME.fullmatch(name)
        if match is None:
            return AutoName(name)
        return AutoName(match["base"], match["role"], int(match["version"]))

    def __str__(self) -> str:
        return f"{self.base}{DELIMITER}{self.role}_v{self.version}" if self.role else self.base


class NameCounter:
    """Hands out versions: the next number of a base name, whatever the role."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def seen(self, name: str) -> None:
        """Do not hand out this version or an earlier one of its base again."""
        parsed = AutoName.parse(name)
        if parsed.role:
            self._next[parsed.base] = max(self._next.get(parsed.base, 0), parsed.version + 1)

    def fresh(self, base: str, role: str) -> str:
        """The next name of a base in a role."""
        number = self._next.get(base, 0)
        self._next[base] = number + 1
        return str(AutoName(base, role, number))


def base_name(name: str) -> str:
    """The base that a person wrote, or a person's name as it is.

    Raises:
        ValueError: the base itself contains the reserved delimiter. Source: SSA-7.
    """
    base = AutoName.parse(name).base
    if DELIMITER in base.strip("_"):
        raise ValueError(f"variable name {name!r} contains the reserved delimiter '{DELIMITER}'")
    return base

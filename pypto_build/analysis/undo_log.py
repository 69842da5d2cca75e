# SPDX-License-Identifier: Apache-2.0
"""Changes of tables that can be taken back to a mark: what holds inside a loop or branch is forgotten behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class UndoLog:
    """Changes tables and remembers what they held before."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def set(self, table: dict[_Key, _Value], key: _Key, value: _Value) -> None:
        """Put a value into a table."""
        self._remember(table, key)
        table[key] = value

    def drop(self, table: dict[_Key, _Value], key: _Key) -> None:
        """Take a key out of a table, if it is there."""
        if key in table:
            self._remember(table, key)
            del table[key]

    def mark(self) -> int:
        """A point to which changes can be taken back."""
        return len(self._undo)

    def back_to(self, mark: int) -> bool:
        """Take back every change since a mark; whether there was one."""
        changed = len(self._undo) > mark
        while len(self._undo) > mark:
            self._undo.pop()()
        return changed

    def _remember(self, table: dict[_Key, _Value], key: _Key) -> None:
        before = (table[key],) if key in table else ()

        def undo() -> None:
            if before:
                table[key] = before[0]
            else:
                table.pop(key, None)

        self._undo.append(undo)

# SPDX-License-Identifier: Apache-2.0
"""What the public interface shows on our classes beyond what they have: on while it is installed, off after.

Own code never sees the difference: every patch that changes a meaning asks who is calling.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_ABSENT: Final = object()


class Patches:
    """Attributes to set on classes, and what was there before."""

    def __init__(self) -> None:
        self._sources: list[Callable[[], None]] = []
        self._before: list[tuple[type, str, object]] = []

    def set(self, cls: type, name: str, value: object) -> None:
        """Set a class attribute until `undo`."""
        self._before.append((cls, name, cls.__dict__.get(name, _ABSENT)))
        setattr(cls, name, value)

    def apply(self) -> None:
        """Set everything."""
        from pypto_build.compat import extras, jit_functions, operators, sequences  # they register with this module

        for source in (sequences.patch, operators.patch, extras.patch, jit_functions.patch):
            source(self.set)

    def undo(self) -> None:
        """Put everything back."""
        for cls, name, value in reversed(self._before):
            if value is _ABSENT:
                delattr(cls, name)
            else:
                setattr(cls, name, value)
        self._before.clear()


PATCHES: Final = Patches()

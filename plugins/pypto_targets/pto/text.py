# SPDX-License-Identifier: Apache-2.0
"""The text of one kernel function as it grows: lines, names that do not clash, constants that are written once."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from pypto_build.errors import Span

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.$]")
_ESCAPES = {
    **{code: f"\\{code:02X}" for code in (*range(0x20), 0x7F)},
    **str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}),
}
"""What stands for a character that a string of the assembler cannot hold as it is."""


@dataclass(frozen=True, slots=True)
class Value:
    """An SSA value: its name and its type."""

    name: str
    type: str


class KernelText:
    """Lines of a function: constants in the order of first use, the head with views and early buffers, the body."""

    def __init__(self, *, inline_locations: bool) -> None:
        self.constants: list[str] = []
        self.head: list[tuple[str, Span]] = []
        self.body: list[tuple[str, Span]] = []
        self.span = Span.unknown()
        self.level = 1
        self._inline = inline_locations
        self._names: set[str] = set()
        self._known: dict[tuple[str, str], Value] = {}
        self._floats = 0
        self._temporaries = 0

    def emit(self, text: str, *, place: bool = True) -> None:
        """One line of the body; `place` is False for braces and labels, which have no source place."""
        suffix = self._location() if place and self._inline else ""
        self.body.append((f"{'  ' * self.level}{text}{suffix}", self.span if place else Span.unknown()))

    def begin_body(self) -> None:
        """What was written so far is the head."""
        self.head, self.body = [*self.head, *self.body], []

    @contextmanager
    def in_head(self) -> Generator[None]:
        """What is written meanwhile comes before the body, so that it dominates every branch and loop."""
        body, level = self.body, self.level
        self.body, self.level = self.head, 1
        try:
            yield
        finally:
            self.body, self.level = body, level

    @contextmanager
    def region(self) -> Generator[None]:
        """What is written meanwhile is one level deeper."""
        self.level += 1
        try:
            yield
        finally:
            self.level -= 1

    def _location(self) -> str:
        if not self.span.is_valid():
            return ""
        path = self.span.filename.translate(_ESCAPES)
        return f' loc("{path}":{self.span.begin_line}:{max(self.span.begin_column, 1)})'

    def name(self, hint: str = "") -> str:
        """An unused name: the hint if it is free, else the next number."""
        wanted = _NOT_IN_NAMES.sub("_", hint)
        if wanted and not wanted[0].isdigit() and wanted not in self._names:
            self._names.add(wanted)
            return f"%{wanted}"
        while str(self._temporaries) in self._names:
            self._temporaries += 1
        self._names.add(str(self._temporaries))
        return f"%{self._temporaries}"

    def define(self, operation: str, kind: str, hint: str = "") -> Value:
        """A new value made by an operation."""
        value = Value(self.name(hint), kind)
        self.emit(f"{value.name} = {operation}")
        return value

    def integer(self, number: int, kind: str) -> Value:
        """An integer constant of a signless type, `index` or an unsigned one; one too large for `iN` wraps around."""
        number = _wrapped(number, kind)
        known = self._known.get((str(number), kind))
        if known is not None:
            return known
        sign = "n" if number < 0 else ""
        plain = kind.removeprefix("u") if kind.startswith("ui") else kind
        name = self.name(f"c{sign}{abs(number)}_{kind}")
        if plain == kind:
            self.constants.append(f"{name} = arith.constant {number} : {kind}")
        else:
            bits = self.integer(number, plain)
            self.constants.append(f"{name} = builtin.unrealized_conversion_cast {bits.name} : {plain} to {kind}")
        return self._remember(str(number), Value(name, kind))

    def real(self, number: float, kind: str) -> Value:
        """A floating-point constant."""
        text = f"{number:.17e}"
        known = self._known.get((text, kind))
        if known is not None:
            return known
        name = self.name("cst" if self._floats == 0 else f"cst_{self._floats}")
        self._floats += 1
        self.constants.append(f"{name} = arith.constant {text} : {kind}")
        return self._remember(text, Value(name, kind))

    def _remember(self, text: str, value: Value) -> Value:
        self._known[(text, value.type)] = value
        return value


def _wrapped(number: int, kind: str) -> int:
    if not kind.startswith("i") or not kind[1:].isdigit() or number <= 0:
        return number
    bits = int(kind[1:])
    return number - (1 << bits) if number >= 1 << max(bits - 1, 1) else number

# SPDX-License-Identifier: Apache-2.0
"""PTO assembly as tokens that know where they stand.

`64x64xf32` is the dimensions `64x64x` and the word `f32`, as in MLIR; a number in hexadecimal digits has at least four.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from pypto_build.errors import Span
from pypto_simulators.pto_text.errors import unreadable


class Kind(Enum):
    """What a token is."""

    VALUE = r"%[A-Za-z0-9_.$]+"
    SYMBOL = r"@[A-Za-z_][A-Za-z0-9_.$]*"
    LABEL = r"\^[A-Za-z0-9_]+"
    ATTRIBUTE = r"#[A-Za-z_][A-Za-z0-9_.]*"
    TYPE = r"![A-Za-z_][A-Za-z0-9_.]*"
    STRING = r'"(?:[^"\\\n]|\\.)*"'
    HEXADECIMAL = r"0x[0-9A-Fa-f]{4,}(?![0-9A-Za-z])"
    DIMENSIONS = r"(?:(?:\d+|\?)x)+(?=[A-Za-z!])"
    NUMBER = r"-?\d+(?:\.\d*(?:[eE][+-]?\d+)?)?"
    WORD = r"[A-Za-z_][A-Za-z0-9_.$]*"
    PUNCTUATION = r"->|[(){}\[\]<>,:=?]"
    END = r"\Z"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text and its offset."""

    kind: Kind
    text: str
    offset: int


_TOKEN: Final = re.compile("|".join(f"(?P<{kind.name}>{kind.value})" for kind in Kind))
_BLANK: Final = re.compile(r"(?:\s+|//[^\n]*)*")


class Source:
    """A text and its name; places in it are found from offsets."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def line(self, offset: int) -> int:
        """The number of the line that an offset is in, counted from 1."""
        return bisect_right(self._starts, offset)

    def span(self, offset: int) -> Span:
        """The line and column of an offset, both counted from 1."""
        line = self.line(offset)
        return Span(self.name, line, offset - self._starts[line - 1] + 1)


def tokens(source: Source) -> Iterator[Token]:
    """The tokens of a text, END last.

    Raises:
        UserError: there is a character that begins no token.
    """
    offset, text = 0, source.text
    while True:
        blank = _BLANK.match(text, offset)
        offset = blank.end() if blank is not None else offset
        match = _TOKEN.match(text, offset)
        if match is None:
            raise unreadable(f"{text[offset]!r} begins nothing that can stand here", source.span(offset), text)
        kind = Kind[match.lastgroup or ""]
        yield Token(kind, match[0], offset)
        if kind is Kind.END:
            return
        offset = match.end()

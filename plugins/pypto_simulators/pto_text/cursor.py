# SPDX-License-Identifier: Apache-2.0
"""A place in the tokens of a text: what stands there is asked for, and the error says what was expected instead."""

from __future__ import annotations

import re
import struct

from pypto_build.errors import Span, UserError
from pypto_simulators.pto_text.errors import unreadable
from pypto_simulators.pto_text.lexer import Kind, Source, Token, tokens

_ESCAPED = re.compile(r"\\([0-9A-Fa-f]{2}|.)", re.DOTALL)
_MEANT = {"n": "\n", "t": "\t"}


class Cursor:
    """The token to be read next, and those before it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._tokens = list(tokens(source))
        self._at = 0

    @property
    def token(self) -> Token:
        """The token to be read next."""
        return self._tokens[self._at]

    def take(self) -> Token:
        """Read a token."""
        token = self._tokens[self._at]
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return token

    def at(self, *texts: str) -> bool:
        """Whether one of some words or signs comes next."""
        return self.token.text in texts and self.token.kind is not Kind.STRING

    def accept(self, text: str) -> bool:
        """Read a word or sign if it comes next."""
        found = self.at(text)
        if found:
            self.take()
        return found

    def expect(self, text: str) -> Token:
        """Read a word or sign that must come next."""
        if not self.at(text):
            raise self.error(f"expected {text!r}")
        return self.take()

    def expect_kind(self, kind: Kind, what: str) -> Token:
        """Read a token of a kind that must come next."""
        if self.token.kind is not kind:
            raise self.error(f"expected {what}")
        return self.take()

    def integer(self, what: str) -> int:
        """Read an integer."""
        token = self.expect_kind(Kind.NUMBER, what)
        if not token.text.lstrip("-").isdigit():
            raise self.error(f"expected {what}", token)
        return int(token.text)

    def number(self, *, bits: int) -> int | float:
        """Read a number; hexadecimal digits are the bits of a floating-point number of a width."""
        if self.token.kind is not Kind.HEXADECIMAL:
            text = self.expect_kind(Kind.NUMBER, "a number").text
            return int(text) if text.lstrip("-").isdigit() else float(text)
        token = self.take()
        layout = {16: "e", 32: "f", 64: "d"}.get(bits)
        if layout is None or int(token.text, 16) >> bits:
            raise self.error(f"these are not the bits of a floating-point number of {bits} bits", token)
        return struct.unpack(f"<{layout}", int(token.text, 16).to_bytes(bits // 8, "little"))[0]

    def string(self) -> str:
        """Read what stands in quotes."""
        return _ESCAPED.sub(_unescaped, self.expect_kind(Kind.STRING, "a string").text[1:-1])

    def begins_line(self) -> bool:
        """Whether the next token stands on another line than the one before it."""
        if self.token.kind is Kind.END or self._at == 0:
            return True
        before = self._tokens[self._at - 1]
        return self._source.line(before.offset) != self._source.line(self.token.offset)

    def span(self, token: Token) -> Span:
        """Where a token stands."""
        return self._source.span(token.offset)

    def error(self, message: str, token: Token | None = None) -> UserError:
        """The error at a token, the next one if none is given; to be raised by the caller."""
        token = self.token if token is None else token
        found = "the text ends" if token.kind is Kind.END else f"found {token.text!r}"
        shown = f"{message}, {found}" if message.startswith("expected") else message
        return self.error_at(shown, self.span(token))

    def error_at(self, message: str, span: Span) -> UserError:
        """The error at a place; to be raised by the caller."""
        return unreadable(message, span, self._source.text)


def _unescaped(match: re.Match[str]) -> str:
    written = match[1]
    return chr(int(written, 16)) if len(written) > 1 else _MEANT.get(written, written)

# SPDX-License-Identifier: Apache-2.0
"""Parser errors as text: the message, the place, the lines around it with carets, hint and note."""

from __future__ import annotations

import linecache
import re
from collections.abc import Sequence
from typing import Final

from pypto_build.dsl.diagnostics import ParserError, SSAViolationError, as_place
from pypto_build.errors import Span

_TOKEN: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|\d[\w.]*")
_SENTENCE: Final = re.compile(r"\.(?:\s|$)")
_TRACE: Final = re.compile(r"\s*(?:C\+\+ Traceback \(most|No stack trace available)")
_PLACE: Final = re.compile(r"\s*\[[^\[\]\n]*:-?\d+:-?\d+\]\s*$")
_SHORT: Final = 50
_RED, _BLUE, _RESET = "\033[1;31m", "\033[1;34m", "\033[0m"
_BEFORE, _AFTER = 2, 1


def concise_error_message(error: BaseException, strip_trailing_span: bool = False) -> str:
    """The message of an error without the places inside a compiler that some carry."""
    text = _TRACE.split(str(error), maxsplit=1)[0]
    shown, check, _ = text.partition("Check failed:")
    shown = shown.rstrip() if check else text
    if check and strip_trailing_span:
        shown = _PLACE.sub("", shown)
    if shown.strip() or not check:
        return shown
    return "a check without a message failed; set PTO_BACKTRACE=1 to see where"


class ErrorRenderer:
    """Shows parser errors."""

    def __init__(self, use_color: bool = True) -> None:
        self.use_color = use_color

    def render(self, error: ParserError) -> str:
        """The whole text."""
        rows = [f"{self._paint('Error', _RED)}: {error.message}"]
        rows += self._context(error, as_place(error.span), error.message)
        if isinstance(error, SSAViolationError) and error.previous_span is not None:
            rows += ["", "   = note: Previous definition was here:"]
            rows += [f"   {row}" for row in self._context(error, as_place(error.previous_span), "")]
        if error.hint:
            rows.append(f"   = help: {error.hint}")
        if error.note:
            rows.append(f"   = note: {error.note}")
        return "\n".join(rows)

    def _paint(self, text: str, color: str) -> str:
        return f"{color}{text}{_RESET}" if self.use_color else text

    def _context(self, error: ParserError, place: Span, message: str) -> list[str]:
        if place.begin_line <= 0:
            return []
        column = f":{place.begin_column}" if place.begin_column > 0 else ""
        rows = [f"  --> {place.filename or '<unknown>'}:{place.begin_line}{column}"]
        lines = self._lines(error, place)
        if not 0 < place.begin_line <= len(lines):
            return rows
        first = max(1, place.begin_line - _BEFORE)
        last = min(len(lines), place.begin_line + _AFTER)
        width = len(str(last))
        rows.append(f"{' ' * width} |")
        for number in range(first, last + 1):
            rows.append(f"{number:>{width}} | {lines[number - 1]}")
            if number == place.begin_line:
                rows.append(f"{' ' * width} | {self._carets(lines[number - 1], place, message)}".rstrip())
        rows.append(f"{' ' * width} |")
        return rows

    def _lines(self, error: ParserError, place: Span) -> Sequence[str]:
        """The lines of the file that the place names; those of the error when there is no such file."""
        real = [] if place.filename.startswith("<") else linecache.getlines(place.filename)
        if real:
            return [line.rstrip("\n") for line in real]
        return [line.rstrip("\n") for line in error.source_lines or ()]

    def _carets(self, line: str, place: Span, message: str) -> str:
        start = self._caret_index(place.begin_column, line)
        carets = self._paint("^" * self._calculate_token_length(line, start), _RED)
        inline = self._inline(message)
        return f"{' ' * start}{carets}{' ' + inline if inline else ''}"

    def _caret_index(self, column: int, line: str) -> int:
        """The index into the line that a column stands for; columns count from 1."""
        return min(max(column - 1, 0), max(len(line) - 1, 0))

    def _calculate_token_length(self, line: str, start: int) -> int:
        """How long the name or number at an index is; at least 1."""
        found = _TOKEN.match(line, start)
        return max(1, len(found.group())) if found else 1

    def _inline(self, message: str) -> str:
        """The first sentence, if it is short enough to stand beside the carets."""
        sentence = _SENTENCE.split(message, maxsplit=1)[0]
        return sentence if len(sentence) < _SHORT else ""

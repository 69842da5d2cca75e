# SPDX-License-Identifier: Apache-2.0
"""Comments of a function body: which statement each one leads.

A comment above a statement or on its header lines leads that statement. One at the end of a block has nothing to lead:
it is dropped with a warning.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from typing import Final

from pypto_build.dsl.source import SourceText
from pypto_build.errors import Span
from pypto_build.ops.build.notices import warn_at

_STRING_OR_COMMENT: Final = re.compile(
    r'''"""(?:\\.|[^\\])*?"""|\'{3}(?:\\.|[^\\])*?\'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\#[^\n]*''', re.DOTALL
)


def extract_line_comments(text: str) -> dict[int, list[tuple[int, str]]]:
    """Line number to the (column, text) of the comments on it; one `#` and one space after it are removed."""
    found: dict[int, list[tuple[int, str]]] = {}
    starts = [0]
    starts.extend(match.end() for match in re.finditer("\n", text))
    for match in _STRING_OR_COMMENT.finditer(text):
        if text[match.start()] == "#":
            line = bisect_right(starts, match.start())
            comment = match.group()[1:].removeprefix(" ").rstrip()
            found.setdefault(line, []).append((match.start() - starts[line - 1], comment))
    return found


def comments_of(source: SourceText, node: ast.FunctionDef) -> Comments | None:
    """The comments in a function's body, or None when it has none."""
    first, last = node.body[0].lineno, node.end_lineno or node.lineno
    start = node.lineno
    stop = last
    lines = source.lines
    while stop < len(lines) and _belongs(lines[stop], node.body[0].col_offset):
        stop += 1
    chosen = lines[start - 1 : stop]
    if not any("#" in line for line in chosen):
        return None
    found = extract_line_comments("\n".join(chosen))
    flat = [
        (line + start - 1, column, text)
        for line, group in found.items()
        for column, text in group
        if line + start - 1 >= first or line + start - 1 > node.lineno
    ]
    return Comments(flat, source, stop + 1)


def _belongs(line: str, column: int) -> bool:
    """Whether a line after a body is a comment at the body's indentation."""
    stripped = line.lstrip()
    return stripped.startswith("#") and len(line) - len(stripped) >= column


class Comments:
    """The comments that no statement has taken yet, in the order of the source."""

    def __init__(self, found: Sequence[tuple[int, int, str]], source: SourceText, end_line: int) -> None:
        self._waiting = deque(found)
        self._source = source
        self.end_line = end_line
        self.limit = end_line  # the line at which whatever follows the statement being read begins

    def above(self, node: ast.stmt) -> list[str]:
        """Take the comments above a statement and on its header."""
        return self._take_until(_header_end(node))

    def _take_until(self, line: int) -> list[str]:
        taken: list[str] = []
        while self._waiting and self._waiting[0][0] <= line:
            taken.append(self._waiting.popleft()[2])
        return taken

    def drop_tail(self, body: Sequence[ast.stmt], limit: int) -> None:
        """Drop the comments below the last statement of a block, saying so."""
        if not body:
            return
        column = body[0].col_offset
        while self._waiting and self._waiting[0][0] < limit and self._waiting[0][1] >= column:
            line, _, text = self._waiting.popleft()
            message = f"tail-of-block comment on line {line} has no statement to lead and is dropped: {text!r}"
            warn_at(message, Span(self._source.filename, line, 1))

    def else_line(self, node: ast.If | ast.For | ast.While) -> int:
        """The line of the `else` or `elif` of a statement."""
        last = node.body[-1].end_lineno or node.body[-1].lineno
        for line in range(last + 1, node.orelse[0].lineno + 1):
            text = self._source.lines[line - 1]
            stripped = text.lstrip()
            if stripped.startswith(("else", "elif")) and len(text) - len(stripped) == node.col_offset:
                return line
        return node.orelse[0].lineno


def _header_end(node: ast.stmt) -> int:
    """The last line of a statement's header; of the whole statement if it has no body."""
    if isinstance(node, ast.For):
        return node.iter.end_lineno or node.lineno
    if isinstance(node, ast.If | ast.While):
        return node.test.end_lineno or node.lineno
    if isinstance(node, ast.With):
        return max(item.context_expr.end_lineno or node.lineno for item in node.items)
    return node.end_lineno or node.lineno

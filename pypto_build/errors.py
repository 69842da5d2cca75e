# SPDX-License-Identifier: Apache-2.0
"""The two kinds of error, the place a message points at, and how both are shown.

A `UserError` says that the input is wrong; everything else is a bug of ours. There is no third kind.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass

EXIT_USER_ERROR = 2
EXIT_INTERNAL_ERROR = 70


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a source file; lines and columns count from 1, and -1 means unknown."""

    filename: str
    begin_line: int
    begin_column: int
    end_line: int = -1
    end_column: int = -1

    @staticmethod
    def unknown() -> Span:
        """The place of something that no source line made."""
        return UNKNOWN_SPAN

    def is_valid(self) -> bool:
        """Whether the place names a line."""
        return self.begin_line > 0

    def to_string(self) -> str:
        """`file:line:column`."""
        return f"{self.filename}:{self.begin_line}:{self.begin_column}"

    def __str__(self) -> str:
        return self.to_string()


UNKNOWN_SPAN = Span("", -1, -1)


class UserError(Exception):
    """The input is wrong: a code, one sentence, the place, and what to do about it.

    `notes` are further places with a sentence each (for example an earlier definition), `source_lines` the text
    that the place refers to when it is not a file on disk.
    """

    def __init__(
        self,
        code: str,
        message: str,
        span: Span = UNKNOWN_SPAN,
        *,
        help: str = "",
        notes: tuple[tuple[str, Span], ...] = (),
        source_lines: tuple[str, ...] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.span = span
        self.help = help
        self.notes = notes
        self.source_lines = source_lines

    def __str__(self) -> str:
        return self.message


class UserErrors(UserError):
    """Several problems of one input, reported at once."""

    def __init__(self, errors: tuple[UserError, ...]) -> None:
        if not errors:
            raise InternalError("UserErrors needs at least one error")
        first = errors[0]
        super().__init__(first.code, first.message, first.span, help=first.help, notes=first.notes)
        self.errors = errors


class InternalError(RuntimeError):
    """An invariant of ours does not hold; `span` is the nearest place in the user's program, if known."""

    def __init__(self, message: str, span: Span = UNKNOWN_SPAN) -> None:
        super().__init__(message)
        self.span = span


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What a verifier found (severity `error`), or a `warning` or `perf_hint` that does not stop the build.

    rule names the check, error_code its number within the rule, code a hint's public code such as PH001. Warnings and
    hints are stored with a result and replayed on a hit.
    """

    severity: str
    rule: str
    message: str
    span: Span = UNKNOWN_SPAN
    code: str = ""
    error_code: int = 0
    help: str = ""


def source_line(span: Span, source_lines: tuple[str, ...] | None = None) -> str | None:
    """The text of the line that `span` begins on, or None when it cannot be had."""
    if not span.is_valid():
        return None
    if source_lines is not None:
        index = span.begin_line - 1
        return source_lines[index] if index < len(source_lines) else None
    text = linecache.getline(span.filename, span.begin_line)
    return text.rstrip("\r\n") if text else None


def render(error: UserError) -> str:
    """`file:line:col: error[CODE]: sentence`, the source line, a caret, and the help line."""
    if isinstance(error, UserErrors):
        return "\n".join(render(one) for one in error.errors)
    lines = [_headline("error", error.code, error.message, error.span)]
    lines += _snippet(error.span, error.source_lines)
    for text, span in error.notes:
        lines.append(_headline("note", "", text, span))
        lines += _snippet(span, error.source_lines)
    if error.help:
        lines.append(f"  help: {error.help}")
    return "\n".join(lines)


def render_diagnostic(diagnostic: Diagnostic) -> str:
    """A warning or hint in the same layout as an error."""
    lines = [_headline(diagnostic.severity, diagnostic.code or diagnostic.rule, diagnostic.message, diagnostic.span)]
    lines += _snippet(diagnostic.span, None)
    if diagnostic.help:
        lines.append(f"  help: {diagnostic.help}")
    return "\n".join(lines)


def _headline(kind: str, code: str, message: str, span: Span) -> str:
    place = f"{span}: " if span.is_valid() else (f"{span.filename}: " if span.filename else "")
    tag = f"[{code}]" if code else ""
    return f"{place}{kind}{tag}: {message}"


def _snippet(span: Span, source_lines: tuple[str, ...] | None) -> list[str]:
    text = source_line(span, source_lines)
    if text is None:
        return []
    shown = text.expandtabs(4)
    column = max(span.begin_column, 1)
    indent = len(text[: column - 1].expandtabs(4))
    width = 1
    if span.end_line == span.begin_line and span.end_column > column:
        width = max(1, min(span.end_column - column, len(shown) - indent))
    number = f"{span.begin_line:>5}"
    return [f"{number} | {shown}", f"{' ' * len(number)} | {' ' * indent}{'^' * width}"]

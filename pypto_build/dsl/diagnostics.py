# SPDX-License-Identifier: Apache-2.0
"""The errors of the language front end: one family of user errors, one class per kind of mistake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.errors import UNKNOWN_SPAN, InternalError, Span, UserError

BUG_CLASS_EXCEPTIONS = (InternalError, AssertionError)


@dataclass(frozen=True, slots=True)
class Place(Span):
    """A span that also answers by key, as tools written for the public interface expect."""

    def __getitem__(self, key: str) -> object:
        return getattr(self, _PLACE_KEYS[key])

    def get(self, key: str, default: object = None) -> object:
        """The value of a key, or the default for an unknown one."""
        return getattr(self, _PLACE_KEYS[key]) if key in _PLACE_KEYS else default


_PLACE_KEYS = {
    "filename": "filename",
    "file": "filename",
    "line": "begin_line",
    "begin_line": "begin_line",
    "column": "begin_column",
    "begin_column": "begin_column",
    "end_line": "end_line",
    "end_column": "end_column",
}


def as_place(span: Span | Mapping[str, object] | None) -> Place:
    """Any description of a place as a Place; an unknown one for None."""
    if isinstance(span, Place):
        return span
    if isinstance(span, Span):
        return Place(span.filename, span.begin_line, span.begin_column, span.end_line, span.end_column)
    given = span or {}
    name = str(given.get("filename", given.get("file", "")))
    line, column = (_number(given.get(f"begin_{key}", given.get(key))) for key in ("line", "column"))
    return Place(name, line, column, _number(given.get("end_line")), _number(given.get("end_column")))


def _number(value: object) -> int:
    return value if isinstance(value, int) else -1


class ParserError(UserError):
    """A source that the front end cannot turn into IR."""

    CODE: ClassVar[str] = "E000"

    def __init__(
        self,
        message: str,
        span: Span | Mapping[str, object] | None = None,
        hint: str | None = None,
        *,
        note: str | None = None,
        source_lines: tuple[str, ...] | list[str] | None = None,
    ) -> None:
        lines = None if source_lines is None else tuple(source_lines)
        notes = ((note, UNKNOWN_SPAN),) if note else ()
        super().__init__(self.CODE, message, as_place(span), help=hint or "", notes=notes, source_lines=lines)
        self.hint = hint
        self.note = note


class ParserSyntaxError(ParserError):
    """The form of a statement, decorator or call is wrong."""

    CODE: ClassVar[str] = "E001"


class UnsupportedFeatureError(ParserError):
    """Python that the language does not have."""

    CODE: ClassVar[str] = "E003"


class ParserTypeError(ParserError):
    """A value or annotation has the wrong type."""

    CODE: ClassVar[str] = "E100"


class UndefinedVariableError(ParserError):
    """A name that is defined nowhere."""

    CODE: ClassVar[str] = "E200"


class SSAViolationError(ParserError):
    """A second assignment where each name may be assigned once; `previous_span` is the first one."""

    CODE: ClassVar[str] = "E201"

    def __init__(
        self,
        message: str,
        span: Span | Mapping[str, object] | None = None,
        hint: str | None = None,
        *,
        note: str | None = None,
        source_lines: tuple[str, ...] | list[str] | None = None,
        previous_span: Span | Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message, span, hint, note=note, source_lines=source_lines)
        self.previous_span = None if previous_span is None else as_place(previous_span)
        if self.previous_span is not None:
            self.notes = (("Previous definition was here", self.previous_span), *self.notes)


class ScopeIsolationError(ParserError):
    """A name of an inner block that was not handed out of it."""

    CODE: ClassVar[str] = "E202"


class InvalidOperationError(ParserError):
    """An operation that does not exist, or that refuses its arguments."""

    CODE: ClassVar[str] = "E300"

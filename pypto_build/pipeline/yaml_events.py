# SPDX-License-Identifier: Apache-2.0
"""The events of a YAML parser in our own terms, and its complaint in our own words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, cast

from pypto_build.errors import Span


@dataclass(frozen=True, slots=True)
class Event:
    """One parser event; `kind` is the name of its class without `Event`."""

    kind: str
    value: str
    is_plain: bool
    tag: str | None
    anchor: str | None
    line: int
    column: int
    end_column: int
    directives: bool = False

    def span(self, filename: str) -> Span:
        """Where the event begins, and where it ends if that is on the same line."""
        return Span(filename, self.line, self.column, self.line, self.end_column)


class YamlSyntaxError(Exception):
    """The text is not YAML; `context` says what was being read, and `context_place` (line, column) since where."""

    def __init__(self, message: str, line: int, *, column: int, help: str = "", context: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.help = help
        self.context = context
        self.context_place = (line, column)


class _Mark(Protocol):
    line: int
    column: int


def parse_events(text: str) -> Iterator[Event]:
    """The events of all documents, as far as the text is YAML."""
    import yaml  # 25 ms, which a run without a pipeline never pays

    try:
        yield from map(_event, _raw_events(text, fast=True))
    except yaml.YAMLError as error:
        raise _syntax_error(text, error) from None


def _raw_events(text: str, *, fast: bool) -> Iterable[object]:
    import yaml

    loader = cast(type[yaml.SafeLoader], getattr(yaml, "CSafeLoader", yaml.SafeLoader)) if fast else yaml.SafeLoader
    parse = cast(Callable[..., Iterable[object]], getattr(yaml, "parse"))  # noqa: B009  # reason: its stub is untyped
    return parse(text, Loader=loader)


def _event(raw: object) -> Event:
    start, end = cast(_Mark, getattr(raw, "start_mark", None)), cast(_Mark, getattr(raw, "end_mark", None))
    implicit = cast(object, getattr(raw, "implicit", False))
    plain = bool(cast(tuple[bool, bool], implicit)[0]) if isinstance(implicit, tuple) else False
    return Event(
        kind=type(raw).__name__.removesuffix("Event"),
        value=str(getattr(raw, "value", "")),
        is_plain=plain,
        tag=cast(str | None, getattr(raw, "tag", None)),
        anchor=cast(str | None, getattr(raw, "anchor", None)),
        line=start.line + 1,
        column=start.column + 1,
        end_column=end.column + 1 if end.line == start.line else -1,
        directives=bool(getattr(raw, "version", None) or getattr(raw, "tags", None)),
    )


def _syntax_error(text: str, error: Exception) -> YamlSyntaxError:
    """The parser's complaint. The Python parser words it where it can: its words do not depend on a C library."""
    import yaml

    try:
        list(_raw_events(text, fast=False))
    except yaml.YAMLError as worded:
        error = error if "nesting" in str(error) else worded  # a bound that only the C library has
    if isinstance(error, yaml.reader.ReaderError):
        before = text[: error.position]
        column = len(before) - (before.rfind("\n") + 1) + 1
        message = f"character U+{ord(text[error.position]):04X} is not allowed"
        return YamlSyntaxError(message, before.count("\n") + 1, column=column)
    mark = cast(_Mark | None, getattr(error, "problem_mark", None) or getattr(error, "context_mark", None))
    problem = cast(str | None, getattr(error, "problem", None) or getattr(error, "context", None))
    line, column = (mark.line, mark.column) if mark else (0, 0)
    lines = text.splitlines()
    shown = lines[line] if line < len(lines) else ""
    tabs = "\t" in shown[: column + 1]
    if tabs:
        return YamlSyntaxError("a tab cannot indent", line + 1, column=column + 1, help="YAML is indented with spaces")
    found = YamlSyntaxError(problem or str(error), line + 1, column=column + 1)
    since = cast(_Mark | None, getattr(error, "context_mark", None))
    if since is not None and since.line != line:
        found.context = str(getattr(error, "context", "") or "since here")
        found.context_place = (since.line + 1, since.column + 1)
    return found

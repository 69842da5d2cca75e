# SPDX-License-Identifier: Apache-2.0
"""Finding the source of a decorated function or class, and the place of each of its nodes.

A file is parsed once and its definitions are found by name and line, so every place is the real one and nothing is
dedented. Text that is not a file comes through `linecache`, or from the command line after `-c`.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType, FunctionType

from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.errors import UNKNOWN_SPAN, Span

Definition = ast.FunctionDef | ast.ClassDef
_KEPT_FILES = 16
_PLACED = (ast.expr, ast.stmt, ast.arg, ast.keyword)


@dataclass(frozen=True, slots=True)
class SourceText:
    """The lines of a file; `mapped` sends a line of generated text to (file, line, column) of what it was made from."""

    filename: str
    lines: tuple[str, ...]
    ascii_only: bool
    mapped: dict[int, tuple[str, int, int]] | None = None

    def span(self, node: ast.AST) -> Span:
        """The place of a node, columns counted in characters from 1; unknown for a node without one."""
        if not isinstance(node, _PLACED):
            return UNKNOWN_SPAN
        line, column = node.lineno, node.col_offset
        if self.mapped is not None and line in self.mapped:
            return Span(*self.mapped[line])
        end_line, end_column = node.end_lineno or -1, node.end_col_offset or -1
        if not self.ascii_only:
            column = self._characters(line, column)
            end_column = self._characters(end_line, end_column) if end_line > 0 else -1
        return Span(self.filename, line, column + 1, end_line, end_column + 1)

    def _characters(self, line: int, offset: int) -> int:
        """How many characters the first `offset` bytes of a line are."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A parsed file and its definitions by name, in the order of their first lines."""

    text: SourceText
    definitions: dict[str, list[Definition]]


_files: dict[str, tuple[list[str], SourceFile]] = {}  # parsed files beside linecache's lines, checked by identity


def register_text(
    code: str, filename: str, *, source_map: dict[int, tuple[str, int, int]] | None = None
) -> tuple[ast.Module, SourceText]:
    """Make text known under a file name, and parse it; SyntaxError when it does not compile."""
    lines = code.splitlines(keepends=True)
    linecache.cache[filename] = (len(code), None, lines, filename)
    tree = ast.parse(code, filename)
    return tree, _keep(filename, lines, tree, source_map).text


def _keep(
    filename: str, lines: list[str], tree: ast.Module, source_map: dict[int, tuple[str, int, int]] | None = None
) -> SourceFile:
    stripped = tuple(line.rstrip("\r\n") for line in lines)
    text = SourceText(filename, stripped, all(map(str.isascii, stripped)), source_map)
    definitions: dict[str, list[Definition]] = {}
    for node in walk_definitions(tree.body):
        definitions.setdefault(node.name, []).append(node)
    made = SourceFile(text, definitions)
    while len(_files) >= _KEPT_FILES:
        del _files[next(iter(_files))]
    _files[filename] = (lines, made)
    return made


def walk_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement of a body, however deep, outer before inner."""
    pending = list(reversed(body))
    while pending:
        node = pending.pop()
        yield node
        for field in _BODIES:
            inner: list[ast.stmt | ast.ExceptHandler | ast.match_case] = getattr(node, field, [])
            pending.extend(reversed([part for one in inner for part in _parts(one)]))


_BODIES = ("finalbody", "orelse", "cases", "handlers", "body")


def _parts(node: ast.stmt | ast.ExceptHandler | ast.match_case) -> list[ast.stmt]:
    return [node] if isinstance(node, ast.stmt) else node.body


def walk_definitions(body: list[ast.stmt]) -> Iterator[Definition]:
    """Every function and class of a body, however deep, outer before inner."""
    for node in walk_statements(body):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node


def first_line(node: Definition) -> int:
    """The line of the first decorator, or of the definition itself."""
    return min((one.lineno for one in node.decorator_list), default=node.lineno)


def find_function(function: FunctionType) -> tuple[SourceText, ast.FunctionDef]:
    """The source of a function, decorators included."""
    code = function.__code__
    for found in _files_of(code.co_filename, function.__globals__):
        for node in found.definitions.get(function.__name__, ()):
            if isinstance(node, ast.FunctionDef) and code.co_firstlineno in (first_line(node), node.lineno):
                return found.text, node
    raise _no_source("function", function.__name__, Span(code.co_filename, code.co_firstlineno, 1))


def find_class(cls: type, frame: FrameType) -> tuple[SourceText, ast.ClassDef]:
    """The source of a class that is being decorated in a frame."""
    line = frame.f_lineno
    for found in _files_of(frame.f_code.co_filename, frame.f_globals):
        around = [
            node
            for node in found.definitions.get(cls.__name__, ())
            if isinstance(node, ast.ClassDef) and first_line(node) <= line <= (node.end_lineno or line)
        ]
        if around:
            return found.text, around[-1]
    raise _no_source("class", cls.__name__, Span(frame.f_code.co_filename, line, 1))


def _no_source(kind: str, name: str, place: Span) -> ParserSyntaxError:
    return ParserSyntaxError(
        f"Cannot retrieve source code for {kind} '{name}'",
        place,
        hint="Define it in a file, or hand the text to pl.parse()",
    )


def _files_of(filename: str, module_globals: dict[str, object]) -> Iterator[SourceFile]:
    """What may be the file: the text known under its name, then that of the command line."""
    for lines in (linecache.getlines(filename, module_globals), _command_line(filename)):
        found = _file(filename, lines) if lines else None
        if found is not None:
            yield found


def _file(filename: str, lines: list[str]) -> SourceFile | None:
    known = _files.get(filename)
    if known is not None and known[0] is lines:
        return known[1]
    try:
        tree = ast.parse("".join(lines), filename)
    except SyntaxError:
        return None
    return _keep(filename, lines, tree)


def _command_line(filename: str) -> list[str]:
    """The lines of `python -c CODE`; messages carry them, as no file does."""
    arguments = sys.orig_argv
    if filename != "<string>" or "-c" not in arguments[:-1]:
        return []
    return arguments[arguments.index("-c") + 1].splitlines(keepends=True)

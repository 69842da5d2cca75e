# SPDX-License-Identifier: Apache-2.0
"""Small helpers of the public parser that tools use on their own: names by scope, places of syntax nodes."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from pypto_build.dsl.diagnostics import SSAViolationError
from pypto_build.dsl.source import SourceText
from pypto_build.errors import UNKNOWN_SPAN, Span

SourceMap = Mapping[int, tuple[str, int, int]]


class SpanTracker:
    """The places of the nodes of a text that stands somewhere in a file."""

    def __init__(
        self,
        source_file: str,
        source_lines: Sequence[str],
        line_offset: int = 0,
        col_offset: int = 0,
        source_map: SourceMap | None = None,
    ) -> None:
        self.source_file = source_file
        self.source_lines = list(source_lines)
        self.line_offset = line_offset
        self.col_offset = col_offset
        self.source_map = source_map

    def get_span(self, node: ast.AST | None) -> Span:
        """The place of a node; unknown for None."""
        if not isinstance(node, ast.expr | ast.stmt | ast.arg | ast.keyword):
            return UNKNOWN_SPAN
        return self._moved(self._text().span(node))

    def get_multiline_span(self, start: ast.AST, end: ast.AST) -> Span:
        """The place from the beginning of one node to the end of another."""
        first, last = self.get_span(start), self.get_span(end)
        return Span(first.filename, first.begin_line, first.begin_column, last.end_line, last.end_column)

    def _text(self) -> SourceText:
        ascii_only = all(line.isascii() for line in self.source_lines)
        return SourceText(self.source_file, tuple(self.source_lines), ascii_only)

    def _moved(self, span: Span) -> Span:
        line = span.begin_line + self.line_offset
        mapped = self.source_map.get(line) if self.source_map else None
        if mapped is not None:
            return Span(mapped[0], mapped[1], mapped[2] + 1)
        column, end = span.begin_column + self.col_offset, span.end_column + self.col_offset
        return Span(span.filename, line, column, span.end_line + self.line_offset, end)


class ScopeManager:
    """Names by nested scope."""

    def __init__(self, strict_ssa: bool = False) -> None:
        self.strict_ssa = strict_ssa
        self.scopes: list[dict[str, object]] = [{}]
        self._kinds = ["global"]
        self._yielded: list[list[str]] = [[]]

    def current_scope_type(self) -> str:
        """The kind of the innermost scope."""
        return self._kinds[-1]

    def in_scope_type(self, kind: str) -> bool:
        """Whether a scope of this kind is open."""
        return kind in self._kinds

    def enter_scope(self, kind: str) -> None:
        """Open a scope."""
        self.scopes.append({})
        self._kinds.append(kind)
        self._yielded.append([])

    def exit_scope(self, leak_vars: bool = False) -> dict[str, object]:
        """Close the innermost scope and return its names; RuntimeError at the outermost."""
        if len(self.scopes) == 1:
            raise RuntimeError("Cannot exit global scope")
        self._kinds.pop()
        self._yielded.pop()
        names = self.scopes.pop()
        if leak_vars:
            self.scopes[-1].update(names)
        return names

    def define_var(self, name: str, value: object, allow_redef: bool = False, span: Span | None = None) -> None:
        """Bind a name in the innermost scope."""
        if self.strict_ssa and not allow_redef and name in self.scopes[-1]:
            raise SSAViolationError(f"Variable '{name}' is already defined", span)
        self.scopes[-1][name] = value

    def lookup_var(self, name: str) -> object:
        """What a name is bound to, or None."""
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    def is_defined(self, name: str) -> bool:
        """Whether a name is bound."""
        return any(name in scope for scope in self.scopes)

    def mark_yielded(self, name: str) -> None:
        """Note that the innermost scope hands a name out."""
        self._yielded[-1].append(name)

    def get_yielded_vars(self) -> list[str]:
        """The names that the innermost scope hands out."""
        return list(self._yielded[-1])

# SPDX-License-Identifier: Apache-2.0
"""A program: the signatures of all its functions first, then their bodies in the order of the source."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from pypto_build.dsl.callees import Callees
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.function_builder import FunctionOptions, FunctionReader
from pypto_build.dsl.source import SourceText, first_line
from pypto_build.errors import Span
from pypto_build.ir import Function, Program


class ProgramReader:
    """Reads the functions of one program."""

    def __init__(self, source: SourceText, node: ast.ClassDef, *, closure: Mapping[str, object]) -> None:
        self._source = source
        self._node = node
        self._closure = closure
        self._callees = Callees()
        self._callees.build = self._build
        self._readers: dict[str, FunctionReader] = {}
        self._open: set[str] = set()

    def read(self, options: Mapping[str, FunctionOptions], *, strict_ssa: bool = False) -> Program:
        """The program of a class; `options` says of each method what its decorator was given."""
        for method in self._node.body:
            if isinstance(method, ast.FunctionDef) and method.name in options:
                self._add(method, options[method.name], strict_ssa=strict_ssa)
        if not self._readers:
            raise ParserSyntaxError(
                f"Class '{self._node.name}' contains no @pl.function decorated methods",
                self._span(),
                hint="Decorate its methods with @pl.function",
                source_lines=self._source.lines,
            )
        for name, reader in self._readers.items():
            self._callees.signatures[name] = reader.signature()
        for name in self._readers:
            self._build(name)
        functions = tuple(self._callees.all_functions().values())
        return Program(functions, self._node.name, self._span())  # type: ignore[arg-type]  # it takes functions as well

    def _add(self, method: ast.FunctionDef, options: FunctionOptions, *, strict_ssa: bool) -> None:
        self._readers[method.name] = FunctionReader(
            self._source,
            method,
            closure=self._closure,
            options=replace(options, strict_ssa=options.strict_ssa or strict_ssa),
            callees=self._callees,
            method=True,
        )

    def _build(self, name: str) -> Function | None:
        """Finish a function, now or earlier; None while it is being read or for a name that is none of ours."""
        callees = self._callees
        done = callees.finished.get(name)
        if done is not None or name in self._open or name not in self._readers:
            return done
        self._open.add(name)
        try:
            callees.finished[name] = self._readers[name].finish(callees.signatures[name])
        finally:
            self._open.discard(name)
        return callees.finished[name]

    def _span(self) -> Span:
        node = self._node
        span = self._source.span(node)
        line = first_line(node)
        return Span(span.filename, line, span.begin_column, span.end_line, span.end_column)

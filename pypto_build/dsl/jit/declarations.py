# SPDX-License-Identifier: Apache-2.0
"""What a `@pl.jit` body declares about its dimensions: `M = pl.dynamic("M")` and `a.bind_dynamic(0, M)`.

Both say something about types and nothing about what the kernel does, so the body is read without them.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from pypto_build.dsl.arguments import dotted
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.language.dims import DynVar, dynamic
from pypto_build.dsl.source import SourceText
from pypto_build.ir import Var


@dataclass(frozen=True, slots=True)
class Declarations:
    """The dimensions that a body names.

    body is what remains; names are the local dimensions; bound gives the dimension of (parameter, axis); assigned are
    the names that the body assigns, once those that it assigns exactly once and that are no parameters.
    """

    body: list[ast.stmt]
    names: Mapping[str, DynVar]
    bound: Mapping[tuple[str, int], Var]
    assigned: frozenset[str]
    once: frozenset[str]


def declarations(source: SourceText, node: ast.FunctionDef, closure: Mapping[str, object]) -> Declarations:
    """The dimensions that a function names.

    Raises:
        ParserSyntaxError: `bind_dynamic` is not given an axis and a dimension.
    """
    parameters = {argument.arg for argument in (*node.args.posonlyargs, *node.args.args)}
    reader = _Reader(source, parameters, closure)
    body = [reader.kept(stmt) for stmt in node.body]
    stored = Counter(one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    once = frozenset(name for name, times in stored.items() if times == 1 and name not in parameters)
    return Declarations(body, reader.names, reader.bound, frozenset(stored), once)


@dataclass(slots=True)
class _Reader:
    source: SourceText
    parameters: set[str]
    closure: Mapping[str, object]
    names: dict[str, DynVar] = field(default_factory=dict[str, DynVar])
    bound: dict[tuple[str, int], Var] = field(default_factory=dict[tuple[str, int], Var])

    def kept(self, stmt: ast.stmt) -> ast.stmt:
        """The statement, or `pass` in the place of a declaration."""
        if isinstance(stmt, ast.With):
            body = [self.kept(inner) for inner in stmt.body]
            unchanged = all(new is old for new, old in zip(body, stmt.body, strict=True))
            return stmt if unchanged else ast.copy_location(ast.With(stmt.items, body, stmt.type_comment), stmt)
        if self._dynamic(stmt) or self._bind(stmt):
            return ast.copy_location(ast.Pass(), stmt)
        return stmt

    def _dynamic(self, stmt: ast.stmt) -> bool:
        """Whether this is `M = pl.dynamic("M")`."""
        if not isinstance(stmt, ast.Assign) or not isinstance(stmt.value, ast.Call):
            return False
        target = stmt.targets[0]
        if not isinstance(target, ast.Name) or self._python(stmt.value.func) is not dynamic:
            return False
        given = stmt.value.args[0] if stmt.value.args else None
        literal = given.value if isinstance(given, ast.Constant) else target.id
        self.names[target.id] = DynVar(str(literal))
        return True

    def _bind(self, stmt: ast.stmt) -> bool:
        """Whether this is `a.bind_dynamic(0, M)`."""
        call = stmt.value if isinstance(stmt, ast.Expr) else None
        if not isinstance(call, ast.Call):
            return False
        path = dotted(call.func)
        if path is None or len(path) != 2 or path[1] != "bind_dynamic":
            return False
        axis, dimension = (*call.args, None, None)[:2]
        found = None if dimension is None else self._python(dimension)
        if not isinstance(axis, ast.Constant) or not isinstance(axis.value, int) or not isinstance(found, DynVar):
            raise ParserSyntaxError(
                f"{path[0]}.bind_dynamic() takes a number and a dimension",
                self.source.span(call),
                f'Write {path[0]}.bind_dynamic(0, M) with M = pl.dynamic("M")',
                source_lines=self.source.lines,
            )
        if path[0] in self.parameters:
            self.bound[path[0], axis.value] = found.unwrap()
        return True

    def _python(self, node: ast.expr) -> object:
        """What a dotted name stands for in the surrounding Python; None for anything else."""
        path = dotted(node)
        if path is None:
            return None
        found: object = self.names.get(path[0], self.closure.get(path[0]))
        for name in path[1:]:
            found = getattr(found, name, None)
        return found

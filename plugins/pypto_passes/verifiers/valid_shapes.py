# SPDX-License-Identifier: Apache-2.0
"""The valid region of a tensor or tile lies inside its shape; part of TypeChecked."""

from __future__ import annotations

from collections.abc import Iterator

from pypto_build.analysis.bounds import Bounds
from pypto_build.errors import Diagnostic, Span
from pypto_build.ir import (
    Call,
    Expr,
    Function,
    IterArg,
    ScalarType,
    ShapedType,
    Stmt,
    TensorType,
    TileType,
    TupleType,
    Type,
    Var,
    Visitor,
)

RANK_MISMATCH, VALUE_MISMATCH = 103, 104


def invalid_regions(function: Function) -> Iterator[Diagnostic]:
    """Every type of the function whose valid region is certainly not inside its shape."""
    finder = _Types(function)
    finder.visit(function)
    yield from finder.found
    for index, kind in enumerate(function.return_types):
        what = f"Function '{function.name}' return type[{index}]"
        yield from _problems(kind, what, finder.bounds, span=function.span)


class _Types(Visitor):
    """Looks at the types of variables and calls, each type object once."""

    def __init__(self, function: Function) -> None:
        self.bounds = Bounds()
        self.found: list[Diagnostic] = []
        self.place = function.span
        self._seen_types: set[int] = set()  # types live as long as the function, so their ids do not come again

    def visit_stmt(self, stmt: Stmt) -> None:
        self.place = stmt.span if stmt.span.is_valid() else self.place
        self.visit_node(stmt)

    def visit_definition(self, var: Var) -> None:
        kind = "IterArg" if isinstance(var, IterArg) else "Var"
        self._look(var.type, f"{kind} '{var.name_hint}'")
        self.visit_node(var)

    def visit_call(self, call: Call) -> None:
        self._look(call.type, "Call result")
        self.visit_node(call)

    def _look(self, kind: Type, what: str) -> None:
        if isinstance(kind, ScalarType) or id(kind) in self._seen_types:
            return
        self._seen_types.add(id(kind))
        self.found.extend(_problems(kind, what, self.bounds, span=self.place))


def _problems(kind: Type, what: str, bounds: Bounds, *, span: Span) -> Iterator[Diagnostic]:
    if isinstance(kind, TupleType):
        for index, element in enumerate(kind.types):
            yield from _problems(element, f"{what} TupleType element[{index}]", bounds, span=span)
        return
    valid = valid_shape_of(kind)
    if not isinstance(kind, ShapedType) or not valid:
        return
    where = f"{what} has invalid {type(kind).__name__} valid_shape"
    if len(valid) != len(kind.shape):
        text = f"{where} rank mismatch: got rank {len(valid)}, but the physical shape has rank {len(kind.shape)}"
        yield Diagnostic("error", "TypeCheck", text, span, error_code=RANK_MISMATCH)
        return
    for index, (extent, dim) in enumerate(zip(valid, kind.shape, strict=True)):
        problem = _problem(extent, dim, bounds)
        if problem:
            text = f"{where} dimension {index} {problem}"
            yield Diagnostic("error", "TypeCheck", text, span, error_code=VALUE_MISMATCH)


def _problem(extent: Expr, dim: Expr, bounds: Bounds) -> str:
    if not _is_integer(extent) or not _is_integer(dim):
        return ""
    high = bounds.of(extent).high
    if high is not None and high < 0:
        return f"with provably negative extent {extent}"
    low = bounds.of_form(bounds.difference(extent, dim)).low
    return f"extent {extent} is larger than the physical shape extent {dim}" if low is not None and low > 0 else ""


def _is_integer(expr: Expr) -> bool:
    return isinstance(expr.type, ScalarType) and expr.type.dtype.is_int()


def valid_shape_of(kind: Type) -> tuple[Expr, ...]:
    """The stated valid region; empty for the whole shape."""
    if isinstance(kind, TensorType):
        return kind.tensor_view.valid_shape if kind.tensor_view is not None else ()
    if isinstance(kind, TileType):
        return kind.tile_view.valid_shape if kind.tile_view is not None else ()
    return ()

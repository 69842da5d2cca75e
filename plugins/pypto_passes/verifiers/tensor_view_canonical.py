# SPDX-License-Identifier: Apache-2.0
"""TensorViewCanonical: the strides of every tensor are spelled out and belong to its layout.

A tensor without a view is packed row by row and needs no strides; the MX layouts are orders of boxes and have none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from pypto_build.errors import Diagnostic
from pypto_build.ir import Function, Program, Stmt, TensorLayout, TensorType, TupleType, Type, Visitor
from pypto_build.ops.tensor_layout import MX_LAYOUTS, canonical_problem
from pypto_build.passes import PassContext

STRIDES_MISSING, STRIDES_WRONG = 1, 2
"""Error codes; before strides are written down, the first is no mistake: none stand for packed ones."""


def verify_tensor_view_canonical(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every tensor whose strides are missing or do not belong to its layout."""
    del context
    for function in program.functions.values():
        walk = _Views(function)
        walk.visit(function)
        yield from walk.found


class _Views(Visitor):
    """Looks at every type object of a function once."""

    WALKS_TYPES: ClassVar[bool] = True

    def __init__(self, function: Function) -> None:
        self.found: list[Diagnostic] = []
        self._where = f"in function '{function.name}'"
        self._place = function.span
        self._seen: set[int] = set()  # types live as long as the function, so their ids do not come again

    def visit_stmt(self, stmt: Stmt) -> None:
        self._place = stmt.span if stmt.span.is_valid() else self._place
        self.visit_node(stmt)

    def visit_type(self, kind: Type) -> None:
        if id(kind) in self._seen:
            return
        self._seen.add(id(kind))
        if isinstance(kind, TupleType):
            for element in kind.types:
                self.visit_type(element)
        elif isinstance(kind, TensorType):
            self._check(kind)

    def _check(self, kind: TensorType) -> None:
        problem = _problem(kind)
        if problem is not None:
            code, what = problem
            text = f"{what}, for {kind} {self._where}"
            self.found.append(Diagnostic("error", "TensorViewCanonical", text, self._place, error_code=code))


def _problem(kind: TensorType) -> tuple[int, str] | None:
    view = kind.tensor_view
    if view is None or view.layout in MX_LAYOUTS:
        return None
    if view.layout is TensorLayout.NZ:
        return STRIDES_WRONG, "NZ is a tile-only layout: a tensor in global memory has no order of boxes"
    if kind.shape and not view.stride:
        return STRIDES_MISSING, "stride is empty: MaterializeTensorStrides writes it down"
    problem = canonical_problem(kind.shape, view.stride, view.layout)
    return None if problem is None else (STRIDES_WRONG, problem)

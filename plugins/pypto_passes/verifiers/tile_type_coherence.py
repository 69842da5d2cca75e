# SPDX-License-Identifier: Apache-2.0
"""TileTypeCoherence: a tile's view is stored only when it says more than the memory space does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from pypto_build.errors import Diagnostic
from pypto_build.ir import Function, Program, Stmt, TileType, Type, Visitor, implicit_tile_view
from pypto_build.passes import PassContext


def verify_tile_type_coherence(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every tile type that states what its shape and memory space imply."""
    del context
    for function in program.functions.values():
        finder = _TileTypes(function)
        finder.visit(function)
        yield from finder.found


class _TileTypes(Visitor):
    WALKS_TYPES: ClassVar[bool] = True

    def __init__(self, function: Function) -> None:
        self.place = function.span
        self.found: list[Diagnostic] = []

    def visit_stmt(self, stmt: Stmt) -> None:
        self.place = stmt.span if stmt.span.is_valid() else self.place
        self.visit_node(stmt)

    def visit_type(self, kind: Type) -> None:
        if isinstance(kind, TileType):
            self._tile(kind)
        else:
            self.walk_entity(kind)

    def _tile(self, kind: TileType) -> None:
        view = kind.tile_view
        if view is None:
            return
        stated = view.replace(valid_shape=()) if view.valid_shape == kind.shape else view
        if stated == implicit_tile_view(kind.shape, kind.memory_space):
            text = f"{kind} states the view that its shape and memory space imply: it should be left out"
            self.found.append(Diagnostic("error", "TileTypeCoherence", text, self.place))

# SPDX-License-Identifier: Apache-2.0
"""What is below a node: nodes of some classes, the Vars that are bound there, the Vars that are used there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, TypeVar, cast

from pypto_build.ir.expr import Constant, IterArg, Var
from pypto_build.ir.node import Node
from pypto_build.ir.rewrite import Visitor
from pypto_build.ir.types import Type

_N = TypeVar("_N", bound=Node)


def collect(node: Node, *wanted: type[_N]) -> list[_N]:
    """The nodes of some classes below and at a node, outer before inner."""
    collector = _Collector(wanted)
    collector.visit(node)
    return cast("list[_N]", collector.found)


class _Collector(Visitor):
    def __init__(self, wanted: tuple[type, ...]) -> None:
        self.wanted = wanted
        self.found: list[Node] = []

    def visit_node(self, node: Node) -> None:
        if isinstance(node, self.wanted):
            self.found.append(node)
        super().visit_node(node)

    def visit_var(self, var: Var) -> None:
        if isinstance(var, self.wanted):
            self.found.append(var)


def defined_vars(nodes: Iterable[Node]) -> list[Var]:
    """The Vars bound below some nodes, in walking order (IterArgs, loop variables and results included)."""
    collector = _Definitions()
    for node in nodes:
        collector.visit(node)
    return collector.found


class _Definitions(Visitor):
    WALKS_TYPES: ClassVar[bool] = True

    def __init__(self) -> None:
        self.found: list[Var] = []

    def visit_definition(self, var: Var) -> None:
        self.found.append(var)
        if isinstance(var, IterArg):
            self.visit(var.init_value)

    def visit_type(self, kind: Type) -> None:
        """Types bind nothing."""


class UsedVars(Visitor):
    """Collects the Vars that are used, in the order of their first use; those in types only with WALKS_TYPES."""

    def __init__(self) -> None:
        self.found: dict[Var, None] = {}

    def visit_var(self, var: Var) -> None:
        """A use."""
        self.found[var] = None

    def visit_constant(self, constant: Constant) -> None:
        """Nothing is below a constant."""


class UsedVarsAndSymbols(UsedVars):
    """The same, those in types included."""

    WALKS_TYPES: ClassVar[bool] = True


def used_vars(*parts: Node | Type) -> dict[Var, None]:
    """The Vars used below nodes and types, those in the types of nodes included, in the order of their first use."""
    uses = UsedVarsAndSymbols()
    for part in parts:
        if isinstance(part, Type):
            uses.visit_type(part)
        else:
            uses.visit(part)
    return uses.found

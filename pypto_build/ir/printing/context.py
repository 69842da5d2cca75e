# SPDX-License-Identifier: Apache-2.0
"""What the printing functions share while one piece of IR is printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from pypto_build.ir.enums import SplitMode
from pypto_build.ir.expr import Expr, Var
from pypto_build.ir.printing.constants import ConstantTrees
from pypto_build.ir.printing.names import Names
from pypto_build.ir.printing.parts import Part, Parts
from pypto_build.ir.stmt import Stmt
from pypto_build.ir.types import Type

ExpressionRule: TypeAlias = "Callable[[Context, Any], Part]"
StatementRule: TypeAlias = "Callable[[Context, Any, Place], Parts]"
INDENT = "    "


@dataclass(frozen=True, slots=True)
class Rules:
    """One function per class."""

    expressions: Mapping[type[Expr], ExpressionRule]
    statements: Mapping[type[Stmt], StatementRule]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands: its depth and what a yield there binds; `returns`: it gives the function's results."""

    depth: int = 0
    targets: tuple[Var, ...] = ()
    returns: bool = False

    @property
    def pad(self) -> str:
        """The spaces before a line."""
        return INDENT * self.depth

    def deeper(self) -> Place:
        """The body of a scope: a yield there still ends what is around the scope."""
        return Place(self.depth + 1, self.targets, self.returns)

    def body(self, targets: tuple[Var, ...]) -> Place:
        """The body of a branch or loop that hands its results to `targets`."""
        return Place(self.depth + 1, targets)

    def not_last(self) -> Place:
        """A statement that others follow: a yield there binds nothing."""
        return Place(self.depth, (), self.returns)


@dataclass(frozen=True, slots=True)
class Style:
    """What the caller asked for; `format` breaks signatures longer than a line of 200 characters."""

    prefix: str = "pl"
    concise: bool = False
    format: bool = True
    explicit_layout: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """Names and style, and where in the text we are.

    in_program: functions are called through `self`. in_signature: allocations are named by strings, because the body
    that makes them follows. split: the mode of the region around, which its operations need not repeat.
    """

    style: Style
    rules: Rules
    names: Names
    window_sizes: dict[Var, Expr] = field(default_factory=dict[Var, Expr])
    in_program: bool = False
    in_signature: bool = False
    split: SplitMode | None = None
    constants: ConstantTrees = field(default_factory=ConstantTrees)
    type_texts: dict[int, tuple[Type, str]] = field(default_factory=dict[int, tuple[Type, str]])

    @property
    def pl(self) -> str:
        """The name of the language module in the text."""
        return self.style.prefix

    def for_signature(self) -> Context:
        """The same for a function's header."""
        return replace(self, in_signature=True, type_texts={})

    def within_split(self, mode: SplitMode) -> Context:
        """The same inside a region divided between vector cores."""
        return replace(self, split=mode)

# SPDX-License-Identifier: Apache-2.0
"""Functions and programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from pypto_build.errors import InternalError
from pypto_build.ir.enums import DERIVED_LEVEL_AND_ROLE, FunctionType, Level, ParamDirection, Role
from pypto_build.ir.expr import GlobalVar, Var
from pypto_build.ir.node import (
    EMPTY_MAP,
    UNKNOWN_SPAN,
    Node,
    Span,
    attributes,
    child,
    data,
    definitions,
    hint,
    ignored,
    node,
    type_fields,
    weak_node,
)

if TYPE_CHECKING:
    from pypto_build.ir.stmt import Stmt
    from pypto_build.ir.types import Type


@weak_node
class Function(Node):
    """A function; level and role follow from its type when they are not given.

    param_directions has one entry per parameter. The name is in the digest and ignored by equality.
    """

    name: str = hint()
    params: tuple[Var, ...] = definitions()
    param_directions: tuple[ParamDirection, ...] = data()
    return_types: tuple[Type, ...] = type_fields()
    body: Stmt = child()
    span: Span = ignored(default=UNKNOWN_SPAN)
    func_type: FunctionType = data(default=FunctionType.Opaque)
    level: Level | None = data(default=None)
    role: Role | None = data(default=None)
    attrs: Mapping[str, object] = attributes(default=EMPTY_MAP)
    requires_runtime_binding: bool = data(default=False)
    leading_comments: tuple[str, ...] = ignored(default=())

    def __post_init__(self) -> None:
        if len(self.params) != len(self.param_directions):
            raise InternalError(
                f"function {self.name} has {len(self.params)} parameters but {len(self.param_directions)} directions",
                self.span,
            )
        level, role = DERIVED_LEVEL_AND_ROLE[self.func_type]
        if self.level is None and level is not None:
            object.__setattr__(self, "level", level)
        if self.role is None and role is not None:
            object.__setattr__(self, "role", role)


def _functions(given: object) -> Iterable[Function]:
    """The functions of a program, whatever was given: a mapping of handles or just the functions."""
    values = getattr(given, "values", None)
    return cast("Iterable[Function]", given if values is None else values())


@node
class Program(Node):
    """Functions by name, in name order."""

    functions: Mapping[GlobalVar, Function] = ignored()
    name: str = hint(default="")
    span: Span = ignored(default=UNKNOWN_SPAN)
    leading_comments: tuple[str, ...] = ignored(default=())

    def __post_init__(self) -> None:
        listed = tuple(_functions(self.functions))
        ordered = sorted(listed, key=lambda function: function.name)
        by_name = {GlobalVar(function.name): function for function in ordered}
        if len(by_name) != len(listed):
            names = [function.name for function in ordered]
            twice = next(name for name in names if names.count(name) > 1)
            raise InternalError(f"program {self.name} has two functions named {twice}", self.span)
        object.__setattr__(self, "functions", MappingProxyType(by_name))

    def get_function(self, name: str) -> Function | None:
        """The function of this name, or None."""
        return self.functions.get(GlobalVar(name))

    def get_global_var(self, name: str) -> GlobalVar | None:
        """The handle that calls this function, or None."""
        handle = GlobalVar(name)
        return handle if handle in self.functions else None

    def with_functions(self, functions: Iterable[Function]) -> Program:
        """This program with other functions; the same object when all of them are its own."""
        listed = tuple(functions)
        if len(listed) == len(self.functions) and all(self.functions.get(GlobalVar(f.name)) is f for f in listed):
            return self
        return Program(listed, self.name, self.span, self.leading_comments)  # type: ignore[arg-type]  # see __post_init__


__all__ = ["EMPTY_MAP", "Function", "Program"]

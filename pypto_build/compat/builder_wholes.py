# SPDX-License-Identifier: Apache-2.0
"""The functions and programs that a builder has open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pypto_build.compat.builder_contexts import Context
from pypto_build.compat.node_constructors import make_function, make_program
from pypto_build.ir import (
    Function,
    FunctionType,
    GlobalVar,
    Level,
    ParamDirection,
    Program,
    Role,
    Span,
    Type,
    Var,
)

if TYPE_CHECKING:
    from pypto_build.compat.builder import IRBuilder


class FunctionBuilder(Context):
    """A function that is being built."""

    kind = "function"

    def __init__(  # noqa: PLR0917  # the public argument order
        self,
        builder: IRBuilder,
        name: str,
        span: Span,
        type: FunctionType = FunctionType.Opaque,
        level: Level | None = None,
        role: Role | None = None,
        attrs: Mapping[str, object] | None = None,
        requires_runtime_binding: bool = False,
    ) -> None:
        super().__init__(builder, span)
        self.name = name
        self._params: list[tuple[Var, ParamDirection]] = []
        self._return_types: list[Type] = []
        self._type = type
        self._level = level
        self._role = role
        self.attrs = dict(attrs or {})
        self._runtime = requires_runtime_binding

    def param(
        self,
        name: str,
        type: Type,
        span: Span | None = None,
        direction: ParamDirection = ParamDirection.In,
    ) -> Var:
        """Add a parameter."""
        var = Var(name, type, self.span(span))
        self._params.append((var, direction))
        return var

    def return_type(self, type: Type) -> None:
        """Add a return type."""
        self._return_types.append(type)

    def build(self) -> Function:
        """The function."""
        return make_function(
            self.name,
            self._params,
            self._return_types,
            self.body(),
            self._span,
            self._type,
            self._level,
            self._role,
            self.attrs,
            self._runtime,
        )


class ProgramBuilder(Context):
    """A program that is being built."""

    kind = "program"

    def __init__(self, builder: IRBuilder, name: str, span: Span) -> None:
        super().__init__(builder, span)
        self.name = name
        self._handles: dict[str, GlobalVar] = {}
        self._functions: dict[str, Function] = {}

    def declare_function(self, name: str) -> GlobalVar:
        """The handle of a function that will be added."""
        return self._handles.setdefault(name, GlobalVar(name))

    def get_global_var(self, name: str) -> GlobalVar:
        """The handle of a declared function; RuntimeError for an undeclared one."""
        if name not in self._handles:
            raise RuntimeError(f"function '{name}' is not declared")
        return self._handles[name]

    def add_function(self, function: Function) -> None:
        """Add a finished function."""
        self.declare_function(function.name)
        self._functions[function.name] = function

    def return_types(self, handle: GlobalVar) -> list[Type]:
        """The return types of an added function."""
        found = self._functions.get(handle.name)
        return [] if found is None else list(found.return_types)

    def build(self) -> Program:
        """The program."""
        return make_program(list(self._functions.values()), self.name, self._span)

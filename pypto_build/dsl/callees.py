# SPDX-License-Identifier: Apache-2.0
"""The functions that a body may call: those of its program by name, and those that it brings in from outside."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pypto_build.dsl.constants import dynamic_var
from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.ir import Function, FunctionType, ParamDirection, ReturnStmt, Role, Type, Var, statements

if TYPE_CHECKING:
    from pypto_build.dsl.jit.function import Given, JITFunction

    Specialize = Callable[[JITFunction, Mapping[str, Given], ast.Call], "Signature"]


@dataclass(frozen=True, slots=True)
class Signature:
    """What a caller needs to know of a function."""

    name: str
    params: tuple[Var, ...]
    param_directions: tuple[ParamDirection, ...]
    return_types: tuple[Type, ...]
    func_type: FunctionType
    role: Role | None

    @staticmethod
    def of(function: Function) -> Signature:
        """The signature of a finished function."""
        return Signature(
            function.name,
            function.params,
            function.param_directions,
            function.return_types,
            function.func_type,
            function.role,
        )


def implicit_return_types(function: Function) -> tuple[Type, ...]:
    """What a function without a return annotation returns: the types of the values of its last `return`."""
    stmts = statements(function.body)
    last = stmts[-1] if stmts else None
    return tuple(value.type for value in last.value) if isinstance(last, ReturnStmt) else ()


@dataclass(slots=True)
class Callees:
    """The functions that may be called while a program, or a function on its own, is read."""

    signatures: dict[str, Signature] = field(default_factory=dict)
    finished: dict[str, Function] = field(default_factory=dict)
    externals: dict[str, Function] = field(default_factory=dict)
    build: Callable[[str], Function | None] | None = None  # finishes a function of the program ahead of its turn
    specialize: Specialize | None = None  # makes the function that a call of a `@pl.jit` function needs
    dimensions: set[Var] = field(default_factory=set[Var])  # that types of `@pl.jit` functions name
    window_buffers: set[str] = field(default_factory=set)  # their names, which are those of the program
    _free: dict[str, Var] = field(default_factory=dict)

    def signature(self, name: str) -> Signature | None:
        """The signature of a function of the program or one from outside."""
        found = self.signatures.get(name)
        if found is not None:
            return found
        external = self.externals.get(name)
        return None if external is None else Signature.of(external)

    def return_types(self, signature: Signature) -> tuple[Type, ...]:
        """The result types of a function, taken from its body when its author did not write them."""
        if signature.return_types:
            return signature.return_types
        name = signature.name
        function = self.finished.get(name) or self.externals.get(name)
        if function is None and self.build is not None:
            function = self.build(name)
        return () if function is None else implicit_return_types(function)

    def add_external(self, function: Function, context: Context, call: ast.Call) -> str:
        """Remember a function from outside; its name must not mean anything else."""
        name = function.name
        known = self.externals.get(name)
        if known is not None and known is not function:
            context.fail(
                ParserSyntaxError,
                f"Conflicting external functions: two different functions are named '{name}'",
                call,
                hint="Rename one of them; a program holds one function per name",
            )
        if name in self.signatures:
            context.fail(
                ParserSyntaxError,
                f"External function '{name}' conflicts with program function '{name}'",
                call,
                hint="Rename one of them; a program holds one function per name",
            )
        self.externals[name] = function
        return name

    def free_variable(self, name: str) -> Var:
        """The variable that a printed `name__FREE_VAR` stands for."""
        return self._free.setdefault(name, dynamic_var(name))

    def all_functions(self) -> Mapping[str, Function]:
        """Every finished function, those from outside last."""
        return {**self.finished, **self.externals}

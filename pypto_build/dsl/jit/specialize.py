# SPDX-License-Identifier: Apache-2.0
"""From a `@pl.jit` function and its arguments to a program: the functions that calls ask for, each made once.

A function is made again for arguments of other types; its second version is called `name_2`.
"""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass

from pypto_build.dsl.advice import advise
from pypto_build.dsl.callees import Callees, Signature, implicit_return_types
from pypto_build.dsl.context import Constants
from pypto_build.dsl.diagnostics import ParserError, ParserSyntaxError
from pypto_build.dsl.function_builder import FunctionOptions, FunctionReader
from pypto_build.dsl.jit.arguments import Number
from pypto_build.dsl.jit.declarations import Declarations, declarations
from pypto_build.dsl.jit.function import Given, JITFunction
from pypto_build.dsl.jit.parameters import Parameter, ParameterReader
from pypto_build.dsl.source import SourceText, find_function
from pypto_build.errors import UserError, UserErrors
from pypto_build.ir import Function, FunctionType, ParamDirection, Program, UnknownType, Var, rebuilt

_Version = tuple[JITFunction, tuple[Parameter, ...]]


@dataclass(frozen=True, slots=True)
class _Text:
    """The text of a function, and what it says about dimensions."""

    source: SourceText
    node: ast.FunctionDef
    declared: Declarations
    closure: Mapping[str, object]


def program_of(entry: JITFunction, given: Mapping[str, Given], dimensions: set[Var]) -> Program:
    """The program that begins at a function with these arguments; `dimensions` are those that their types name.

    Raises:
        ParserError: the function, or one that it calls, cannot be read with them.
    """
    specializer = Specializer(dimensions)
    specializer.signature(entry, given)
    return specializer.program(entry)


class Specializer:
    """The functions of one program."""

    def __init__(self, dimensions: set[Var]) -> None:
        self._callees = Callees(specialize=self._called, dimensions=dimensions)
        self._versions: dict[_Version, str] = {}
        self._texts: dict[JITFunction, _Text] = {}
        self._open: list[JITFunction] = []

    def program(self, entry: JITFunction) -> Program:
        """The functions so far, as a program named after its entry."""
        text = self._texts[entry]
        functions = tuple(self._callees.all_functions().values())
        return Program(functions, entry.name, text.source.span(text.node))  # type: ignore[arg-type]  # it takes functions as well

    def signature(self, function: JITFunction, given: Mapping[str, Given]) -> Signature:
        """The signature of a function for these arguments; the function is read if they are new."""
        text = self._text(function)
        constants = Constants(text.declared.once, dict(text.declared.names))
        closure = ChainMap(constants.values, dict(text.closure))
        parameters = self._parameters(function, text, given, closure=closure)
        version = (function, tuple(parameters.values()))
        if version not in self._versions:
            self._versions[version] = name = self._free_name(function.name)
            values = {n: p.value for n, p in parameters.items() if p.value is not None}
            constants.values.update({n: value for n, value in values.items() if n not in text.declared.assigned})
            node = _renamed(text, name, {n: value for n, value in values.items() if n in text.declared.assigned})
            self._read(function, text, node, closure=closure, parameters=parameters, constants=constants)
        return self._callees.signatures[self._versions[version]]

    def _called(self, function: JITFunction, given: Mapping[str, Given], call: ast.Call) -> Signature:
        """The signature that a call needs; an error in the callee says which call it was read for."""
        caller = self._texts[self._open[-1]].source
        if function in self._open:
            raise ParserSyntaxError(
                f"@pl.{function.decorator} function '{function.name}' calls itself",
                caller.span(call),
                "Functions of a program form no cycle: write a loop",
                source_lines=caller.lines,
            )
        try:
            return self.signature(function, given)
        except ParserError as error:
            place = caller.span(call)
            if error.span.filename == place.filename:
                types = ", ".join(f"{name}: {one.type}" for name, one in given.items())
                error.notes = (*error.notes, (f"'{function.name}' is read for this call, with {types}", place))
            raise

    def _text(self, function: JITFunction) -> _Text:
        found = self._texts.get(function)
        if found is None:
            source, node = find_function(function.python)
            closure = function.closure()
            found = _Text(source, node, declarations(source, node, closure), closure)
            self._texts[function] = found
        return found

    def _parameters(
        self, function: JITFunction, text: _Text, given: Mapping[str, Given], *, closure: Mapping[str, object]
    ) -> dict[str, Parameter]:
        resolver = self._reader(function, text, text.node, closure=closure).resolver()
        reader = ParameterReader(resolver, function.name, given, text.declared.bound, self._callees.dimensions)
        read: dict[str, Parameter] = {}
        problems: list[UserError] = []
        for argument in (*text.node.args.posonlyargs, *text.node.args.args):
            try:
                read[argument.arg] = reader.read(argument)
            except ParserError as problem:
                advise(problem)
                problems.append(problem)
        if problems:
            raise UserErrors(tuple(problems)) if len(problems) > 1 else problems[0]
        if function.func_type is not FunctionType.Inline:
            return read
        return {name: Parameter(p.type, ParamDirection.In, p.value) for name, p in read.items()}

    def _reader(
        self,
        function: JITFunction,
        text: _Text,
        node: ast.FunctionDef,
        *,
        closure: Mapping[str, object],
        parameters: Mapping[str, Parameter] | None = None,
        constants: Constants | None = None,
    ) -> FunctionReader:
        attrs: dict[str, object] = {} if function.auto_scope else {"auto_scope": False}
        options = FunctionOptions(function.func_type, function.level, function.role, attrs, function.auto_scope)
        return FunctionReader(
            text.source,
            node,
            closure=closure,
            options=options,
            callees=self._callees,
            method=False,
            parameters=parameters,
            constants=constants,
        )

    def _read(
        self,
        function: JITFunction,
        text: _Text,
        node: ast.FunctionDef,
        *,
        closure: Mapping[str, object],
        parameters: Mapping[str, Parameter],
        constants: Constants,
    ) -> None:
        """Read a version of a function; its result types are those of what it returns."""
        reader = self._reader(function, text, node, closure=closure, parameters=parameters, constants=constants)
        signature = reader.signature()
        self._callees.signatures[node.name] = signature
        self._open.append(function)
        try:
            made = _with_result_types(reader.finish(signature))
        finally:
            self._open.pop()
        self._callees.finished[node.name] = made
        self._callees.signatures[node.name] = Signature.of(made)

    def _free_name(self, name: str) -> str:
        taken = {**self._callees.signatures, **self._callees.externals}
        free, number = name, 2
        while free in taken:
            free, number = f"{name}_{number}", number + 1
        return free


def _renamed(text: _Text, name: str, initial: Mapping[str, Number]) -> ast.FunctionDef:
    """A function under the name of a version; parameters that it assigns begin with the numbers that they are given."""
    node = text.node
    places = {argument.arg: argument for argument in (*node.args.posonlyargs, *node.args.args)}
    first = [_assignment(places[target], value) for target, value in initial.items()]
    made = ast.FunctionDef(name, node.args, [*first, *text.declared.body], [], None, node.type_comment)
    return ast.copy_location(made, node)


def _assignment(place: ast.arg, value: Number) -> ast.stmt:
    target = ast.copy_location(ast.Name(place.arg, ast.Store()), place)
    number = ast.copy_location(ast.Constant(value), place)
    return ast.copy_location(ast.Assign([target], number), place)


def _with_result_types(function: Function) -> Function:
    types = implicit_return_types(function)
    if not types or any(isinstance(one, UnknownType) for one in types):
        return function
    return rebuilt(function, {"return_types": types})

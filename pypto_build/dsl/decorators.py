# SPDX-License-Identifier: Apache-2.0
"""`@pl.function`, `@pl.program` and `@pl.inline`: Python runs them when it imports the source, and they read it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, FunctionType
from typing import Final, NoReturn, overload

from pypto_build.dsl.callees import Callees
from pypto_build.dsl.decorated import check_options, decorated_class, decorated_function
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.function_attrs import checked_attrs
from pypto_build.dsl.function_builder import FunctionOptions, FunctionReader
from pypto_build.dsl.inline import InlineFunction
from pypto_build.dsl.program_builder import ProgramReader
from pypto_build.dsl.source import find_class, find_function
from pypto_build.dsl.surroundings import caller, closure_cells, names_around
from pypto_build.ir import Function, Level, Program, Role
from pypto_build.ir import FunctionType as Kind

_MARK: Final = "__pypto_function__"  # on a method: what its decorator was given


@dataclass(frozen=True, slots=True)
class _Given:
    """The arguments of `@pl.function`."""

    kind: Kind
    level: Level | None
    role: Role | None
    attrs: object
    auto_scope: bool
    strict_ssa: bool
    external_source: str | Path | None


@overload
def function(func: Callable[..., object], /) -> Function: ...
@overload
def function(
    *,
    type: Kind = ...,
    level: Level | None = ...,
    role: Role | None = ...,
    attrs: object = ...,
    auto_scope: bool = ...,
    strict_ssa: bool = ...,
    external_source: str | Path | None = ...,
) -> Callable[[Callable[..., object]], Function]: ...
def function(
    func: Callable[..., object] | None = None,
    *,
    type: Kind = Kind.Opaque,
    level: Level | None = None,
    role: Role | None = None,
    attrs: object = None,
    auto_scope: bool = True,
    strict_ssa: bool = False,
    external_source: str | Path | None = None,
) -> object:
    """Make a function of the language out of a Python function.

    Inside a class the function stays as it is until `@pl.program` reads the class; elsewhere it becomes IR at once.

    Args:
        func: the function, when the decorator is written without arguments.
        type: what the function is; the default leaves it to the compiler.
        level: the level of the machine it runs at; derived from the type when not given.
        role: whether it hands out work or does it; derived from the type when not given.
        attrs: attributes (deprecated: write `pl.func_attr({...})` in the body).
        auto_scope: whether the compiler places the lifetime scopes of the runtime.
        strict_ssa: refuse a second assignment to a name.
        external_source: the C++ file of a kernel of which only the signature is written here.

    Raises:
        ParserError: the source cannot be read as a function of the language.
    """
    given = _Given(type, level, role, attrs, auto_scope, strict_ssa, external_source)
    check_options(
        caller(),
        type=type,
        level=level,
        role=role,
        auto_scope=auto_scope,
        strict_ssa=strict_ssa,
        external_source=external_source,
    )
    if func is not None:
        return _decorate(func, given, caller())

    def decorate(inner: Callable[..., object]) -> object:
        return _decorate(inner, given, caller())

    return decorate


def _decorate(decorated: Callable[..., object], given: _Given, frame: FrameType) -> object:
    func = decorated_function(decorated, frame, decorator="function")
    if "__qualname__" in frame.f_locals and "__module__" in frame.f_locals:
        setattr(func, _MARK, given)
        return func
    source, node = find_function(func)
    callees = Callees()
    reader = FunctionReader(
        source,
        node,
        closure=names_around(frame, func),
        options=_options(func, given),
        callees=callees,
        method=False,
    )
    signature = reader.signature()
    callees.signatures[node.name] = signature
    return reader.finish(signature)


def _options(func: FunctionType, given: _Given) -> FunctionOptions:
    def refuse(message: str) -> NoReturn:
        raise ParserSyntaxError(message, _place(func), "Write pl.func_attr({'name': value}) at the top of the body")

    attrs: dict[str, object] = {}
    if given.attrs is not None:
        attrs = checked_attrs(given.attrs, refuse=refuse, may_reference=False)
    if attrs:
        warnings.warn(
            "@pl.function(attrs=...) is deprecated because it cannot reference parameters; "
            "write pl.func_attr({...}) at the top of the body",
            DeprecationWarning,
            stacklevel=4,
        )
    if not given.auto_scope:
        attrs["auto_scope"] = False
    if given.external_source is not None:
        attrs["external_source"] = _external_path(func, given)
    return FunctionOptions(given.kind, given.level, given.role, attrs, given.auto_scope, given.strict_ssa)


def _external_path(func: FunctionType, given: _Given) -> str:
    if given.kind not in (Kind.AIC, Kind.AIV):
        message = "external_source= is only valid on FunctionType.AIC or FunctionType.AIV"
        raise ParserSyntaxError(message, _place(func), "Say which core the kernel is for: type=pl.FunctionType.AIV")
    path = Path(str(given.external_source))
    return str(path if path.is_absolute() else (Path(func.__code__.co_filename).parent / path).resolve())


def _place(func: FunctionType) -> Mapping[str, object]:
    return {"filename": func.__code__.co_filename, "line": func.__code__.co_firstlineno, "column": 1}


@overload
def program(cls: type, /) -> Program: ...
@overload
def program(*, strict_ssa: bool = ...) -> Callable[[type], Program]: ...
def program(cls: type | None = None, *, strict_ssa: bool = False) -> object:
    """Make a program out of a class: each method decorated with `@pl.function` is one of its functions.

    Raises:
        ParserError: the source cannot be read as a program of the language.
    """
    check_options(caller(), strict_ssa=strict_ssa)
    if cls is not None:
        return _read_program(cls, caller(), strict_ssa=strict_ssa)

    def decorate(inner: type) -> Program:
        return _read_program(inner, caller(), strict_ssa=strict_ssa)

    return decorate


def _read_program(cls: type, frame: FrameType, *, strict_ssa: bool) -> Program:
    source, node = find_class(decorated_class(cls, frame), frame)
    options: dict[str, FunctionOptions] = {}
    closure = names_around(frame)
    for name, method in vars(cls).items():
        given = getattr(method, _MARK, None)
        if isinstance(given, _Given) and isinstance(method, FunctionType):
            options[name] = _options(method, given)
            for free, value in closure_cells(method).items():
                closure.setdefault(free, value)
    return ProgramReader(source, node, closure=closure).read(options, strict_ssa=strict_ssa)


def inline(func: Callable[..., object]) -> InlineFunction:
    """Make a function whose statements are read again wherever it is called."""
    function = decorated_function(func, caller(), decorator="inline")
    source, node = find_function(function)
    names = tuple(argument.arg for argument in (*node.args.posonlyargs, *node.args.args))
    return InlineFunction(node.name, node, names, source, names_around(caller(), function))

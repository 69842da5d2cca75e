# SPDX-License-Identifier: Apache-2.0
"""What a decorator is put on and what it is given, refused at its place when it is of the wrong kind."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from types import FrameType, FunctionType
from typing import Final, NoReturn

from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.surroundings import place_of
from pypto_build.ir import FunctionType as Kind
from pypto_build.ir import Level, Role

OPTIONS: Final[Mapping[str, tuple[type, ...]]] = {
    "type": (Kind,),
    "level": (Level, type(None)),
    "role": (Role, type(None)),
    "auto_scope": (bool,),
    "strict_ssa": (bool,),
    "external_source": (str, Path, type(None)),
}
"""The kinds of value that the options of `@pl.function` and `@pl.program` take, all but `attrs=`."""

_SHOWN: Final[Mapping[type, str]] = {
    Kind: "pl.FunctionType.<kind>",
    Level: "pl.Level.<level>",
    Role: "pl.Role.<role>",
    bool: "True or False",
    str: "a path",
    Path: "a path",
}


def decorated_function(func: object, frame: FrameType, *, decorator: str) -> FunctionType:
    """The Python function that a decorator is put on."""
    if not isinstance(func, FunctionType):
        _refuse(f"@pl.{decorator} decorates a function, got {func!r}", frame, f"Write @pl.{decorator} above a def")
    if inspect.iscoroutinefunction(func) or inspect.isasyncgenfunction(func):
        _refuse(f"@pl.{decorator} does not take an async function: '{func.__name__}'", frame, "Write def without async")
    return func


def decorated_class(cls: object, frame: FrameType) -> type:
    """The class that `@pl.program` is put on."""
    if not isinstance(cls, type):
        _refuse(f"@pl.program decorates a class, got {cls!r}", frame, "Write @pl.program above a class")
    return cls


def check_options(frame: FrameType, **given: object) -> None:
    """Refuse options of a wrong kind."""
    for name, value in given.items():
        if not isinstance(value, OPTIONS[name]):
            shown = dict.fromkeys(_SHOWN[kind] for kind in OPTIONS[name] if kind in _SHOWN)
            _refuse(f"{name}= of the decorator takes {' or '.join(shown)}, got {value!r}", frame, f"Leave {name}= out")


def _refuse(message: str, frame: FrameType, hint: str) -> NoReturn:
    raise ParserSyntaxError(message, place_of(frame), hint)

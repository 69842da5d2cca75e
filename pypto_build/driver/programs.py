# SPDX-License-Identifier: Apache-2.0
"""Which program of a loaded source is compiled: the only one, or the one that is asked for by name.

A `@pl.jit` entry becomes a program here, with the arguments that it is compiled for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from pypto_build.dsl.jit import JITFunction
from pypto_build.errors import Span, UserError
from pypto_build.ir import Function, Program

_T = TypeVar("_T")


def chosen_program(module: ModuleType, path: Path, *, entry: str | None, arguments: Sequence[str]) -> Program:
    """The program of a source.

    Raises:
        UserError: there is none, or none of this name, or several, or the arguments are wrong.
    """
    chosen = _named(module, path, entry) if entry is not None else _only(module, path)
    if isinstance(chosen, JITFunction):
        from pypto_build.dsl.jit.arguments import parse_arguments
        from pypto_build.dsl.jit.entry import specialized

        return specialized(chosen, parse_arguments(arguments))
    if arguments:
        name = entry or chosen.name or path.stem
        raise UserError("SRC007", f"{name!r} is no @pl.jit function, it takes no arguments", help="Leave them out")
    return chosen


def _named(module: ModuleType, path: Path, entry: str) -> Program | JITFunction:
    known = {**_of(module, Program), **_of(module, JITFunction)}
    if entry not in known:
        listed = ", ".join(known) or "none"
        raise UserError("SRC004", f"{path.name} has no program {entry!r}", help=f"programs: {listed}")
    return known[entry]


def _only(module: ModuleType, path: Path) -> Program | JITFunction:
    """The program of a source that holds one; `@pl.jit` entries count where no other program is."""
    programs = _of(module, Program)
    functions = tuple(_of(module, Function).values())
    entries = {name: found for name, found in _of(module, JITFunction).items() if found.is_entry}
    candidates = programs if programs or functions else entries
    distinct = list({id(found): found for found in candidates.values()}.values())
    if len(distinct) > 1:
        names = ", ".join(candidates)
        raise UserError("SRC005", f"{path.name} has several programs: {names}", help="pick one with --entry NAME")
    if distinct:
        return distinct[0]
    if not functions:
        place = Span(str(path), 1, 1)
        help = "Decorate a class with @pl.program, or a function with @pl.function or @pl.jit"
        raise UserError("SRC006", f"{path.name} holds no @pl.program and no @pl.function", place, help=help)
    return Program(functions, path.stem)  # type: ignore[arg-type]  # any iterable of functions


def _of(module: ModuleType, kind: type[_T]) -> dict[str, _T]:
    return {name: value for name, value in vars(module).items() if isinstance(value, kind)}

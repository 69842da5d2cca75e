# SPDX-License-Identifier: Apache-2.0
"""Loops and scopes of `pl` that Python may call through the public package: they check and hold their arguments."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any, Final

from pypto_build.dsl.language.values import Scalar
from pypto_build.ir import ConstInt, Level, Role, SplitMode


def _loop(*bounds: int, init_values: Sequence[object] | None = None) -> Iterator[object]:
    """The loop variables as scalars, with the carried values beside them if there are any."""
    for number in builtins.range(*bounds):
        scalar = Scalar(expr=ConstInt(number))
        yield scalar if init_values is None else (scalar, tuple(init_values))


def _pipeline(*bounds: int, stage: int, init_values: Sequence[object] | None = None) -> Iterator[object]:
    """The same with a number of stages, which Python has no use for."""
    if stage < 1:
        raise ValueError(f"pl.pipeline() stage must be >= 1, got {stage}")
    return _loop(*bounds, init_values=init_values)


def _split_aiv(n: int, *, mode: SplitMode) -> Iterator[object]:
    """The numbers of the two vector cores."""
    if n != 2:
        raise ValueError(f"pl.split_aiv() count must be the integer 2, got {n!r}")
    del mode
    return _loop(n)


class _Context(SimpleNamespace):
    """The arguments of a scope; nothing happens on the way in or out."""

    def __iter__(self) -> Iterator[object]:
        return _loop(self.core_num)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_error: object) -> None:
        return None


def _options(name: str, options: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    unknown = options.keys() - defaults.keys()
    if unknown:
        raise TypeError(f"pl.{name}() got an unexpected keyword argument {min(unknown)!r}")
    return {**defaults, **options}


def _spmd(core_num: object, **options: Any) -> _Context:
    """A scope that runs on several cores."""
    defaults: dict[str, Any] = {
        "sync_start": False,
        "name_hint": "",
        "optimizations": None,
        "deps": None,
        "allow_early_resolve": False,
        "predicate": None,
    }
    return _Context(core_num=core_num, **_options("spmd", options, defaults))


def _at(level: Level, role: Role | None = None, **options: Any) -> _Context:
    """A scope at a level of the machine."""
    defaults: dict[str, Any] = {
        "optimizations": None,
        "deps": None,
        "no_dep_args": None,
        "dumps": None,
        "allow_early_resolve": False,
        "name_hint": "",
        "windowize": False,
    }
    return _Context(level=level, role=role, **_options("at", options, defaults))


NAMES: Final[dict[str, Any]] = {
    "range": _loop,
    "parallel": _loop,
    "unroll": _loop,
    "pipeline": _pipeline,
    "split_aiv": _split_aiv,
    "at": _at,
    "spmd": _spmd,
}

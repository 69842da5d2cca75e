# SPDX-License-Identifier: Apache-2.0
"""The builders of `pypto.ir.op`: ours, with the place of the caller, and a span or a mode as the last argument."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import wraps
from inspect import isfunction
from typing import Final

from pypto_build.compat.callers import caller_span
from pypto_build.errors import Span
from pypto_build.ir import AtomicType, NotifyOp, WaitCmp
from pypto_build.ops.build.distributed_tensor import chunking

Builder = Callable[..., object]
_KEYWORDS: Final[dict[type, str]] = {AtomicType: "atomic", NotifyOp: "op", WaitCmp: "cmp"}
"""Values that our builders take by name only."""


def _table(module: str) -> dict[str, object]:
    found = importlib.import_module(f"pypto_build.ops.build.{module}")
    names: list[str] = getattr(found, "__all__", [name for name in vars(found) if not name.startswith("_")])
    made: dict[object, object] = {}
    for name in names:
        given = getattr(found, name)
        made.setdefault(given, _public(given) if isfunction(given) else given)
    return {name: made[getattr(found, name)] for name in names}


def _public(build: Builder) -> Builder:
    @wraps(build)
    def make(*args: object, span: Span | None = None, **options: object) -> object:
        rest: list[object] = []
        for value in args:
            if isinstance(value, Span):
                span = value
            elif type(value) in _KEYWORDS:
                options[_KEYWORDS[type(value)]] = value
            else:
                rest.append(value)
        return build(*rest, span=caller_span() if span is None else span, **options)

    return make


def _check_chunks(chunk_rows: object, chunk_cols: object, op: str) -> None:
    chunking(op, chunk_rows, chunk_cols)


def _check_pipeline(pipeline: bool, chunk_rows: object, chunk_cols: object, op: str) -> None:
    chunking(op, chunk_rows, chunk_cols, pipeline=pipeline)


TENSOR: Final = _table("tensor")
TILE: Final = _table("tile")
SYSTEM: Final = _table("system")
ARRAY: Final = _table("array")
PREFETCH: Final = _table("prefetch")
PLD_TENSOR: Final = _table("distributed_tensor")
PLD_TILE: Final = _table("distributed_tile")
PLD_SYSTEM: Final = _table("distributed_system")
PLD_CHECKS: Final = {"_validate_chunk": _check_chunks, "_validate_pipeline": _check_pipeline}

# SPDX-License-Identifier: Apache-2.0
"""Warnings of builders and of the front end, at the line that asked for the operation."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from pypto_build.errors import Span
from pypto_build.ir import Call, TensorType, TileType
from pypto_build.ops.deduce import is_fully_valid

_PACKAGE = __name__.partition(".")[0]


def warn_unused_pad(made: Call) -> None:
    """Say so when a window that states a pad value has nothing to pad."""
    if isinstance(made.type, TensorType | TileType) and is_fully_valid(made.type):
        warn_at(
            f"{made.op.name}: pad_value has no effect, because all of the result is valid; pass valid_shape", made.span
        )


def warn_at(message: str, span: Span, *, category: type[Warning] = UserWarning) -> None:
    """Warn at a place; at the code that called this package when the place is unknown."""
    if span.is_valid():
        warnings.warn_explicit(message, category, span.filename, span.begin_line)
    else:
        warnings.warn(message, category, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """How far up the stack the first code outside this package is, as seen by `warn_at`."""
    level = 1
    frame: FrameType | None = sys._getframe(level)  # type: ignore[reportPrivateUsage]  # the documented way to it
    while frame is not None and _is_own(frame):
        frame, level = frame.f_back, level + 1
    return level


def _is_own(frame: FrameType) -> bool:
    name: object = frame.f_globals.get("__name__")
    return isinstance(name, str) and name.partition(".")[0] == _PACKAGE

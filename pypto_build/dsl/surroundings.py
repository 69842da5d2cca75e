# SPDX-License-Identifier: Apache-2.0
"""The Python names around a definition: what a function body may mention besides its own variables."""

from __future__ import annotations

import inspect
from types import FrameType, FunctionType

from pypto_build.errors import InternalError, Span


def caller() -> FrameType:
    """The frame in which the decorator that calls this was written."""
    frame = inspect.currentframe()
    outer = None if frame is None or frame.f_back is None else frame.f_back.f_back
    if outer is None:
        raise InternalError("a decorator runs without a Python frame around it")
    return outer


def place_of(frame: FrameType) -> Span:
    """Where the code that a frame runs stands."""
    positions = list(frame.f_code.co_positions())
    index = frame.f_lasti // 2
    line, end_line, column, end_column = positions[index] if 0 <= index < len(positions) else (None, None, None, None)
    filename = frame.f_code.co_filename
    if line is None or column is None:
        return Span(filename, frame.f_lineno, 1)
    return Span(filename, line, column + 1, end_line or -1, -1 if end_column is None else end_column + 1)


def names_around(frame: FrameType, func: FunctionType | None = None) -> dict[str, object]:
    """The names of a frame, and those of the functions around it that a function mentions."""
    names = {**frame.f_globals, **frame.f_locals}
    if func is not None:
        for name, value in closure_cells(func).items():
            names.setdefault(name, value)
    return names


def closure_cells(func: FunctionType) -> dict[str, object]:
    """The variables of surrounding functions that a function mentions, as they are now."""
    cells: dict[str, object] = {}
    for name, cell in zip(func.__code__.co_freevars, func.__closure__ or (), strict=True):
        try:
            cells[name] = cell.cell_contents
        except ValueError:
            continue  # assigned after the definition
    return cells

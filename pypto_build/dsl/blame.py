# SPDX-License-Identifier: Apache-2.0
"""Whose mistake an exception is that leaves a module while Python runs it: the module's, or ours."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

_HOME: Final = str(Path(__file__).parents[1])
_LANGUAGE: Final = f"{_HOME}/dsl/language/"


def is_ours(problem: BaseException) -> bool:
    """Whether an exception that no one raised as an error of the input shows a bug of ours: it left our own code.

    That `pl` lacks a name, or that one of its functions refuses its arguments, is the module's mistake, although our
    code says it.
    """
    files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(problem.__traceback__)]
    if isinstance(problem, AttributeError) and files and files[-1] == f"{_LANGUAGE}lazy.py":
        return False
    if isinstance(problem, TypeError | ValueError) and any(file.startswith(_LANGUAGE) for file in files):
        return False
    return bool(files) and files[-1].startswith(f"{_HOME}/")


def text_of(problem: BaseException) -> str:
    """The text of an exception, whose class may be the module's own and fail in turn."""
    try:
        return str(problem)
    except Exception:
        return "its text cannot be had"

# SPDX-License-Identifier: Apache-2.0
"""Who is asking: this project's own code, which sees the IR as it is, or code written for the public interface."""

from __future__ import annotations

import sys
from itertools import islice
from types import FrameType
from typing import cast

from pypto_build.errors import UNKNOWN_SPAN, Span

_OWN = ("pypto", "dataclasses", "copy")  # pypto, pypto_build, pypto_passes, ...; and what rebuilds our dataclasses
frame_at = sys._getframe  # type: ignore[reportPrivateUsage]  # the documented way to a caller's frame


def is_own(frame: FrameType) -> bool:
    """Whether a frame runs our code."""
    return cast("str", frame.f_globals.get("__name__", "")).startswith(_OWN)


def caller_span() -> Span:
    """The place of the nearest foreign code below which we were called; unknown when there is none."""
    frame: FrameType | None = frame_at(1)
    while frame is not None and is_own(frame):
        frame = frame.f_back
    if frame is None:
        return UNKNOWN_SPAN
    position = next(islice(frame.f_code.co_positions(), max(frame.f_lasti, 0) // 2, None), None)
    line, column = (position[0], position[2]) if position is not None else (None, None)
    return Span(frame.f_code.co_filename, line or frame.f_lineno, (column or 0) + 1)

# SPDX-License-Identifier: Apache-2.0
"""Who is asking: this project's own code, which sees the IR as it is, or code written for the public interface."""

from __future__ import annotations

import sys
from types import FrameType
from typing import cast

from pypto_build.errors import UNKNOWN_SPAN, Span

_OWN = ("pypto", "dataclasses", "copy")  # pypto, pypto_build, pypto_passes, ...; and what rebuilds our dataclasses
frame_at = sys._getframe  # type: ignore[reportPrivateUsage]  # the documented way to a caller's frame


def is_own(frame: FrameType) -> bool:
    """Whether a frame runs our code."""
    return cast("str", frame.f_globals.get("__name__", "")).startswith(_OWN)


def caller_span(skipped: int = 0) -> Span:
    """The line of the nearest foreign code below which we were called, or of its caller; unknown when there is none."""
    frame: FrameType | None = frame_at(1)
    while frame is not None and is_own(frame):
        frame = frame.f_back
    while frame is not None and skipped > 0:
        frame, skipped = frame.f_back, skipped - 1
    return UNKNOWN_SPAN if frame is None else Span(frame.f_code.co_filename, frame.f_lineno, -1)

# SPDX-License-Identifier: Apache-2.0
"""Where a warning should point, and where a node was asked for: at the nearest code that is not ours."""

from __future__ import annotations

from types import FrameType
from typing import Final

from pypto_build.compat.callers import caller_span, frame_at, is_own
from pypto_build.errors import Span


def caller_warning_stacklevel() -> int:
    """The `stacklevel` that makes a warning name the nearest foreign code."""
    level = 1
    frame: FrameType | None = frame_at(1)
    while frame is not None and is_own(frame):
        frame, level = frame.f_back, level + 1
    return level


def _span_or_caller(span: Span | None = None, frame_offset: int = 0) -> Span:
    return caller_span(frame_offset) if span is None else span


SPANS: Final = {"_get_span_or_capture": _span_or_caller}

# SPDX-License-Identifier: Apache-2.0
"""Who is asking: this project's own code, which sees the IR as it is, or code written for the public interface."""

from __future__ import annotations

import sys
from types import FrameType

from pypto_build.errors import UNKNOWN_SPAN, Span

_OWN = ("pypto", "dataclasses", "copy")  # pypto, pypto_build, pypto_passes, ...; and what rebuilds our dataclasses


def is_foreign(depth: int = 1) -> bool:
    """Whether the code `depth` calls above the caller of this function is not ours."""
    return not sys._getframe(depth + 1).f_globals.get("__name__", "").startswith(_OWN)


def caller_span() -> Span:
    """The place of the nearest foreign code below which we were called; unknown when there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_OWN):
        frame = frame.f_back
    if frame is None:
        return UNKNOWN_SPAN
    positions = list(frame.f_code.co_positions())
    line, _, column, _ = positions[frame.f_lasti // 2] if frame.f_lasti >= 0 else (frame.f_lineno, None, 0, None)
    return Span(frame.f_code.co_filename, line or frame.f_lineno, (column or 0) + 1)

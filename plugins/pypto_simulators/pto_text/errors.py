# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with PTO assembly, besides what can be wrong with any program that runs."""

from __future__ import annotations

from pypto_build.errors import Span, UserError

CANNOT_READ = "SIM022"
NO_TEXT = "SIM023"


def unreadable(message: str, span: Span, text: str) -> UserError:
    """The error for text that cannot be read, with its line and column; to be raised by the caller."""
    return UserError(CANNOT_READ, message, span, source_lines=tuple(text.splitlines()))

# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with a program while it runs, or with what it is run on."""

from __future__ import annotations

from pypto_build.errors import Span, UserError

UNKNOWN_ENTRY = "SIM010"
MISSING_INPUT = "SIM011"
WRONG_SHAPE = "SIM012"
WRONG_VALUE = "SIM013"
OUT_OF_BOUNDS = "SIM014"
NO_VALUE = "SIM015"
NO_SEMANTICS = "SIM016"
MEMORY = "SIM017"
WAITS_FOREVER = "SIM018"
NO_BODY = "SIM019"
NO_NUMBERS = "SIM020"
TOO_LONG = "SIM021"


def fail(code: str, message: str, span: Span, *, help: str = "") -> UserError:
    """The error, to be raised by the caller."""
    return UserError(code, message, span, help=help)

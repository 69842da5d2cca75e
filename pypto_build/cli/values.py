# SPDX-License-Identifier: Apache-2.0
"""Values of command-line options that several commands take."""

from __future__ import annotations

import argparse
import math

from pypto_build.errors import UserError

UNORDERED = "warn about an order of passes that breaks a rule instead of refusing"


def seconds(text: str) -> float:
    """A time limit, more than nothing and less than for ever."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return value


def definition(text: str, option: str = "-D") -> tuple[str, str]:
    """Name and value of an option that takes `NAME=VALUE`.

    Raises:
        UserError: the text is not of that form.
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise UserError("CLI001", f"`{option}` takes `NAME=VALUE`, not `{text}`")
    return name, value

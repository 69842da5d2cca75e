# SPDX-License-Identifier: Apache-2.0
"""Which builds check what they find by making it again: one in some, for each source another one, and the same again.

A build that checks makes all results of its source again, because then everything that a pass needs is in memory. To
choose single passes would cost more: what enters a pass has to be made before it can be checked.
"""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.errors import UserError

RATE_VARIABLE = "PYPTO_BUILD_VERIFY_RATE"
DEFAULT_RATE = 32  # builds of a source for one that checks: 3 % of the time that the store saves


def should_verify(source: str, rate: int, build: int) -> bool:
    """Whether a build of the source with this digest checks: one in `rate`, none when it is 0, each when it is 1.

    Only the source and the build number decide, so a failure can be seen again with the same number, and any `rate`
    builds in a row check every result once.
    """
    if rate <= 0:
        return False
    return (int(source[:16], 16) + build) % rate == 0


def verify_rate(environ: Mapping[str, str], argument: str = "") -> int:
    """The argument, else PYPTO_BUILD_VERIFY_RATE, else one build in 32; 0 checks nothing.

    Raises:
        UserError: it is no number.
    """
    text = argument or environ.get(RATE_VARIABLE, "")
    if not text:
        return DEFAULT_RATE
    if not text.isascii() or not text.isdigit():
        raise UserError("STORE013", f"{text!r} is no rate of checks", help="write 0 for none, or 32 for one in 32")
    return int(text)

# SPDX-License-Identifier: Apache-2.0
"""Which hits are checked by running the pass again: some in every build, all of them in time, and the same again."""

from __future__ import annotations

DEFAULT_RATE = 32  # one in 32; with equally cheap hits that is 3 % of the time that the store saved


def should_verify(key: str, rate: int, build: int) -> bool:
    """Whether the hit on `key` is checked in this build: one in `rate`, none when it is 0, all when it is 1.

    Only the key and the build number decide, so a failure can be seen again with the same number, and any `rate`
    builds in a row check every key once.
    """
    if rate <= 0:
        return False
    return (int(key[:16], 16) + build) % rate == 0

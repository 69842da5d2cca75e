# SPDX-License-Identifier: Apache-2.0
"""The `did you mean` line that goes with every unknown name."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A help line with the nearest known name, or an empty string when none is near."""
    near = nearest(name, known)
    return f"did you mean `{near}`?" if near else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name closest to `name` (case, `-` and `_` do not count), or an empty string."""
    from difflib import get_close_matches  # here because start-up never needs it

    plain = {_plain(one): one for one in sorted(known, reverse=True)}
    matches = get_close_matches(_plain(name), list(plain), n=1, cutoff=0.6)
    return plain[matches[0]] if matches else ""


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")

# SPDX-License-Identifier: Apache-2.0
"""Comparisons as questions about the difference of their sides, right - left."""

from __future__ import annotations

from typing import Final

from pypto_build.analysis.interval import NON_NEGATIVE, Interval
from pypto_build.ir import BinaryExpr, Eq, Ge, Gt, Le, Lt, Ne

COMPARISONS: Final = (Eq, Ne, Lt, Le, Gt, Ge)
Relation = type[BinaryExpr]

NEGATED: Final[dict[Relation, Relation]] = {Eq: Ne, Ne: Eq, Lt: Ge, Ge: Lt, Le: Gt, Gt: Le}
"""The comparison that holds exactly when another does not."""

WANTED: Final[dict[Relation, Interval]] = {
    Eq: Interval(0, 0),
    Lt: Interval(1),
    Gt: Interval(1),
    Le: NON_NEGATIVE,
    Ge: NON_NEGATIVE,
}
"""Where the larger side minus the smaller one lies."""


def decided(relation: Relation, difference: Interval) -> bool | None:
    """Whether a comparison is certainly true or certainly false, by the interval of right - left."""
    low, high = difference.low, difference.high
    positive, negative = low is not None and low > 0, high is not None and high < 0
    zero = low == 0 and high == 0
    at_least, at_most = positive or low == 0, negative or high == 0
    answers: dict[Relation, tuple[bool, bool]] = {
        Lt: (positive, at_most),
        Le: (at_least, negative),
        Gt: (negative, at_least),
        Ge: (at_most, positive),
        Eq: (zero, positive or negative),
        Ne: (positive or negative, zero),
    }
    yes, no = answers[relation]
    return True if yes else False if no else None

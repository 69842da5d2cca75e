# SPDX-License-Identifier: Apache-2.0
"""Which parameter each result of a function is, passed on from pass to pass along the call graph as a summary."""

from __future__ import annotations

from typing import cast

from pypto_build.analysis.return_lineage import ReturnLineage, traced_returns
from pypto_build.analysis.returned_params import ReturnedBy, ReturnedParams
from pypto_build.ir import Function
from pypto_build.passes import Callees, PassContext


def returned_by(callees: Callees) -> ReturnedBy:
    """The answers that a pass gave as summaries of the callees."""

    def of(name: str) -> ReturnedParams | None:
        return cast("ReturnedParams | None", callees[name].summary) if name in callees else None

    return of


def returned_summary(function: Function, context: PassContext, returned: ReturnedBy) -> ReturnedParams | None:
    """The answer for a function itself."""
    return traced_returns(function, ReturnLineage(function, context.ops, returned))

# SPDX-License-Identifier: Apache-2.0
"""Names of the distributed runtime that host code calls; they have no type of their own."""

from __future__ import annotations

from pypto_build.ops.deduce import unknown
from pypto_build.ops.definition import ArgDef, OpDef

_TABLE: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("make_tensor", ("rt", "count"), "a tensor of the runtime"),
    ("submit_worker", ("rt",), "start a worker task"),
    ("submit_orchestrator", ("rt",), "start an orchestrator task"),
    ("future_get", ("future",), "the value of a future"),
    ("tree_reduce", ("rt", "leaves"), "reduce a list of futures in a tree"),
)

OPS = tuple(
    OpDef(
        name=f"dist.{name}",
        category="DistributedOp",
        args=tuple(ArgDef(arg, "any") for arg in args),
        deduce=unknown,
        no_memory=True,
        description=description,
    )
    for name, args, description in _TABLE
)

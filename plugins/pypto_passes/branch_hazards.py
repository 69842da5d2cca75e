# SPDX-License-Identifier: Apache-2.0
"""Which accesses before a branch nobody has to wait for any more, whichever side runs.

A task that waits for an access and overwrites what it touched stands for it, on the side where it runs. The other side
must either have such a task too, or hand on under the same name the task that made the access.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pypto_build.ir import Expr, Var
from pypto_passes.access_journal import Changes
from pypto_passes.task_accesses import Access


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a branch: what it changes, its accesses named by the results of the branch, and what it yields."""

    changes: Changes
    yielded: tuple[Expr, ...]


def settled_by_branches(results: Sequence[Var], first: Side, second: Side) -> Iterator[Access]:
    """The accesses for which something stands on both sides; `results` are those of the branch."""
    for side, other in ((first, second), (second, first)):
        elsewhere = set(other.changes.removed)
        for access in side.changes.removed:
            if access in elsewhere or _is_handed_on(access, results, side=side, other=other):
                yield access


def _is_handed_on(access: Access, results: Sequence[Var], *, side: Side, other: Side) -> bool:
    """Whether a result is a task that stands for an access on one side, and the task of the access on the other.

    It must be the name by which later tasks wait for the former, which is the first.
    """
    same = {var for var, value in zip(results, other.yielded, strict=False) if value in access.names}
    return any(
        new.writes
        and new.root is access.root
        and new.region.contains(access.region)
        and same.intersection(new.names[:1])
        for new in side.changes.added
    )

# SPDX-License-Identifier: Apache-2.0
"""What the store remembers of how an object was last built: each pass of each function, its cost and why it ran."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from pypto_build.driver.request import map_beside
from pypto_build.errors import UserError
from pypto_build.pipeline.cache import CHECKS_STEP, OLDER
from pypto_build.pipeline.relatives import BODIES_STEP
from pypto_build.store.chain import ChainEntry
from pypto_build.store.interface import Store

Row = tuple[str, str, str, str, float]
"""A pass on a function as it travels: pass, function (empty for the program), `reused` or `ran`, why, milliseconds."""


def object_history(path: str, store: Store) -> tuple[ChainEntry, ...]:
    """The passes and targets of an object in the order of its last run.

    Raises:
        UserError: there is no such object, or no source map beside it, or the store knows nothing of it.
    """
    chain = store.get_chain(_source_id(path))
    if chain is None:
        help = "build it with the store on"
        raise UserError("EXPL002", f"the store has no record of how {path} was built", help=help)
    return tuple(e for e in chain.entries if e.reason != OLDER and e.pass_id not in (BODIES_STEP, CHECKS_STEP))


def rows_of(entries: Iterable[ChainEntry]) -> tuple[Row, ...]:
    """Entries as they travel."""
    return tuple((e.pass_id, e.function, e.status.value, e.reason, e.cost_ms) for e in entries)


def _source_id(path: str) -> str:
    if not os.path.isfile(path):
        raise UserError("EXPL001", f"there is no object {path}")
    try:
        table = json.loads(Path(map_beside(path)).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        help = "build with PTOLOCATIONS map, the default"
        raise UserError("EXPL001", f"{path} has no readable source map beside it", help=help) from error
    return str(table["id"])

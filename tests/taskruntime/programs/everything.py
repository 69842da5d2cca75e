# SPDX-License-Identifier: Apache-2.0
"""All tables by name."""

from __future__ import annotations

from tests.taskruntime.programs.branches import BRANCHES
from tests.taskruntime.programs.carries import CARRIES
from tests.taskruntime.programs.elements import ELEMENTS
from tests.taskruntime.programs.graphs import GRAPHS
from tests.taskruntime.programs.launches import LAUNCHES
from tests.taskruntime.programs.loops import LOOPS
from tests.taskruntime.programs.scopes import SCOPES
from tests.taskruntime.programs.tuples import TUPLES
from tests.taskruntime.programs.windows import WINDOWS

TABLES = {
    "branches": BRANCHES,
    "carries": CARRIES,
    "elements": ELEMENTS,
    "graphs": GRAPHS,
    "launches": LAUNCHES,
    "loops": LOOPS,
    "scopes": SCOPES,
    "tuples": TUPLES,
    "windows": WINDOWS,
}

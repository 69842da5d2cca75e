# SPDX-License-Identifier: Apache-2.0
"""A stack for trees of any depth: walks of the IR recurse, and so does the C code that reads JSON and Python sources.

The interpreter counts both against one limit, so a higher limit is safe only on a stack that is large enough for it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

RECURSION_LIMIT = 100_000  # frames; a walk takes some five for each level of a tree
STACK_BYTES = 512 * 1024 * 1024  # reserved, not used

_T = TypeVar("_T")


def on_deep_stack(action: Callable[[], _T]) -> _T:
    """Run an action in a thread of its own with a large stack and wait for it; what it raises is raised here."""
    results: list[_T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(action())
        except BaseException as error:  # raised again below, in the thread that waits
            errors.append(error)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        _start(run).join()
    finally:
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]


def _start(run: Callable[[], None]) -> threading.Thread:
    """A started thread; a daemon, so that an interrupt of the waiting thread ends the process."""
    before = threading.stack_size(STACK_BYTES)
    try:
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
    finally:
        threading.stack_size(before)
    return thread

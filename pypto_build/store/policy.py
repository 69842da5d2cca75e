# SPDX-License-Identifier: Apache-2.0
"""Which intermediate results are worth keeping: those that cost much more to make again than to keep.

The constants come from `tests/bench/store_bench.py` on a two-core machine, best of three rounds; the range is from a
quiet to a busy machine. Turning IR into bytes and back costs a hundred times what the store costs, so it decides:

| work | cost |
|---|---|
| put_body | 0.06 to 0.3 ms + 1 us per KB |
| get_body | 0.02 to 0.05 ms + 0.8 us per KB |
| IR to bytes, with its places apart | 0.19 ms per KB |
| bytes to IR, with the places of today | 0.15 ms per KB |
| passes of the standard pipeline on a function | 5 ms per KB |
| record made and put | 0.06 to 0.23 ms |
| record found again | 0.02 ms |

So the passes that are shipped leave one body of a kernel, or none, between the source and the end; a pass that takes
long, such as one with a solver in it, leaves its own.
"""

from __future__ import annotations

_KEEP_MS = 0.15
_KEEP_MS_PER_KB = 0.001 + 0.19
_FETCH_MS = 0.03
_FETCH_MS_PER_KB = 0.0008 + 0.15
_RECORD_MS = 0.12
_RECORD_FETCH_MS = 0.02

_WRITES_PER_USE = 20.0
"""How often a body is kept for each time that it is used: every run keeps, few edits fall behind the place."""

_RECORDS_PER_USE = 40.0
"""How often a record is put for each time that one is used: a source finds its own results in its chain."""


def keep_body(remake_ms: float, *, body_size: int) -> bool:
    """Whether to store the IR after a pass.

    `remake_ms` is what it costs to make it from the nearest stored body; `body_size` is its size in bytes, of which
    that of the last stored one is a good guess.
    """
    kilobytes = body_size / 1000
    keep = _KEEP_MS + _KEEP_MS_PER_KB * kilobytes
    fetch = _FETCH_MS + _FETCH_MS_PER_KB * kilobytes
    return remake_ms - fetch > _WRITES_PER_USE * keep


def keep_record(cost_ms: float) -> bool:
    """Whether a result gets a record, which every source finds, besides its entry in the chain of its own source."""
    return cost_ms - _RECORD_FETCH_MS > _RECORDS_PER_USE * _RECORD_MS

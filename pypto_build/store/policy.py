# SPDX-License-Identifier: Apache-2.0
"""Which intermediate results are worth keeping: those that cost more to make again than to keep.

The constants come from `tests/bench/store_bench.py` on a two-core machine, best of three rounds; the range is from a
quiet to a busy machine. Turning IR into bytes and back costs a hundred times what the store costs, so it decides:

| work | cost |
|---|---|
| put_body | 0.06 to 0.3 ms + 1 us per KB |
| get_body | 0.02 to 0.05 ms + 0.8 us per KB |
| IR to bytes | 0.14 ms per KB |
| bytes to IR | 0.13 ms per KB |
| record made and put | 0.06 to 0.23 ms |
| record found again | 0.02 ms |
"""

from __future__ import annotations

_KEEP_MS = 0.15
_KEEP_MS_PER_KB = 0.001 + 0.14
_FETCH_MS = 0.03
_FETCH_MS_PER_KB = 0.0008 + 0.13
_RECORD_MS = 0.12
_RECORD_FETCH_MS = 0.02

_WRITES_PER_USE = 4.0
"""How often a result is kept for each time that it is used. Every run keeps, only some edits fall behind the place."""


def keep_body(
    pass_cost_ms: float,
    accumulated_ms: float,
    *,
    body_size: int,
    is_last: bool,
    before_external: bool,
) -> bool:
    """Whether to store the IR after a pass.

    `accumulated_ms` is what the passes since the last stored body cost, without this one; `body_size` is the size of
    the IR in bytes, of which that of the last body is a good guess. The end of the pipeline and the IR before an
    external tool are always kept, the first for the next build, the second because such a tool costs far more.
    """
    if is_last or before_external:
        return True
    kilobytes = body_size / 1000
    keep = _KEEP_MS + _KEEP_MS_PER_KB * kilobytes
    fetch = _FETCH_MS + _FETCH_MS_PER_KB * kilobytes
    return accumulated_ms + pass_cost_ms - fetch > _WRITES_PER_USE * keep


def keep_record(pass_cost_ms: float) -> bool:
    """Whether a result gets a record, which every source finds, besides its entry in the chain of its own source."""
    return pass_cost_ms - _RECORD_FETCH_MS > _WRITES_PER_USE * _RECORD_MS

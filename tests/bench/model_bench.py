# SPDX-License-Identifier: Apache-2.0
"""Random histories of a project, many of them: every build is compared with a clean one, and no pass may run twice.

    python tests/bench/model_bench.py [HISTORIES] [FIRST] [STEPS]

The suite runs 200 of them, this 5,000 unless told otherwise, from number FIRST on; a number gives the same history on
every machine. Prints what the histories were made of; a history that fails is told with all its steps.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))

from tests.model.history import run_histories

_GROUP = 100  # histories whose directories are kept at a time


def main() -> None:
    """Run the histories."""
    numbers = [int(text) for text in sys.argv[1:]]
    histories, first, steps = (*numbers, *(5_000, 0, 6)[len(numbers) :])
    started = time.process_time()
    for begin in range(first, first + histories, _GROUP):
        end = min(begin + _GROUP, first + histories)
        with tempfile.TemporaryDirectory(prefix="model-bench-") as place:
            counts = run_histories(Path(place), range(begin, end), steps)
        spent = time.process_time() - started
        print(f"histories {begin} to {end - 1}: {counts}, {spent:.0f} s so far", flush=True)


if __name__ == "__main__":
    main()

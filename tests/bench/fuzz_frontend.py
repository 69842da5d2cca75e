# SPDX-License-Identifier: Apache-2.0
"""Hand the front end generated modules and count what it does with them.

    python tests/bench/fuzz_frontend.py [SNIPPETS] [SEED]

Prints how many snippets were accepted, and refused by the code of the refusal. A snippet that the front end does a
third thing with is made as small as it goes and written to `fuzz-failures/`, and the exit status is 1.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from types import FrameType

sys.path.append(str(Path(__file__).resolve().parents[2]))

from tests.unit.dsl.fuzz.kernels import snippet
from tests.unit.dsl.fuzz.outcome import outcome
from tests.unit.dsl.fuzz.smaller import failure_of, smaller

FAILURES = Path("fuzz-failures")
PATIENCE = 10  # seconds for one snippet
KEPT = 10  # failures that are made small; a broken front end fails in hundreds of ways


class HangError(Exception):
    """A snippet took too long."""


def ring(_signal: int, _frame: FrameType | None) -> None:
    """Stop a snippet that takes too long."""
    raise HangError(f"more than {PATIENCE} s")


class Trial:
    """Tries snippets in a file of its own."""

    def __init__(self, directory: str) -> None:
        self._file = Path(directory) / "kernel.py"
        self.counts: Counter[str] = Counter()
        self.failures: dict[str, str] = {}  # in which way -> the first snippet, made small

    def run(self, text: str) -> None:
        """Try a snippet and count what happens."""
        way = failure_of(lambda: self._count(text))
        if not way:
            return
        self.counts["failed"] += 1
        if way not in self.failures and len(self.failures) < KEPT:
            self.failures[way] = smaller(text, lambda part: failure_of(lambda: self._outcome(part)) == way)

    def _count(self, text: str) -> None:
        self.counts[self._outcome(text)] += 1

    def _outcome(self, text: str) -> str:
        self._file.write_text(text, encoding="utf-8")
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        try:
            result = outcome(self._file)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return "accepted" if result.accepted else f"refused {result.kind}"


def main() -> int:
    """Run and print; 1 when something failed."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    random = Random(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    signal.signal(signal.SIGALRM, ring)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as directory:
        trial = Trial(directory)
        for _ in range(wanted):
            trial.run(snippet(random))
    for kind, count in trial.counts.most_common():
        print(f"{count:7} {kind}")
    print(f"{wanted:7} snippets in {time.perf_counter() - started:.0f} s")
    for number, (way, text) in enumerate(trial.failures.items()):
        FAILURES.mkdir(exist_ok=True)
        path = FAILURES / f"failure_{number}.py"
        path.write_text(f"{text}\n# {way.replace(chr(10), ' ')}\n", encoding="utf-8")
        print(f"failure: {path}: {way}")
    return 1 if trial.failures else 0


if __name__ == "__main__":
    sys.exit(main())

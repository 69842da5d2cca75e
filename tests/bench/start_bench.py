# SPDX-License-Identifier: Apache-2.0
"""What starting costs: `pypto-build --version` and `pypto-build plugins` against a Python that does nothing.

Run it by itself (`python tests/bench/start_bench.py`). The commands take turns, so that a busy machine slows them all
alike, and the ratio of the quickest runs is what counts. With `valgrind` installed, `--instructions` counts
instructions instead, which no other work on the machine changes.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable

ROUNDS = 15
PYTHON = (sys.executable, "-c", "pass")
COMMANDS = {
    "python -c pass": PYTHON,
    "pypto-build --version": (sys.executable, "-m", "pypto_build", "--version"),
    "pypto-build plugins": (sys.executable, "-m", "pypto_build", "plugins"),
}
# What is promised, in milliseconds on a quiet machine where Python starts in 13 ms: as a ratio it holds anywhere.
BUDGETS = {"pypto-build --version": 80 / 13, "pypto-build plugins": 150 / 13}


def milliseconds(command: tuple[str, ...]) -> float:
    """Processor time of one run, its own and the system's."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def instructions(command: tuple[str, ...]) -> float:
    """Millions of instructions of one run."""
    counting = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command)
    done = subprocess.run(counting, capture_output=True, text=True, check=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    assert found is not None, done.stderr
    return int(found[1]) / 1e6


def measure(cost: Callable[[tuple[str, ...]], float], rounds: int) -> dict[str, float]:
    """The least cost of each command, which take turns."""
    best = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            best[name] = min(best[name], cost(command))
    return best


def main(arguments: list[str]) -> int:
    """Print the table; exit status 1 when a command takes more than its budget."""
    counted = "--instructions" in arguments
    if counted and shutil.which("valgrind") is None:
        print("valgrind is not installed", file=sys.stderr)
        return 2
    best = measure(instructions, 1) if counted else measure(milliseconds, ROUNDS)
    unit, status = ("million instructions" if counted else "ms"), 0
    for name, value in best.items():
        ratio, budget = value / best["python -c pass"], BUDGETS.get(name)
        within = budget is None or ratio <= budget
        status |= not within
        limit = f"  (budget {budget:.1f})" if budget is not None else ""
        print(f"{name:<24}{value:8.1f} {unit}{ratio:6.1f} x{limit}{'' if within else '  OVER BUDGET'}")
    return int(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

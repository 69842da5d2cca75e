# SPDX-License-Identifier: Apache-2.0
"""Run random programs before and after every pass of the language and look for a pass that changes one.

    python tests/bench/prove_language_passes.py [PROGRAMS] [SEED]

Program i is made of the seed SEED + i, in as many processes as there are cores. Prints how often each construct stood
in the programs. A program that refutes a claim is made as small as it goes and written as a test to `proof-failures/`,
and the exit status is 1.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))

from tests.passes.random_programs import RefutedError, prove, random_program, refutes, smaller

FAILURES = Path("proof-failures")
ROUND = 100  # programs that a process proves before it reports
TEST = '''\
# SPDX-License-Identifier: Apache-2.0
"""{claim}: refuted by random program {seed}.

{detail}
"""

from tests.passes.random_programs import prove

PROGRAM = """
{text}"""


def test_random_program_{seed}() -> None:
    prove(PROGRAM)
'''


@dataclass(slots=True)
class Report:
    """What happened to some programs."""

    proved: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    refuted: Counter[str] = field(default_factory=Counter)
    files: list[str] = field(default_factory=list)

    def add(self, other: Report) -> None:
        """Take over what happened to others."""
        self.proved += other.proved
        self.counts.update(other.counts)
        self.refuted.update(other.refuted)
        self.files += other.files


def prove_round(seeds: range) -> Report:
    """Prove the programs of some seeds."""
    report = Report()
    for seed in seeds:
        written = random_program(seed)
        report.counts.update(written.counts)
        try:
            prove(written.text)
            report.proved += 1
        except RefutedError as error:
            report.refuted[f"{error.claim.pass_name} {error.claim.what}"] += 1
            report.files.append(_kept(written.text, seed, error=error))
    return report


def _kept(text: str, seed: int, *, error: RefutedError) -> str:
    small = smaller(text, lambda text: refutes(text, error.claim))
    claim = f"{error.claim.pass_name} {error.claim.what}"
    name = re.sub(r"\W+", "_", claim).lower()
    FAILURES.mkdir(exist_ok=True)
    path = FAILURES / f"test_{name}_{seed}.py"
    path.write_text(TEST.format(claim=claim, seed=seed, detail=error, text=small), encoding="utf-8")
    return str(path)


def main() -> int:
    """Run and print; 1 when something was refuted."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    started = time.perf_counter()
    report = Report()
    starts = range(first, first + wanted, ROUND)
    rounds = [range(start, min(start + ROUND, first + wanted)) for start in starts]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(prove_round, rounds):
            report.add(done)
    for construct, count in report.counts.most_common():
        print(f"{count:8} {construct}")
    print(f"{report.proved:8} of {wanted} programs proved in {time.perf_counter() - started:.0f} s")
    for claim, count in report.refuted.most_common():
        print(f"{count:8} refute: {claim}")
    for file in report.files:
        print(f"failure: {file}")
    return 1 if report.files else 0


if __name__ == "__main__":
    sys.exit(main())

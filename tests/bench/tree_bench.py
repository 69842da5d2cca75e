# SPDX-License-Identifier: Apache-2.0
"""A tree of generated kernels built with SCons: from nothing, with nothing to do, and after small edits.

    python tests/bench/tree_bench.py [SOURCES] [ROUNDS]

Prints the median of each build in seconds and its ratio to the build from nothing; machines differ, ratios less so.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = """# SPDX-License-Identifier: Apache-2.0
import pypto.language as pl

ROWS, COLS = 64, {columns}


@pl.program
class Kernel{number}:
    @pl.function(type=pl.FunctionType.InCore)
    def combine(
        self,
        a: pl.Tensor[[ROWS, COLS], pl.FP32],
        b: pl.Tensor[[ROWS, COLS], pl.FP32],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        tile_a = pl.load(a, [0, 0], [ROWS, COLS])
        tile_b = pl.load(b, [0, 0], [ROWS, COLS])
        total = pl.add(pl.mul(tile_a, {number}.5), tile_b)
        return pl.store(pl.exp(pl.mul(total, 0.25)), [0, 0], out)

    @pl.function(type=pl.FunctionType.InCore)
    def sum_in_pieces(
        self, x: pl.Tensor[[ROWS, COLS], pl.FP32], out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]]
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        for row in pl.pipeline(0, ROWS, 16, stage=2):
            piece = pl.load(x, [row, 0], [16, COLS])
            out = pl.store(pl.add(piece, piece), [row, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[ROWS, COLS], pl.FP32],
        b: pl.Tensor[[ROWS, COLS], pl.FP32],
        middle: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
        out: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
    ) -> pl.Tensor[[ROWS, COLS], pl.FP32]:
        middle = self.combine(a, b, middle)
        out = self.sum_in_pieces(middle, out)
        return out
"""

SCONSTRUCT = """
from pypto_build.scons import generate

DefaultEnvironment(tools=[])
env = Environment(tools=[generate], PTOSTORE="store")
for source in Glob("kernel_*.py"):
    env.PtoObject(source)
"""


class Tree:
    """The generated tree and the builds of it."""

    def __init__(self, root: Path, sources: int) -> None:
        self.root = root
        (root / "SConstruct").write_text(SCONSTRUCT)
        for number in range(sources):
            self.source(number).write_text(SOURCE.format(number=number, columns=64 + 16 * (number % 3)))

    def source(self, number: int) -> Path:
        """One source."""
        return self.root / f"kernel_{number:04}.py"

    def build(self, *arguments: str) -> float:
        """Seconds of one run of SCons."""
        command = [sys.executable, "-m", "SCons", "-Q", f"-j{os.cpu_count() or 1}", *arguments]
        start = time.perf_counter()
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - start
        if done.returncode:
            raise SystemExit(done.stdout + done.stderr)
        return seconds

    def edit(self, number: int, old: str, new: str) -> None:
        """Change one source."""
        path = self.source(number)
        path.write_text(path.read_text().replace(old, new))


def _round(sources: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="tree-bench-") as place:
        tree = Tree(Path(place), sources)
        found = {"from nothing": tree.build(), "nothing to do": tree.build()}
        tree.edit(0, "import pypto", "# a remark\nimport pypto")
        found["a comment in one source"] = tree.build()
        tree.edit(1, "0.25", "0.75")
        found["one function of one source"] = tree.build()
        for number in range(sources):
            tree.edit(number, "import pypto", "# another remark\nimport pypto")
        found["a comment in every source"] = tree.build()
        for path in tree.root.glob("*.pto*"):
            path.unlink()
        found["every object deleted"] = tree.build()
        return found


def main() -> None:
    """Run the benchmark."""
    sources = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    runs = [_round(sources) for _ in range(rounds)]
    medians = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
    whole = medians["from nothing"]
    print(f"{sources} sources, {os.cpu_count()} jobs, median of {rounds}:")
    for name, seconds in medians.items():
        each = 1000 * seconds / sources
        print(f"  {name:28} {seconds:7.2f} s  {seconds / whole:6.3f} of the first  {each:7.1f} ms/source")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Load generated programs of growing size: seconds, seconds for each 1,000 lines, and the memory that a line takes.

    python tests/bench/frontend_bench.py [LINES ...]

Each size is measured twice over: as one kernel with that many lines, and as a program of many small kernels. The time
is that of reading a source into IR, in a process that has read one before; the memory is the peak while it is read.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from pypto_build.deep_stack import on_deep_stack
from pypto_build.driver.load import load_source
from pypto_build.driver.worker import GC_THRESHOLD

SIZES = (250, 1_000, 4_000)
ROUNDS = 3
HEAD = "# SPDX-License-Identifier: Apache-2.0\nimport pypto.language as pl\n\n\n@pl.program\nclass Large:\n"
KERNEL = """\
    @pl.function(type=pl.FunctionType.InCore)
    def kernel_{number}(
        self, a: pl.Tensor[[256, 64], pl.FP32], out: pl.Out[pl.Tensor[[256, 64], pl.FP32]]
    ) -> pl.Tensor[[256, 64], pl.FP32]:
"""
BLOCK = """\
        # block {number}
        for row_{number} in pl.range(0, 256, 32):
            left_{number} = pl.load(a, [row_{number}, 0], [32, 64])
            scaled_{number}: pl.Tile[[32, 64], pl.FP32] = pl.mul(left_{number}, {number}.5)
            if row_{number} + 32 < 256:
                sum_{number} = pl.add(pl.exp(scaled_{number}), left_{number})
                out = pl.store(sum_{number}, [row_{number} * 1, 0], out)
            else:
                out = pl.store(scaled_{number}, [row_{number}, 0], out)
"""
LINES_OF_BLOCK = BLOCK.count("\n")
BLOCKS_OF_SMALL = 3


def one_kernel(lines: int) -> str:
    """A program of one kernel."""
    return HEAD + _kernel(0, range(lines // LINES_OF_BLOCK))


def many_kernels(lines: int) -> str:
    """A program of small kernels."""
    size = KERNEL.count("\n") + 1 + BLOCKS_OF_SMALL * LINES_OF_BLOCK
    return HEAD + "".join(_kernel(number, range(BLOCKS_OF_SMALL)) for number in range(max(1, lines // size)))


def _kernel(number: int, blocks: range) -> str:
    body = "".join(BLOCK.format(number=block) for block in blocks)
    return KERNEL.format(number=number) + body + "        return out\n"


def seconds(path: Path) -> float:
    """Seconds of processor time that loading a source takes, the best of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.process_time()
        load_source(path)
        best = min(best, time.process_time() - started)
    return best


def peak_bytes(path: Path) -> int:
    """The most memory that is in use while a source is loaded, over what was in use before."""
    tracemalloc.start()
    load_source(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def measure(make: Callable[[int], str], sizes: list[int], directory: Path) -> None:
    """Print a line for each size."""
    load_source(_written(directory, make(100), 0))  # the first source also loads the operations
    for size in sizes:
        text = make(size)
        lines = text.count("\n")
        path = _written(directory, text, size)
        time_taken, memory = seconds(path), peak_bytes(path)
        print(f"{lines:8} {time_taken:9.3f} {1000 * time_taken / lines:16.3f} {memory / lines:14.0f}")


def _written(directory: Path, text: str, number: int) -> Path:
    path = directory / f"large_{number}.py"
    path.write_text(text, encoding="utf-8")
    return path


def main() -> None:
    """Measure both forms, with the settings of a worker."""
    gc.set_threshold(*GC_THRESHOLD)
    sizes = [int(argument) for argument in sys.argv[1:]] or list(SIZES)
    for make in (one_kernel, many_kernels):
        print(f"{make.__name__.replace('_', ' ')}\n   lines   seconds   per 1,000 lines   bytes a line")
        with tempfile.TemporaryDirectory() as directory:
            on_deep_stack(lambda make=make, directory=directory: measure(make, sizes, Path(directory)))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""How much on-chip memory every example takes, beside the least that any placement could take.

    python tests/bench/memory_bench.py [EXAMPLE ...]

For each kernel and memory space: the most bytes that are alive at one point, the bytes up to the end of the last tile
with the planners `pypto` and `dsa_rp`, and their ratios to the first number. A ratio of 1.00 cannot be bettered. The
planner `dsa_rp` takes more where that keeps the pipes of a core from waiting for each other.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from pypto_passes.buffers import buffers_of, by_space
from pypto_passes.tile_lifetimes import tile_lifetimes

from pypto_build.analysis.statement_walk import statement_vars
from pypto_build.driver.load import load_source
from pypto_build.ir import Function, MemorySpace, Program, TileType, as_int
from pypto_build.passes import Pass, PassContext, apply_pass, hardware_by_name
from pypto_build.pipeline import Pipeline, load_pipeline

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PLANNERS: Mapping[str, tuple[str, ...]] = {
    "pypto": ("MemoryReuse", "AllocateMemoryAddr"),
    "dsa_rp": ("AllocateMemoryAddr",),
}
LAST_BEFORE_PLANNING = "MaterializeSemanticAliases"


def passes_of(pipeline: Pipeline) -> dict[str, Pass]:
    """The passes by name, in order."""
    return {planned.name: planned.instance for planned in pipeline.passes}  # type: ignore[misc]  # passes, it says


def before_planning(source: Path, pipeline: Pipeline, context: PassContext) -> Program:
    """A source with a buffer for every tile."""
    arguments = json.loads((EXAMPLES / "arguments.json").read_text()).get(source.stem, [])
    program = load_source(source, arguments=arguments).program
    for name, pass_ in passes_of(pipeline).items():
        program = apply_pass(pass_, program, context)
        if name == LAST_BEFORE_PLANNING:
            break
    return program


def ends(function: Function) -> dict[MemorySpace, int]:
    """The end of the last tile in each on-chip memory."""
    found: dict[MemorySpace, int] = {}
    for var in statement_vars(function):
        kind = var.type
        if isinstance(kind, TileType) and kind.memref is not None and kind.memory_space not in (None, MemorySpace.DDR):
            end = (as_int(kind.memref.byte_offset) or 0) + kind.memref.size
            found[kind.memory_space] = max(end, found.get(kind.memory_space, 0))
    return found


def least(function: Function, context: PassContext) -> dict[MemorySpace, int]:
    """The most bytes that are alive at one point, in each on-chip memory."""
    found: dict[MemorySpace, int] = {}
    for space, own in by_space(buffers_of(function, tile_lifetimes(function, context))).items():
        lives = ((interval, buffer.size) for buffer in own for interval in _merged(buffer.intervals))
        changes = [change for (start, end), size in lives for change in ((start, size), (end + 1, -size))]
        alive = peak = 0
        for _, size in sorted(changes):  # at one point, what ends comes before what begins
            alive += size
            peak = max(peak, alive)
        found[space] = peak
    return found


def _merged(intervals: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The same points, each once: several tiles of one buffer may be alive together."""
    start, last = None, -1
    for low, high in sorted(intervals):
        if start is None:
            start, last = low, high
        elif low <= last + 1:
            last = max(last, high)
        else:
            yield start, last
            start, last = low, high
    if start is not None:
        yield start, last


def rows(source: Path, pipeline: Pipeline) -> Iterator[tuple[str, MemorySpace, int, list[int]]]:
    """Kernel, memory, least bytes, and those of each planner."""
    context = PassContext(hardware_description=hardware_by_name(pipeline.hardware))
    program = before_planning(source, pipeline, context)
    planned: dict[str, Program] = {}
    for planner, names in PLANNERS.items():
        made = program
        for name in names:
            own = PassContext(hardware_description=context.hardware, planner=planner)
            made = apply_pass(passes_of(pipeline)[name], made, own)
        planned[planner] = made
    for key, function in program.functions.items():
        taken = [ends(made.functions[key]) for made in planned.values()]
        for space, bound in least(function, context).items():
            yield key.name, space, bound, [one[space] for one in taken]


def main(names: list[str]) -> None:
    """Print the table."""
    pipeline = load_pipeline("default")
    print(f"{'example':18} {'kernel':26} {'memory':6} {'least':>8}", *(f"{name:>8} {'ratio':>5}" for name in PLANNERS))
    for source in sorted(EXAMPLES.glob("*.py")):
        if source.stem.endswith("_golden") or (names and source.stem not in names):
            continue
        for kernel, space, bound, taken in rows(source, pipeline):
            numbers = [f"{bytes_:8} {bytes_ / bound:5.2f}" for bytes_ in taken]
            print(f"{source.stem:18} {kernel:26} {space.name:6} {bound:8}", *numbers)


if __name__ == "__main__":
    main(sys.argv[1:])

# SPDX-License-Identifier: Apache-2.0
"""What the passes over launches, carries and the order of loads and stores cost, and how that grows with the program.

Run it by itself (`python tests/bench/pass_cost_bench.py [STATEMENTS ...]`, by default 1000 and 10000). One line per
pass and kind of program: milliseconds of processor time for a thousand statements at each size, and the ratio of the
last to the first: 1 is linear.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from textwrap import indent

from pypto_passes.auto_derive_task_dependencies import AutoDeriveTaskDependencies
from pypto_passes.canonicalize_io_order import CanonicalizeIOOrder
from pypto_passes.classify_iter_arg_carry import ClassifyIterArgCarry
from pypto_passes.derive_call_directions import DeriveCallDirections
from pypto_passes.materialize_runtime_scopes import MaterializeRuntimeScopes
from pypto_passes.normalize_return_order import NormalizeReturnOrder

from pypto_build.deep_stack import on_deep_stack
from pypto_build.ir import Program
from pypto_build.passes import Pass, apply_pass
from tests.passes import programs

T = "pl.Tensor[[16, 16], pl.FP32]"
KERNELS = f"""
@pl.function(type=pl.FunctionType.InCore)
def read(self, x: {T}, out: pl.Out[{T}]) -> {T}:
    return pl.store(pl.load(x, [0, 0], [16, 16]), [0, 0], out)

@pl.function(type=pl.FunctionType.InCore)
def grow(self, total: pl.InOut[{T}]) -> {T}:
    return pl.store(pl.load(total, [0, 0], [16, 16]), [0, 0], total)

@pl.function(type=pl.FunctionType.InCore)
def pair(self, first: pl.InOut[{T}], second: pl.InOut[{T}]) -> tuple[{T}, {T}]:
    one = pl.store(pl.load(first, [0, 0], [16, 16]), [0, 0], first)
    two = pl.store(pl.load(second, [0, 0], [16, 16]), [0, 0], second)
    return two, one
"""
Lines = Iterable[str]


def chain(count: int) -> Lines:
    """Each task changes the buffer that the one before it changed."""
    yield "v0 = self.grow(a)"
    yield from (f"v{i} = self.grow(v{i - 1})" for i in range(1, count))


def pairs(count: int) -> Lines:
    """Tasks with two results that change places."""
    yield "v0, w0 = self.pair(a, b)"
    yield from (f"v{i}, w{i} = self.pair(w{i - 1}, v{i - 1})" for i in range(1, count // 3))


def new_buffers(count: int) -> Lines:
    """Each task fills a new buffer from that of the one before."""
    yield "v0 = self.grow(a)"
    for i in range(1, count // 2):
        yield f"t{i} = pl.create_tensor([16, 16], dtype=pl.FP32)"
        yield f"v{i} = self.read(v{i - 1}, t{i})"


def readers(count: int) -> Lines:
    """Most tasks read one buffer, and at the end one changes it."""
    yield "v0 = self.grow(a)"
    for i in range(1, count // 2):
        yield f"t{i} = pl.create_tensor([16, 16], dtype=pl.FP32)"
        yield f"v{i} = self.read(v0, t{i})"
    yield "last = self.grow(v0)"


def loops(count: int) -> Lines:
    """Loops one after the other, each with a carry."""
    yield "v0 = self.grow(a)"
    for i in range(1, count // 3):
        yield f"for i{i}, (o{i},) in pl.range(4, init_values=(v{i - 1},)):"
        yield f"    n{i} = self.grow(o{i})"
        yield f"    v{i} = pl.yield_(n{i})"


def branches(count: int) -> Lines:
    """Branches one after the other, each of which may change the buffer."""
    yield "v0 = self.grow(a)"
    for i in range(1, count // 4):
        yield from (f"if n > {i}:", f"    p{i} = self.grow(v{i - 1})", f"    v{i} = pl.yield_(p{i})", "else:")
        yield f"    v{i} = pl.yield_(v{i - 1})"


def windows(count: int) -> Lines:
    """Each task fills a part of one buffer that no other task touches."""
    for i in range(count // 2):
        yield f"p{i} = pl.slice(wide, [16, 16], [{16 * i}, 0])"
        yield f"v{i} = self.read(a, p{i})"


def orchestration(make: Callable[[int], Lines], count: int) -> Program:
    """A program of one orchestration function with about so many statements."""
    wide = f"wide: pl.Out[pl.Tensor[[{8 * count}, 16], pl.FP32]]"
    head = f"def main(self, a: pl.InOut[{T}], b: pl.InOut[{T}], {wide}, n: pl.Scalar[pl.INDEX]):"
    text = indent("\n".join(make(count)), "    ")
    return programs.program(KERNELS, f"@pl.function(type=pl.FunctionType.Orchestration)\n{head}\n{text}")


def stages(count: int) -> Program:
    """A kernel with one pipelined loop of about so many statements: loads, computation and stores by turns."""
    lines = ["for i in pl.pipeline(2, stage=2):"]
    for i in range(count // 3):
        lines.append(f"    x{i} = pl.load(x, [0, 0], [16, 16])")
        lines.append(f"    y{i} = pl.add(x{i}, x{i})")
        lines.append(f"    o{i} = pl.store(y{i}, [0, 0], out)")
    head = f"def kernel(self, x: {T}, out: pl.Out[{T}]):"
    body = indent("\n".join(lines), "    ")
    return programs.program(f"@pl.function(type=pl.FunctionType.InCore)\n{head}\n{body}")


KINDS = (chain, pairs, new_buffers, readers, windows, loops, branches)
MEASURED: tuple[Pass, ...] = (
    NormalizeReturnOrder(),
    DeriveCallDirections(),
    AutoDeriveTaskDependencies(analyze_auto_scopes=True),
    ClassifyIterArgCarry(),
)


def costs(make: Callable[[int], Lines], count: int) -> dict[str, float]:
    """Seconds of each pass over orchestrations, one after the other on one program."""
    program = orchestration(make, count)
    found: dict[str, float] = {}
    for pass_ in MEASURED:
        if isinstance(pass_, ClassifyIterArgCarry):
            program = apply_pass(MaterializeRuntimeScopes(), program)
        program, found[pass_.name] = _timed(pass_, program)
    return found


def _timed(pass_: Pass, program: Program) -> tuple[Program, float]:
    """The program after a pass, and the seconds of the better of two runs.

    Without the garbage collector: what it does depends on all that lives, not on what the pass does.
    """
    gc.collect()
    gc.disable()
    runs = [_once(pass_, program) for _ in range(2)]
    gc.enable()
    return runs[0][0], min(seconds for _, seconds in runs)


def _once(pass_: Pass, program: Program) -> tuple[Program, float]:
    started = time.process_time()
    made = apply_pass(pass_, program)
    return made, time.process_time() - started


def rows(sizes: Sequence[int]) -> Iterable[tuple[str, str, list[float]]]:
    """Pass, kind of program, and milliseconds for a thousand statements at each size."""
    for make in KINDS:
        found = [costs(make, size) for size in sizes]
        for name in found[0]:
            times = [one[name] / size * 1e6 for one, size in zip(found, sizes, strict=True)]
            yield name, make.__name__, times
    times = [_timed(CanonicalizeIOOrder(), stages(size))[1] / size * 1e6 for size in sizes]
    yield CanonicalizeIOOrder.name, stages.__name__, times


def main() -> None:
    """Print one line per pass and kind."""
    sizes = [int(argument) for argument in sys.argv[1:]] or [1000, 10000]
    for name, kind, times in on_deep_stack(lambda: sorted(rows(sizes))):
        each = "".join(f"{one:>10.1f}" for one in times)
        print(f"{name:<28}{kind:<12}{each} ms per thousand{times[-1] / max(times[0], 1e-9):>8.2f} x")


if __name__ == "__main__":
    main()

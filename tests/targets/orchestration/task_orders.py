# SPDX-License-Identifier: Apache-2.0
"""Random orchestrations, and whether the launches of one keep every order that the tensors demand.

An automatic scope finds writers of what a task takes as input or inout; a manual scope finds nothing. On top of that a
task waits for what it is told. Two launches that touch the same tensor, one of them writing, must be in order, unless
they belong to different iterations of a parallel loop. Readers that the runtime does not hold back from being
overwritten count only where a manual scope leaves it to the program.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.targets.orchestration.generating import T

KERNELS = {
    "fill": ("out",),
    "read": ("in", "out"),
    "grow": ("inout",),
    "pair": ("out", "out"),
    "join": ("in", "in", "inout"),
}
"""What each kernel does with its tensors."""
_ANNOTATIONS = {"in": T, "out": f"pl.Out[{T}]", "inout": f"pl.InOut[{T}]"}


def kernel_source() -> str:
    """The kernels; each returns what it writes."""
    return "".join(_kernel(name, modes) for name, modes in KERNELS.items())


def _kernel(name: str, modes: tuple[str, ...]) -> str:
    params = ", ".join(f"p{i}: {_ANNOTATIONS[mode]}" for i, mode in enumerate(modes))
    written = [f"p{i}" for i, mode in enumerate(modes) if mode != "in"]
    result = T if len(written) == 1 else f"tuple[{', '.join([T] * len(written))}]"
    head = f"    @pl.function(type=pl.FunctionType.AIV)\n    def {name}(self, {params}) -> {result}:\n"
    return f"\n{head}        return {', '.join(written)}\n"


class OrchestrationText:
    """The body of a random orchestration over the parameters a, b and c, which stand for tensors 0, 1 and 2.

    One in three places its scopes by hand.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.by_hand = seed % 3 == 0
        self.lines: list[str] = []
        names = self._body(["a", "b", "c"], "", length=5, depth=0)
        self.lines.append(f"return {names[0]}")

    def _fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def _body(self, names: list[str], indent: str, *, length: int, depth: int) -> list[str]:
        ids: list[str] = []
        for _ in range(self.random.randint(2, length)):
            kind = self.random.choice(["task"] * 3 + ["loop", "branch", *["scope"] * self.by_hand] * (depth < 2))
            if kind == "task":
                names = self._task(names, indent, ids=ids)
            elif kind == "loop":
                names = self._loop(names, indent, depth=depth)
            elif kind == "branch":
                names = self._branch(names, indent, depth=depth)
            else:
                self.lines.append(f"{indent}with pl.scope():")
                names = self._body(names, f"{indent}    ", length=3, depth=depth + 1)
        return names

    def _task(self, names: list[str], indent: str, *, ids: list[str]) -> list[str]:
        """A call, or a submission whose id later ones of the body may name."""
        kernel, modes = self.random.choice(list(KERNELS.items()))
        args = self.random.sample(names, len(modes))
        written = [arg for arg, mode in zip(args, modes, strict=True) if mode != "in"]
        results = [self._fresh() for _ in written]
        form = self.random.random()
        deps = f", deps=[{self.random.choice(ids)}]" if ids and form < 0.15 else ""
        if form < 0.3:
            ids.append(self._fresh())
            self.lines.append(
                f"{indent}{', '.join([*results, ids[-1]])} = pl.submit(self.{kernel}, {', '.join(args)}{deps})"
            )
        else:
            target = f"{', '.join(results)} = " if form < 0.8 else ""
            self.lines.append(f"{indent}{target}self.{kernel}({', '.join(args)})")
        renamed = dict(zip(written, results, strict=True)) if form < 0.8 else {}
        return [renamed.get(name, name) for name in names]

    def _loop(self, names: list[str], indent: str, *, depth: int) -> list[str]:
        carried = [self._fresh() for _ in names]
        bound = self.random.choice(["2", "3", "1", "n", "0, n - 2", "n, 0, -1"])
        head = f"pl.range({bound}, init_values=({', '.join(names)}))"
        self.lines.append(f"{indent}for i{depth}, ({', '.join(carried)}) in {head}:")
        inner = self._body(carried, f"{indent}    ", length=3, depth=depth + 1)
        if self.random.random() < 0.3:
            self.random.shuffle(inner)
        results = [self._fresh() for _ in names]
        self.lines.append(f"{indent}    {', '.join(results)} = pl.yield_({', '.join(inner)})")
        return results

    def _branch(self, names: list[str], indent: str, *, depth: int) -> list[str]:
        results = [self._fresh() for _ in names]
        self.lines.append(f"{indent}if n == {self.random.choice([3, 4])}:")
        for word in ("", "else:"):
            if word:
                self.lines.append(f"{indent}{word}")
            inner = self._body(list(names), f"{indent}    ", length=2, depth=depth + 1)
            self.lines.append(f"{indent}    {', '.join(results)} = pl.yield_({', '.join(inner)})")
        return results


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch as it was printed: its kernel, how it passes its tensors, and what it is told to wait for."""

    kernel: str | None
    passed: tuple[tuple[str, int], ...]
    waits: frozenset[int]

    def touched(self) -> Iterator[tuple[int, bool]]:
        """The tensors that the kernel uses, and whether it writes them."""
        modes = KERNELS[self.kernel] if self.kernel is not None else ()
        for mode, (_, tensor) in zip(modes, self.passed, strict=True):
            yield tensor, mode != "in"


def read_launch(line: str, kernels: list[str]) -> Launch:
    """A launch from its line; kernels are the names by number."""
    what, _, waits = line.partition(" <- ")
    head, *tensors = what.split()
    kernel = kernels[int(head.rstrip(":"))] if head != "barrier" else None
    passed = [re.fullmatch(r"([a-z]+)([0-9]+)", tensor) for tensor in tensors]
    pairs = tuple((found[1], int(found[2])) for found in passed if found is not None)
    return Launch(kernel, pairs, frozenset(map(int, waits.split())))


def broken_orders(printed: list[str], main: str) -> list[tuple[int, int, int]]:
    """Pairs of launches of an orchestration, and the tensor that both touch, that nothing keeps in order."""
    kernels = sorted(
        name for name in KERNELS if f"self.{name}(" in main or f"self.{name}," in main
    )  # only these have numbers
    manual = "manual" in printed
    launches = [read_launch(line, kernels) for line in printed if line != "manual"]
    before: list[set[int]] = []
    writers: dict[int, int] = {}
    broken: list[tuple[int, int, int]] = []
    for number, launch in enumerate(launches):
        direct = set(launch.waits)
        if not manual:
            found = [tensor for mode, tensor in launch.passed if mode in ("in", "inout")]
            direct |= {writers[tensor] for tensor in found if tensor in writers}
            writers.update({tensor: number for mode, tensor in launch.passed if mode in ("out", "inout")})
        before.append(direct.union(*(before[one] for one in direct)))
        broken += _unordered(launches, number, before[number], manual=manual)
    return broken


def _unordered(
    launches: list[Launch], number: int, before: set[int], *, manual: bool
) -> Iterator[tuple[int, int, int]]:
    for tensor, writes in launches[number].touched():
        for earlier in range(number):
            for other, written in launches[earlier].touched():
                matters = written or (writes and manual)
                if other == tensor and matters and earlier not in before:
                    yield earlier, number, tensor

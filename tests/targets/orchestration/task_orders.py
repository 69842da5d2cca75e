# SPDX-License-Identifier: Apache-2.0
"""Random orchestrations, and what their tasks use."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from tests.targets.orchestration.generating import T
from tests.taskruntime.graph import Graph, Kind
from tests.taskruntime.hazards import Touch

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

    One in three places its scopes by hand. If `tidy`, no buffer is used by its old name after a task has written it.
    """

    def __init__(self, seed: int, *, tidy: bool = False) -> None:
        self.random = random.Random(seed)
        self.tidy = tidy
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
        form = self.random.random() * (0.8 if self.tidy else 1.0)
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


def touches(graph: Graph, main: str) -> Iterator[tuple[int, list[Touch]]]:
    """What each task of an orchestration uses: all of each tensor that its kernel takes."""
    kernels = sorted(name for name in KERNELS if re.search(rf"self\.{name}\b", main))  # only these have numbers
    for number in graph.numbers():
        task = graph.tasks[number]
        if task.kind is Kind.KERNELS:
            uses = list(zip(KERNELS[kernels[max(task.kernels)]], (tensor for tensor, _ in task.arguments), strict=True))
            reads = [Touch(tensor.buffer, tensor.places(), False) for way, tensor in uses if way != "out"]
            yield number, reads + [Touch(tensor.buffer, tensor.places(), True) for way, tensor in uses if way != "in"]

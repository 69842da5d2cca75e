# SPDX-License-Identifier: Apache-2.0
"""Programs made for running: the body of an orchestration beside the NumPy function that says what it computes."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.taskruntime.programs import kernels

_WAYS = {"in": "{}", "out": "pl.Out[{}]", "inout": "pl.InOut[{}]"}
_DTYPES = {"FP32": np.float32, "INT32": np.int32}


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter: a tensor with a way, a shape and an element type, or a number with its value."""

    name: str
    way: str
    shape: tuple[int, ...] = ()
    dtype: str = "FP32"
    value: int = 0

    @property
    def annotation(self) -> str:
        """Its type in the DSL."""
        if self.way == "number":
            return "pl.Scalar[pl.INDEX]"
        return _WAYS[self.way].format(f"pl.Tensor[{list(self.shape)}, pl.{self.dtype}]")


@dataclass(frozen=True)
class Program:
    """One program; `answer` takes its parameters by name and writes into them what the program is to leave."""

    name: str
    params: tuple[Param, ...]
    body: str
    answer: Callable[..., None]
    result: str = kernels.T
    more: str = ""
    by_hand: bool = False

    @property
    def text(self) -> str:
        """The program as a source."""
        params = ", ".join(f"{param.name}: {param.annotation}" for param in self.params)
        kind = f"type=pl.FunctionType.Orchestration{', auto_scope=False' if self.by_hand else ''}"
        head = f"\n    @pl.function({kind})\n    def main(self, {params}) -> {self.result}:\n"
        body = textwrap.indent(textwrap.dedent(self.body).strip(), "        ")
        start = '"""A generated program."""\nimport pypto.language as pl\n\n\n@pl.program\nclass Program:'
        return f"{start}{kernels.text(body + self.more)}{self.more}{head}{body}\n"

    def inputs(self) -> dict[str, Any]:
        """What the program is given: nothing for what it only writes."""
        rng = np.random.default_rng(7)
        given: dict[str, Any] = {param.name: param.value for param in self.params if param.way == "number"}
        for param in self.params:
            if param.way in ("in", "inout"):
                given[param.name] = rng.integers(-8, 9, param.shape).astype(_DTYPES[param.dtype])
        return given

    def expected(self) -> dict[str, Any]:
        """Its tensors as they are to be left."""
        left = self.inputs()
        for param in self.params:
            if param.way == "out":
                left[param.name] = np.full(param.shape, np.nan, _DTYPES[param.dtype])
        tensors = {param.name: left[param.name] for param in self.params if param.way != "number"}
        self.answer(**left)
        return tensors


class Table:
    """Programs by name."""

    def __init__(self) -> None:
        self.programs: dict[str, Program] = {}

    def program(self, params: str, body: str, **options: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Make a program of the decorated answer: `x: in; w: inout[64, 16]; n: 3` are two tensors and a number."""

        def note(answer: Callable[..., None]) -> Callable[..., None]:
            parsed = tuple(_param(text) for text in params.split("; "))
            self.programs[answer.__name__] = Program(answer.__name__, parsed, body, answer, **options)
            return answer

        return note


def _param(text: str) -> Param:
    name, _, what = text.partition(": ")
    if what.isdigit():
        return Param(name, "number", value=int(what))
    way, _, rest = what.partition("[")
    dtype, _, shape = rest.rstrip("]").partition(" ") if rest[:1].isalpha() else ("FP32", "", rest.rstrip("]"))
    return Param(name, way, tuple(map(int, shape.split(", "))) if shape else (16, 16), dtype)

# SPDX-License-Identifier: Apache-2.0
"""Random programs: one or two inline functions, one or two kernels, and the function that the machine starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

from tests.passes.random_programs.expressions import expression, name
from tests.passes.random_programs.scopes import AROUND_KERNELS
from tests.passes.random_programs.statements import body
from tests.passes.random_programs.writer import At, Kind, Lines, Place, Signature, Writer, indented

T = Kind.TENSOR.value
_PARAMS = (Kind.TENSOR, Kind.INDEX)
_MORE_PARAMS = (Kind.TENSOR, Kind.INDEX, Kind.REAL, Kind.WIDE)


@dataclass(frozen=True, slots=True)
class Written:
    """A program as text, and how often each construct stands in it."""

    text: str
    counts: Counter[str]


@st.composite
def programs(draw: Callable[..., object]) -> Written:
    """Any program; `smaller` makes a failing one smaller, which drawing it again from fewer choices would not."""
    seed = draw(st.integers(0, 2**63 - 1))
    assert isinstance(seed, int)
    return random_program(seed)


def random_program(seed: int) -> Written:
    """A program of two to four functions: `main` and what it calls."""
    random = Random(seed)
    counts: Counter[str] = Counter()
    callees: list[Signature] = []
    texts: list[Lines] = []
    for number in range(random.randint(1, 3)):
        writer = Writer(random, counts, callees)
        write = writer.pick((kernel, inline_function))
        lines, signature = write(writer, f"f{number}")
        texts.append(lines)
        callees.append(signature)
    texts.append(main(Writer(random, counts, callees, around=AROUND_KERNELS)))
    methods = "\n\n".join("\n".join(indented(lines)) for lines in texts)
    return Written(f"@pl.program\nclass P:\n{methods}\n", counts)


def inline_function(writer: Writer, name_: str) -> tuple[Lines, Signature]:
    """A function whose body will stand in the place of its calls."""
    writer.note("inline function")
    params = [*_PARAMS, *(writer.pick(_MORE_PARAMS) for _ in range(writer.number(0, 2)))]
    results = (Kind.TENSOR, Kind.INDEX)[: writer.number(1, 2)]
    writer.callees = [callee for callee in writer.callees if callee.inline]
    names = [writer.bind(f"p{position}", kind) for position, kind in enumerate(params)]
    inner = body(writer, At(Place.INLINE, 2))
    head = _head(name_, zip(names, (kind.value for kind in params), strict=True), [kind.value for kind in results])
    returned = ", ".join(name(writer, kind) for kind in results)
    lines = ["@pl.function(type=pl.FunctionType.Inline)", head, *indented([*inner, f"return {returned}"])]
    return lines, Signature(name_, tuple(params), (), results, inline=True)


def kernel(writer: Writer, name_: str) -> tuple[Lines, Signature]:
    """A kernel that writes into its last parameter, and perhaps returns a number besides."""
    writer.note("kernel")
    params = [*_PARAMS, *(writer.pick(_MORE_PARAMS) for _ in range(writer.number(0, 2)))]
    writer.callees = [callee for callee in writer.callees if callee.inline]
    names = [writer.bind(f"p{position}", kind) for position, kind in enumerate(params)]
    out = writer.buffer("out", Kind.TENSOR)
    inner = body(writer, At(Place.CORE, 3))
    way = writer.pick(("Out", "InOut"))
    annotations = [*((n, kind.value) for n, kind in zip(names, params, strict=True)), (out, f"pl.{way}[{T}]")]
    results = (Kind.TENSOR, Kind.INDEX)[: 1 if writer.chance(70) else 2]
    stored = f"out = pl.store({expression(writer, Kind.TILE, 1)}, [0, 0], out)"
    returned = ", ".join(("out", name(writer, Kind.INDEX))[: len(results)])
    head = _head(name_, annotations, [kind.value for kind in results])
    inner += [stored, f"return {returned}"]
    lines = ["@pl.function(type=pl.FunctionType.InCore)", head, *indented(inner)]
    return lines, Signature(name_, (*params, Kind.TENSOR), (len(params),), results, inline=False)


def main(writer: Writer) -> Lines:
    """The function that the machine starts; at its end it shows the numbers that it has."""
    for param, kind in (("x", Kind.TENSOR), ("y", Kind.TENSOR), ("w", Kind.WIDE), ("n", Kind.INDEX), ("r", Kind.REAL)):
        writer.bind(param, kind)
    writer.buffer("acc", Kind.TENSOR)
    writer.buffer("out", Kind.TENSOR)
    inner = body(writer, At(Place.HOST, 3)) + body(writer, At(Place.HOST, 2))
    for column, index in enumerate(writer.readable(Kind.INDEX)[:4]):
        inner.append(f"pl.write(acc, [3, {column}], pl.cast({index}, pl.FP32))")
    inner.append(f"return out, {name(writer, Kind.TENSOR)}")
    kind = writer.pick(("", "type=pl.FunctionType.Orchestration, "))
    writer.note("orchestration" if kind else "opaque function")
    params = [("x", T), ("y", T), ("w", Kind.WIDE.value), ("n", Kind.INDEX.value), ("r", Kind.REAL.value)]
    params += [("acc", f"pl.InOut[{T}]"), ("out", f"pl.Out[{T}]")]
    return [f"@pl.function({kind}auto_scope=False)", _head("main", params, [T, T]), *indented(inner)]


def _head(name_: str, params: Sequence[tuple[str, str]] | zip[tuple[str, str]], results: list[str]) -> str:
    annotated = "".join(f", {param}: {annotation}" for param, annotation in params)
    result = results[0] if len(results) == 1 else f"tuple[{', '.join(results)}]"
    return f"def {name_}(self{annotated}) -> {result}:"

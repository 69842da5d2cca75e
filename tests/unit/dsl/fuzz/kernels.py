# SPDX-License-Identifier: Apache-2.0
"""Whole snippets: a module with a program or a function whose body is generated, or a changed example."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path
from random import Random

from hypothesis import strategies as st

from tests.unit.dsl.fuzz.expressions import python
from tests.unit.dsl.fuzz.statements import annotation, body, indented
from tests.unit.dsl.fuzz.writer import NUMBERS, Writer

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
SOURCES = tuple(
    path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*.py")) if not path.stem.endswith("_golden")
)
MUTATED = 0.25  # of the snippets are changed examples
ALIKE = 0.7  # of the changes put a token of the same kind in place of another
HEAD = """\
from __future__ import annotations

import pypto.language as pl
import pypto.language.distributed as pld

SIZE = 64
SHAPE = [16, 16]
TEXT = "text"
TYPE = pl.FP32
N = pl.dynamic("N")


def twice(value):
    return value * 2


@pl.inline
def shared(a, c):
    d = pl.tensor.add(a, c)
    return d


"""
KERNEL = """\
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, a: pl.Tensor[[64, 64], pl.FP32], c: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        return pl.store(pl.load(a, [0, 0], [16, 16]), [0, 0], c)

"""
PARAMETERS = {
    "x": "pl.Tensor[[64, 64], pl.FP32]",
    "y": "pl.Tensor[[64, 64], pl.FP32]",
    "out": "pl.Out[pl.Tensor[[64, 64], pl.FP32]]",
    "indices": "pl.Tensor[[64, 64], pl.INT32]",
    "h": "pl.Tensor[[N, 64], pl.FP16]",
    "n": "pl.Scalar[pl.INDEX]",
    "m": "pl.Scalar[pl.INT32]",
    "b": "pl.Scalar[pl.BOOL]",
}
OPTIONS = (
    "type=pl.FunctionType.Orchestration",
    "type=pl.FunctionType.InCore",
    "type=pl.FunctionType.Orchestration, auto_scope=False",
    "type=pl.FunctionType.AIV",
    "type=pl.FunctionType.Inline",
    "type=pl.FunctionType.Graph",
    "strict_ssa=True",
    "level=pl.Level.HOST, role=pl.Role.Orchestrator",
    "level=pl.Level.CHIP",
)


def snippets() -> st.SearchStrategy[str]:
    """Modules; each is made from a number, so that they differ from each other as much as they can."""
    return st.randoms(use_true_random=True).map(snippet)


def snippet(random: Random) -> str:
    """The text of a module."""
    if random.random() < MUTATED:
        return mutation(random)
    writer = Writer(random, oddness=random.choice((0, 1, 3, 10)))
    return HEAD + (_program(writer) if writer.chance(70) else _function(writer))


def _program(writer: Writer) -> str:
    name = writer.pick(("pl.program", "pl.program(strict_ssa=True)", f"pl.program({python(writer, 0)})"))
    decorator = name if writer.odd() else "pl.program"
    return f"@{decorator}\nclass Program:\n{KERNEL}{_text(indented(_definition(writer, 'self, ')))}"


def _function(writer: Writer) -> str:
    return _text(_definition(writer, ""))


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _definition(writer: Writer, first: str) -> list[str]:
    parameters = ", ".join(_parameter(writer, name, right) for name, right in PARAMETERS.items())
    if writer.odd():
        parameters += writer.pick((", *args", ", **kwargs", ", q=1", ", /", ", *, q: pl.Scalar[pl.INT32]", ", *, q"))
    returned = f" -> {annotation(writer, 'pl.Tensor[[64, 64], pl.FP32]')}" if writer.chance(30) else ""
    return [
        f"@pl.function({_options(writer)})",
        f"{'async ' if writer.odd() else ''}def main({first}{parameters}){returned}:",
        *indented([*body(writer, 3, least=0), writer.pick(("return out", "return x, y", "return", "pass"))]),
    ]


def _parameter(writer: Writer, name: str, right: str) -> str:
    if not writer.odd():
        return f"{name}: {right}"
    return writer.pick((name, f"{name}: {annotation(writer, right)}", f"{name}: 'nothing at all'"))


def _options(writer: Writer) -> str:
    if not writer.odd():
        return writer.pick(OPTIONS)
    value = python(writer, 0)  # Python computes it: nothing large
    names = ("type", "level", "role", "attrs", "auto_scope", "strict_ssa", "external_source", "nothing")
    return writer.pick((f"{writer.pick(names)}={value}", value, "", "type=pl.FunctionType.Nothing", "**{}"))


def mutation(random: Random) -> str:
    """An example with a few of its tokens left out, doubled, swapped or replaced."""
    source = random.choice(SOURCES)
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    edits: dict[int, str] = {}
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(tokens) - 1)
        edits[at] = _alike(random, tokens, tokens[at]) if random.random() < ALIKE else _unlike(random, tokens, at)
    return _edited(source, tokens, edits)


def _alike(random: Random, tokens: list[tokenize.TokenInfo], token: tokenize.TokenInfo) -> str:
    """Another token of the same kind."""
    others = sorted({one.string for one in tokens if one.type == token.type})
    return random.choice((*others, *NUMBERS) if token.type == tokenize.NUMBER else others)


def _unlike(random: Random, tokens: list[tokenize.TokenInfo], at: int) -> str:
    """Nothing, the token twice, the token behind the next one, or a token of any kind."""
    token, following = tokens[at].string, tokens[at + 1].string
    names = sorted({one.string for one in tokens if one.type == tokenize.NAME})
    others = (random.choice(names), random.choice(NUMBERS), random.choice("()[]{}:,.=*@#"))
    return random.choice(("", f"{token} {token}", f"{following} {token}", *others))


def _edited(source: str, tokens: list[tokenize.TokenInfo], edits: dict[int, str]) -> str:
    lines = source.splitlines(keepends=True)
    for at in sorted(edits, reverse=True):
        (line, start), (last, end) = tokens[at].start, tokens[at].end
        if line == last and line <= len(lines):
            text = lines[line - 1]
            lines[line - 1] = text[:start] + edits[at] + text[end:]
    return "".join(lines)

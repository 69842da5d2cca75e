# SPDX-License-Identifier: Apache-2.0
"""Expressions: scalars, conditions and subscripts of the language, and Python that it does not have."""

from __future__ import annotations

from tests.unit.dsl.fuzz.writer import NUMBERS, Writer

ARITHMETIC = ("+", "-", "*", "//", "%", "/", "<<", ">>", "&", "|", "^", "**", "@")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in")
DTYPES = ("FP32", "FP16", "BF16", "INT32", "INT64", "INT8", "UINT8", "UINT32", "BOOL", "INDEX", "TASK_ID", "FP8E4M3FN")
BUILTINS = ("int", "range", "str", "list", "sum", "abs", "pow", "isinstance", "dict", "tuple", "sorted", "round", "len")
DEPTH = 3


def scalar(writer: Writer, depth: int = DEPTH) -> str:
    """A scalar of the language."""
    if writer.odd():
        return python(writer, depth - 1)
    kind = writer.weighted({"name": 5, "number": 5, "python": 1, "binary": 3, "unary": 1, "call": 2, "element": 1})
    if kind == "name" or depth <= 0:
        return writer.name("scalar")
    if kind == "number":
        return number(writer)
    if kind == "python":
        return writer.pick(("SIZE", "SHAPE[0]", "twice(4)", "len(SHAPE)", "SIZE // 2", "pl.FP32.get_byte()"))
    if kind == "binary":
        operator = writer.pick(ARITHMETIC[:6] if writer.chance(90) else ARITHMETIC)
        return f"{scalar(writer, depth - 1)} {operator} ({scalar(writer, depth - 1)})"
    if kind == "unary":
        return f"{writer.pick(('-', '~', '+', 'not '))}{scalar(writer, depth - 1)}"
    if kind == "call":
        return _scalar_call(writer, depth - 1)
    return f"{writer.name('integers')}[{scalar(writer, depth - 1)}, {scalar(writer, depth - 1)}]"


def number(writer: Writer) -> str:
    """A literal."""
    return writer.pick(NUMBERS) if writer.odd() else str(writer.count(0, 64))


def _scalar_call(writer: Writer, depth: int) -> str:
    one, other = scalar(writer, depth), scalar(writer, depth)
    return writer.pick(
        (
            f"pl.min({one}, {other})",
            f"pl.max({one}, {other})",
            f"pl.cast({one}, {dtype(writer)})",
            f"pl.const({number(writer)}, {dtype(writer)})",
            f"pl.tensor.dim({writer.name('tensor')}, {writer.count(-2, 2)})",
            "pl.get_block_idx()",
            f"pl.add({one}, {other})",
        )
    )


def condition(writer: Writer, depth: int = DEPTH) -> str:
    """A truth value of the language."""
    if writer.odd():
        return python(writer, depth - 1)
    kind = writer.weighted({"name": 3, "compare": 5, "literal": 1, "both": 1, "not": 1})
    if kind == "name" or depth <= 0:
        return writer.name("flag")
    if kind == "compare":
        operator = writer.pick(COMPARISONS[:6] if writer.chance(90) else COMPARISONS)
        return f"{scalar(writer, depth - 1)} {operator} {scalar(writer, depth - 1)}"
    if kind == "literal":
        return writer.pick(("True", "False"))
    if kind == "both":
        return f"({condition(writer, depth - 1)} {writer.pick(('and', 'or'))} {condition(writer, depth - 1)})"
    return f"not {condition(writer, depth - 1)}"


def dtype(writer: Writer) -> str:
    """An element type."""
    if writer.odd():
        return python(writer, 1)
    return writer.pick(("TYPE", *(f"pl.{name}" for name in DTYPES)))


def shape(writer: Writer, rank: int = 2) -> str:
    """A list of extents or offsets."""
    if writer.odd():
        return python(writer, 1)
    if writer.chance(10):
        return "SHAPE"
    sizes = [writer.pick(("16", "32", "64", "0", "1", "SIZE", "n")) for _ in range(writer.count(rank, rank))]
    return f"[{', '.join(sizes)}]"


def subscript(writer: Writer) -> str:
    """An element or a window of a tensor, tile, array or tuple."""
    base = writer.name(writer.pick(("tensor", "tile", "array", "tuple", "integers")))
    return f"{base}[{indices(writer)}]" if base else scalar(writer, 1)


def indices(writer: Writer) -> str:
    """What stands between the brackets."""
    return ", ".join(_index(writer) for _ in range(writer.count(1, 2 if writer.chance(80) else 4)))


def _index(writer: Writer) -> str:
    if writer.odd():
        return writer.pick(("...", "None", ":", "::2", "-1", "1.5", "True", "'a'", "i for i in y", "*x", "0:16:1", ""))
    low = writer.count(0, 32)
    return writer.pick((f"{low}:{low + 16}", f"{low}", scalar(writer, 1), f"{low}:", f":{low + 16}", ":"))


def python(writer: Writer, depth: int) -> str:
    """Any Python expression."""
    if depth <= 0:
        return writer.pick((writer.any_name(), writer.pick(NUMBERS), "'text'", "None", "...", "b'x'", "[]", "{}"))
    one, other = python(writer, depth - 1), python(writer, depth - 1)
    name = writer.any_name()
    return writer.pick(
        (
            f"{one} {writer.pick(ARITHMETIC)} {other}",
            f"({one}, {other})",
            f"[{one}, {other}]",
            f"{{{one}: {other}}}",
            f"{{{one}}}",
            f"{{**{one}}}",
            f"{one} {writer.pick(COMPARISONS)} {other} {writer.pick(COMPARISONS)} {one}",
            f"({one} if {other} else {one})",
            f"(lambda {name}: {one})",
            f"[{one} for {name} in {other}]",
            f"({one} for {name} in {other} if {one})",
            f"{{{one}: {other} for {name} in {other}}}",
            f"({name} := {one})",
            f"({one}).{name}",
            f"{name}({one}, *{other})",
            f"{name}({one}, **{other})",
            f"{name}({name}={one})",
            f"f'{{{name}!r:>{{SIZE}}}}'",
            repr(writer.text()),
            f"(yield {one})" if writer.odd() else f"({one})",
            f"(await {one})" if writer.odd() else f"({one})",
            f"({one})[{other}]",
            f"({one})[{other}:{one}:2]",
            f"{name}.__class__",
            f"{writer.pick(BUILTINS)}({one}, {other})",
            f"pl.{writer.pick(('FP32', 'Mem', 'Level', 'Tensor', 'tile', 'parse', 'jit', 'nothing'))}",
            f"pl.{writer.pick(('Mem.Vec', 'Level.HOST', 'SplitMode.NONE', 'Mem.Nothing', 'tile.nothing'))}",
            f"{'(' * 30}{one}{')' * 30}",
            f"{one}\\\n        + {other}",
        )
    )

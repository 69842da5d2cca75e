# SPDX-License-Identifier: Apache-2.0
"""Calls of the operations that the language has: each parameter gets a value that its name asks for, or another one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.unit.dsl.fuzz.expressions import condition, dtype, number, python, scalar, shape
from tests.unit.dsl.fuzz.writer import Writer

TABLE = Path(__file__).resolve().parent.parent / "namespaces.json"


class Parameter(NamedTuple):
    """A parameter of an operation: its name, whether it is given by name, whether it may be left out."""

    name: str
    keyword: bool
    optional: bool


def parameters(signature: str) -> tuple[Parameter, ...]:
    """The parameters of `a, b?, *, c=0`; those that take any number are left out."""
    listed = signature.split(", ") if signature else []
    marks = [number for number, text in enumerate(listed) if text.startswith("*")]
    first_keyword = marks[0] if marks else len(listed)
    return tuple(
        Parameter(re.split(r"[?=]", text)[0], number > first_keyword, "=" in text or text.endswith("?"))
        for number, text in enumerate(listed)
        if not text.startswith("*")
    )


def operations() -> dict[str, tuple[Parameter, ...]]:
    """Every function of the language by its dotted name."""
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    return {
        f"{namespace}.{name}": parameters(signature)
        for namespace, names in table.items()
        for name, signature in names["functions"].items()
    }


OPERATIONS = operations()
COMMON = tuple(
    name
    for name in ("pl.load", "pl.store", "pl.add", "pl.mul", "pl.exp", "pl.slice", "pl.reshape", "pl.cast", "pl.matmul")
    for _ in range(20)
)
NAMES = (*COMMON, *OPERATIONS)

Value = Callable[[Writer], str]


def _operand(writer: Writer) -> str:
    kinds = {"tile": 6, "tensor": 4, "half": 1, "integers": 1, "scalar": 1}
    return writer.name(writer.weighted(kinds)) or writer.name("tensor")


def _memory(writer: Writer) -> str:
    return f"pl.Mem.{writer.pick(('Vec', 'Mat', 'Left', 'Right', 'Acc', 'DDR', 'Bias'))}"


def _member(*members: str) -> Value:
    return lambda writer: writer.pick(members)


_FLAG = _member("True", "False", "None", "1")
_VALUES: dict[str, Value] = {
    **dict.fromkeys(("shape", "shapes", "valid_shape", "offset", "offsets", "indices", "src_offset", "shape_"), shape),
    **dict.fromkeys(("dtype", "target_type", "out_dtype", "output_dtype", "count_dtype"), dtype),
    **dict.fromkeys(("a_trans", "b_trans", "transpose", "clamp", "descending", "high_precision", "upper"), _FLAG),
    **dict.fromkeys(("axis", "axis1", "axis2", "dim", "rounds", "split", "id", "dir_mask", "slot_num"), number),
    **dict.fromkeys(("n", "value", "scalar", "start", "slope", "key0", "peer", "valid_rows", "core_num"), scalar),
    "target_memory": _memory,
    "condition": condition,
    "index": _operand,
    "mode": _member("'round'", "'rint'", "pl.SplitMode.NONE", "pl.SplitMode.UP_DOWN", "'nothing'"),
    "pad_value": _member("pl.PadValue.zero", "pl.PadValue.max", "0", "1.5"),
    "cmp_type": _member("0", "5", "9", "'eq'"),
    "deps": _member("[]", "[t]", "[None]", "None"),
    "atomic": _member("pl.AtomicType.Add", "pl.AtomicType.None_"),
    "layout": _member("pl.ND", "pl.DN", "pl.NZ"),
    "name": _member("'buffer'", "''", "'a b'"),
}


def value(writer: Writer, parameter: str) -> str:
    """What a parameter of this name takes."""
    return python(writer, 1) if writer.odd() else _VALUES.get(parameter, _operand)(writer)


def call(writer: Writer) -> str:
    """A call of any operation, with arguments left out or added now and then."""
    name = writer.pick(NAMES)
    given: list[str] = []
    for parameter in OPERATIONS[name]:
        if writer.chance(80) if parameter.optional else writer.odd():
            continue
        prefix = f"{parameter.name}=" if parameter.keyword or (given and "=" in given[-1]) else ""
        given.append(f"{prefix}{value(writer, parameter.name)}")
    if writer.odd():
        given.append(writer.pick(("*SHAPE", "**{}", "nothing=1", "attrs={'a': 1}", "span=None", "1", "x")))
    return f"{name}({', '.join(given)})"


def simple_call(writer: Writer) -> tuple[str, str]:
    """A call that is likely to be right, and the kind of what it makes."""
    tile, tensor = writer.name("tile"), writer.name("tensor")
    options = {
        f"pl.load({tensor}, [0, 0], [16, 16])": "tile",
        f"pl.tile.create([16, 16], {writer.pick(('pl.FP32', 'TYPE'))})": "tile",
        f"pl.tensor.add({tensor}, {writer.name('tensor')})": "tensor",
        f"pl.create_tensor([{writer.pick(('64', 'SIZE'))}, 64], dtype=pl.FP32)": "tensor",
        "pl.array.create(4, pl.INT32)": "array",
        f"pl.tensor.slice({tensor}, [16, 16], [{scalar(writer, 1)}, 0])": "tensor",
    }
    if tile:
        options |= {
            f"pl.add({tile}, {writer.name('tile')})": "tile",
            f"pl.mul({tile}, {writer.pick(('2.0', 'SIZE', '0.5'))})": "tile",
            f"pl.exp({tile})": "tile",
            f"pl.store({tile}, [0, 0], {writer.pick(('out', tensor))})": "tensor",
        }
    text = writer.pick(tuple(options))
    return text, options[text]

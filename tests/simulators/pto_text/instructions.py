# SPDX-License-Identifier: Apache-2.0
"""One instruction on arrays: a kernel that loads its operands, carries it out, and stores what it wrote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pypto_simulators.functional.numbers import numpy_type
from pypto_simulators.pto_text.types import ELEMENTS, NAMES

from tests.simulators.pto_text.texts import moved, run
from tests.simulators.running import DTYPES

_APART = 4096  # bytes from one tile to the next


@dataclass(frozen=True, slots=True)
class Operand:
    """A tile and the tensor that it is loaded from or stored to, or a scalar, which has no tile."""

    name: str
    value: Any
    kind: str

    @property
    def is_tile(self) -> bool:
        """Whether it is a tile."""
        return isinstance(self.value, np.ndarray)

    @property
    def written(self) -> str:
        """What the instruction calls it."""
        return f"%{self.name}_t" if self.is_tile else f"%{self.name}"

    @property
    def param(self) -> str:
        """The parameter of the kernel."""
        kind = f"!pto.ptr<{NAMES[DTYPES[self.value.dtype]]}>" if self.is_tile else self.kind
        return f"%{self.name}: {kind}"


def instruction(name: str, *operands: Any, into: str | Sequence[str], ins: str = "", outs: str = "") -> list[Any]:
    """The arrays that an instruction writes; `into` are short types, `ins` and `outs` attributes.

    A float among the operands is of the element type of the first operand, an integer i32.
    """
    kinds = [into] if isinstance(into, str) else into
    sources = [Operand(f"x{i}", value, _kind(value, operands[0])) for i, value in enumerate(operands)]
    targets = [Operand(f"y{i}", _zeros(kind), kind) for i, kind in enumerate(kinds)]
    tiles = [one for one in (*sources, *targets) if one.is_tile]
    written = (
        f"{name} ins({_names(sources)} {ins} : {_kinds(sources)}) outs({_names(targets)} : {_kinds(targets)}) {outs}"
    )
    lines = [
        *(f"TILE({one.written}, {place * _APART}, {one.kind})" for place, one in enumerate(tiles)),
        *(moved("load", one.written, f"%{one.name}", one.kind) for one in sources if one.is_tile),
        written,
        *(moved("store", one.written, f"%{one.name}", one.kind) for one in targets),
    ]
    passed = [*tiles, *(one for one in sources if not one.is_tile)]
    values = {one.name: one.value for one in passed}
    outputs = run("\n".join(lines), ", ".join(one.param for one in passed), **values).outputs
    return [outputs[one.name] for one in targets]


def _names(operands: Sequence[Operand]) -> str:
    return ", ".join(one.written for one in operands)


def _kinds(operands: Sequence[Operand]) -> str:
    return ", ".join(one.kind for one in operands)


def _kind(value: Any, first: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"vec {NAMES[DTYPES[value.dtype]]}[{value.shape[0]},{value.shape[1]}]"
    return NAMES[DTYPES[first.dtype]] if isinstance(value, float) else "i32"


def _zeros(kind: str) -> Any:
    ((dtype, rows, columns),) = re.findall(r"(\w+)\[(\d+),(\d+)", kind)
    return np.zeros((int(rows), int(columns)), numpy_type(ELEMENTS[dtype]))

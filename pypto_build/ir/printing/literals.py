# SPDX-License-Identifier: Apache-2.0
"""Plain values as text: numbers, strings, element types and the closed sets of names."""

from __future__ import annotations

import json
import math
from enum import Enum

from pypto_build.errors import InternalError
from pypto_build.ir.dtype import DataType
from pypto_build.ir.enums import ArgDirection, MemorySpace, NotifyOp, ReduceOp, WaitCmp

DISTRIBUTED = "pld"  # the name of the distributed language module in the text
DIRECTIONS = {
    ArgDirection.Input: "input",
    ArgDirection.Output: "output",
    ArgDirection.InOut: "inout",
    ArgDirection.OutputExisting: "output_existing",
    ArgDirection.NoDep: "no_dep",
    ArgDirection.Scalar: "scalar",
}
_DISTRIBUTED_ENUMS = (NotifyOp, WaitCmp, ReduceOp)


def float_text(value: float) -> str:
    """A float with the 17 digits that identify it; infinity as a literal that overflows, since it has no name."""
    if math.isinf(value):
        return "1e999" if value > 0 else "-1e999"
    if math.isnan(value):
        return '"nan"'
    text = format(value, ".17g")
    return text if any(mark in text for mark in ".e") else f"{text}.0"


def string_text(value: str) -> str:
    """A string in double quotes."""
    return json.dumps(value, ensure_ascii=False)


def dtype_text(dtype: DataType, pl: str) -> str:
    """`pl.FP32`"""
    return f"{pl}.{dtype.attribute}"


def enum_text(value: Enum, pl: str) -> str:
    """`pl.PadValue.zero`; memory spaces and directions have their short forms `pl.Mem.Vec` and `pl.adir.input`."""
    if isinstance(value, MemorySpace):
        return f"{pl}.Mem.{value.name}"
    if isinstance(value, ArgDirection):
        return f"{pl}.adir.{DIRECTIONS[value]}"
    module = DISTRIBUTED if isinstance(value, _DISTRIBUTED_ENUMS) else pl
    return f"{module}.{type(value).__name__}.{value.name}"


def plain_text(value: object, pl: str) -> str:
    """A value that is no node, type or tuple."""
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, Enum):
        return enum_text(value, pl)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, DataType):
        return dtype_text(value, pl)
    raise InternalError(f"a value of type {type(value).__name__} has no text: {value!r}")

# SPDX-License-Identifier: Apache-2.0
"""What a `@pl.jit` kernel is compiled for, as it is written: `a=f32[64,N]`, `n=7`, `k=i32`.

A tensor is an element type with extents, an extent that is a name is known when the kernel runs. A number is a constant
of the kernel. An element type alone is a number that is known when the kernel runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from pypto_build.errors import UserError, UserErrors
from pypto_build.ir import DATA_TYPES, DataType

CODE: Final = "JIT001"
FORMS: Final = "a tensor is a=f32[64,N], a constant n=7, a number that is known when the kernel runs k=i32"

Number = bool | int | float


@dataclass(frozen=True, slots=True)
class TensorArgument:
    """A tensor; an extent that is a name is known when the kernel runs."""

    dtype: DataType
    shape: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class ScalarArgument:
    """A number that is known when the kernel runs."""

    dtype: DataType


@dataclass(frozen=True, slots=True)
class ConstantArgument:
    """A number that the kernel is compiled for."""

    value: Number


Argument = TensorArgument | ScalarArgument | ConstantArgument


def _dtypes() -> dict[str, DataType]:
    """Element types by what they may be called: `f32`, `fp32`; `bf16`, `bfloat16`; `i32`, `int32`; `u8`, `uint8`."""
    names: dict[str, DataType] = {}
    for dtype in DATA_TYPES:
        if dtype is not DataType.TASK_ID:
            full = dtype.attribute.lower()
            names |= dict.fromkeys((full, dtype.to_string(), _short(full)), dtype)
    return names


def _short(name: str) -> str:
    for long, short in (("uint", "u"), ("int", "i"), ("fp", "f")):
        if name.startswith(long):
            return short + name.removeprefix(long)
    return name


DTYPES: Final[Mapping[str, DataType]] = _dtypes()
_ARGUMENT: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(\S.*?)\s*")
_TENSOR: Final = re.compile(r"(\w+)\s*\[(.*)\]")


def parse_arguments(texts: Iterable[str]) -> dict[str, Argument]:
    """The arguments by name.

    Raises:
        UserErrors: some are not written as they should be; all of those are said.
    """
    found: dict[str, Argument] = {}
    problems: list[UserError] = []
    for text in texts:
        try:
            name, argument = parse_argument(text)
            if name in found:
                raise UserError(CODE, f"argument {name!r} is given twice", help="Keep one of them")
            found[name] = argument
        except UserError as problem:
            problems.append(problem)
    if problems:
        raise UserErrors(tuple(problems))
    return found


def parse_argument(text: str) -> tuple[str, Argument]:
    """One argument and its name.

    Raises:
        UserError: it is not written as it should be.
    """
    match = _ARGUMENT.fullmatch(text)
    if match is None:
        raise UserError(CODE, f"an argument is NAME=VALUE, not {text!r}", help=FORMS)
    name, value = match[1], match[2]
    tensor = _TENSOR.fullmatch(value)
    if tensor is not None:
        return name, TensorArgument(_dtype(name, tensor[1]), _shape(name, tensor[2]))
    number = _number(value)
    if number is not None:
        return name, ConstantArgument(number)
    if re.fullmatch(r"\w+", value) is None:
        raise UserError(CODE, f"the value of argument {name!r} cannot be read: {value}", help=FORMS)
    return name, ScalarArgument(_dtype(name, value))


def _number(text: str) -> Number | None:
    if text in ("True", "False"):
        return text == "True"
    with suppress(ValueError):
        return int(text, 0)
    with suppress(ValueError):
        return float(text)
    return None


def _dtype(name: str, text: str) -> DataType:
    found = DTYPES.get(text.lower())
    if found is None:
        close = get_close_matches(text.lower(), DTYPES, 1, cutoff=0.3)
        help = f"did you mean `{close[0]}`?" if close else "Element types are f32, f16, bf16, i32, u8, bool, index, ..."
        raise UserError(CODE, f"argument {name!r} has the element type {text!r}, which there is not", help=help)
    return found


def _shape(name: str, text: str) -> tuple[int | str, ...]:
    return tuple(_extent(name, part.strip()) for part in text.split(","))


def _extent(name: str, text: str) -> int | str:
    if text.isidentifier():
        return text
    if not text.isdecimal() or int(text) == 0:
        raise UserError(
            CODE,
            f"argument {name!r} has the extent {text!r}",
            help="An extent is a positive number, or the name of a dimension that is known when the kernel runs",
        )
    return int(text)

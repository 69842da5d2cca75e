# SPDX-License-Identifier: Apache-2.0
"""How families write their tables: a template that the rows fill in, and short names for common columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from pypto_build.ir import MemorySpace
from pypto_build.ops.definition import ArgDef, FromInput, FromKwarg, MemorySpec, OpDef, Spaces

ANY: Spaces = ()
VEC: Spaces = (MemorySpace.Vec,)
LEFT: Spaces = (MemorySpace.Left,)
RIGHT: Spaces = (MemorySpace.Right,)
LEFT_SCALE: Spaces = (MemorySpace.LeftScale,)
RIGHT_SCALE: Spaces = (MemorySpace.RightScale,)
ACC: Spaces = (MemorySpace.Acc,)
BIAS: Spaces = (MemorySpace.Bias,)


Row: TypeAlias = tuple[str, str] | tuple[str, str, Callable[..., object], str]
"""Name and description; and, where no table of the simulator and of the target has the operation, what it computes as a
NumPy function and its instruction."""


def family(template: OpDef, *rows: Row) -> tuple[OpDef, ...]:
    """One definition per row, otherwise as the template says."""
    return tuple(_of_row(template, row) for row in rows)


def _of_row(template: OpDef, row: Row) -> OpDef:
    match row:
        case (name, description, reference, mnemonic):
            return replace(template, name=name, description=description, reference=reference, mnemonic=mnemonic)
        case (name, description):
            return replace(template, name=name, description=description)


def tiles(*names: str) -> tuple[ArgDef, ...]:
    """Arguments that are tiles; a name that ends in `?` may be left out."""
    return args("TileType", *names)


def args(kind: str, *names: str) -> tuple[ArgDef, ...]:
    """Arguments of one kind; a name that ends in `?` may be left out."""
    return tuple(ArgDef(name.rstrip("?"), kind, optional=name.endswith("?")) for name in names)


def in_vector(*inputs: Spaces) -> MemorySpec:
    """The result lives in the vector buffer."""
    return MemorySpec(inputs, MemorySpace.Vec)


def in_accumulator(*inputs: Spaces) -> MemorySpec:
    """The result lives in the accumulator."""
    return MemorySpec(inputs, MemorySpace.Acc)


def in_space_of(kwarg: str, default: MemorySpace | None = None) -> MemorySpec:
    """The result lives where an attribute says."""
    return MemorySpec((), FromKwarg(kwarg, default))


SAME_SPACE = MemorySpec((), FromInput())

# SPDX-License-Identifier: Apache-2.0
"""How families write their tables: a template that the rows fill in, and short names for common columns."""

from __future__ import annotations

from dataclasses import replace

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


def family(template: OpDef, *rows: tuple[str, str]) -> tuple[OpDef, ...]:
    """One definition per row of name and description, otherwise as the template says."""
    return tuple(replace(template, name=name, description=description) for name, description in rows)


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

# SPDX-License-Identifier: Apache-2.0
"""Operations that have a namesake on tiles: `tensor.x` is `tile.x` with the same arguments.

A scalar as second argument selects `tile.xs`; scratch arguments, which tensors do not have, are created. An attribute
that the tile operation does not know may only say what it does anyway.
"""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.errors import UserError
from pypto_build.ir import Call, Expr, ScalarType, as_int, const_index
from pypto_build.ops.definition import OpDef
from pypto_passes.tensor_conversions.building import Building, Shape, refused, tile_type

_PADDED = frozenset(f"tile.row_{name}" for name in ("sum", "max", "min", "prod"))
"""Their scratch rows hold at least one full step of the vector unit."""
_PADDED_COLUMNS = 128
_BY_ATTRIBUTE = {"tile.rsqrt": "high_precision"}
"""The attribute that asks for the form of an operation that has an optional scratch argument."""


def namesake(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """The tile operation of the same name."""
    name = tile_name(call.op.name)
    if len(args) == 2 and isinstance(args[1].type, ScalarType) and to.around.ops.has(f"{name}s"):
        name = f"{name}s"
    if name == call.op.name or not to.around.ops.has(name):
        raise unconvertible(call)
    definition = to.around.ops.get(name)
    given = [to.tile(arg) for arg in args]
    given += [_scratch(to, given[0], name) for _ in range(_missing_scratch(definition, call, len(given)))]
    return to.op(name, *given, **_known(to, call, definition))


def _known(to: Building, call: Call, definition: OpDef) -> dict[str, object]:
    known = {name: value for name, value in call.kwargs.items() if definition.kwarg(name) is not None}
    for name, value in call.kwargs.items():
        meant = to.around.ops.get(call.op.name).kwarg(name)
        default = meant.default if meant is not None else None
        if name not in known and value != default and name != _BY_ATTRIBUTE.get(definition.name):
            raise unconvertible(call, f"with {name}={value} ")
    return known


def tile_name(name: str) -> str:
    """The name of a tensor operation's namesake."""
    return name.replace("tensor.", "tile.", 1)


def unconvertible(call: Call, how: str = "") -> UserError:
    """The error of an operation that has no form on tiles."""
    return refused(
        call,
        f"{how}has no registered tile conversion",
        instead="write this part of the kernel with tile operations (pl.load, pl.tile.*, pl.store)",
        code="TILE001",
    )


def _missing_scratch(definition: OpDef, call: Call, given: int) -> int:
    wanted = call.kwargs.get(_BY_ATTRIBUTE.get(definition.name, ""), False)
    return sum(arg.name.startswith("tmp") and bool(wanted or not arg.optional) for arg in definition.args[given:])


def _scratch(to: Building, like: Expr, name: str) -> Expr:
    kind = tile_type(like)
    return to.create("tmp_tile", _padded(kind.shape) if name in _PADDED else kind.shape, kind.dtype)


def _padded(shape: Shape) -> Shape:
    columns = as_int(shape[-1])
    short = columns is not None and columns < _PADDED_COLUMNS
    return (*shape[:-1], const_index(_PADDED_COLUMNS)) if short else shape

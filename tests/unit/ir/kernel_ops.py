# SPDX-License-Identifier: Apache-2.0
"""Calls of a few operations of every kind, made by the registry."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from pypto_build import ir
from pypto_build.ir import MemorySpace
from pypto_build.ops import OpRegistry, builtin_registry
from tests.unit.ir.build import FP32, number

if TYPE_CHECKING:
    from tests.unit.ir.strategies import Maker

SHAPE = ir.MakeTuple(ir.dims((16, 16)))
ORIGIN = ir.MakeTuple(ir.dims((0, 0)))
SOURCE = ir.Var("source", ir.TensorType(ir.dims((16, 16)), FP32))
TILE = ir.Var("tile", ir.TileType(ir.dims((16, 16)), FP32, None, None, MemorySpace.Vec))
_CALLS: tuple[tuple[str, tuple[ir.Expr, ...], Mapping[str, object]], ...] = (
    ("system.bar_all", (), {}),
    ("system.sync_src", (), {"set_pipe": 1, "wait_pipe": 4, "event_id": 0}),
    ("tile.load", (SOURCE, ORIGIN, SHAPE, SHAPE), {"target_memory": MemorySpace.Vec}),
    ("tile.store", (TILE, ORIGIN, SOURCE), {}),
    ("tile.add", (TILE, TILE), {}),
    ("tile.muls", (TILE, ir.ConstFloat(0.5)), {}),
    ("tensor.adds", (SOURCE, ir.ConstFloat(-1.0)), {}),
    ("tensor.read", (SOURCE, ORIGIN), {}),
    ("tile.alloc", (number(MemorySpace.Vec.value), number(1024)), {}),
)


@cache
def registry() -> OpRegistry:
    """The operations of the project."""
    return builtin_registry()


class KernelOps:
    """Makes calls."""

    def call(self, name: str, *args: ir.Expr) -> ir.Call:
        """A call of an operation without attributes."""
        return registry().create_call(name, args)

    def any(self, maker: Maker) -> ir.Call:
        """A call of any operation of the table."""
        name, args, kwargs = maker.one(_CALLS)
        return registry().create_call(name, args, kwargs)

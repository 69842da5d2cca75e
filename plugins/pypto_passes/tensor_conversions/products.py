# SPDX-License-Identifier: Apache-2.0
"""Matrix products: operands come from Mat, and a transposed one is seen transposed there without a copy."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.ir import Call, Expr, MemorySpace, TileType
from pypto_passes.tensor_conversions.building import Building, hint_of, tile_type
from pypto_passes.tensor_conversions.by_name import unconvertible

OPERANDS = {"tensor.matmul": slice(0, 2), "tensor.matmul_acc": slice(1, 3)}
"""Which arguments of an operation are the factors of a matrix product."""


def multiplied(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """A product."""
    if call.kwargs.get("c_matrix_nz"):
        raise unconvertible(call, "with c_matrix_nz ")
    factors = _factors(to, call, args)
    return to.op(_flat_or_batch("matmul", factors), *factors)


def accumulated(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """A product added to an accumulator."""
    acc = to.tile(args[0], space=MemorySpace.Mat)
    factors = _factors(to, call, args[1:3])
    return to.op(_flat_or_batch("matmul_acc", factors), acc, *factors, *args[3:])


def _factors(to: Building, call: Call, args: Sequence[Expr]) -> list[Expr]:
    transposed = (bool(call.kwargs.get(name, False)) for name in ("a_trans", "b_trans"))
    return [_factor(to, arg, transposed=flag) for arg, flag in zip(args, transposed, strict=False)]


def _factor(to: Building, value: Expr, *, transposed: bool) -> Expr:
    factor = to.tile(value, f"{hint_of(value)}_mat", MemorySpace.Mat)
    if not transposed:
        return factor
    kind = factor.type
    if isinstance(kind, TileType) and kind.memory_space is not MemorySpace.Mat:
        factor = to.let(f"{hint_of(value)}_mat", to.op("tile.move", factor, target_memory=MemorySpace.Mat))
    return to.let(f"{hint_of(value)}_mat_t", to.op("tile.transpose_view", factor))


def _flat_or_batch(name: str, factors: Sequence[Expr]) -> str:
    flat = all(len(tile_type(factor).shape) == 2 for factor in factors)
    return f"tile.{name}" if flat else f"tile.batch_{name}"

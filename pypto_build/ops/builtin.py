# SPDX-License-Identifier: Apache-2.0
"""The registry of the operations that come with the product: one line per family."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from pypto_build.ops.definition import OpDef
from pypto_build.ops.registry import OpRegistry

FAMILIES = (
    "array",
    "builtin_tensor",
    "distributed_collective",
    "distributed_intrinsics",
    "distributed_remote",
    "distributed_signal",
    "distributed_transfer",
    "distributed_window",
    "prefetch",
    "system",
    "system_cross_core",
    "tensor_access",
    "tensor_assemble",
    "tensor_bitwise",
    "tensor_creation",
    "tensor_elementwise",
    "tensor_expand",
    "tensor_gather",
    "tensor_gather_rows",
    "tensor_matmul",
    "tensor_reduction",
    "tensor_reshape",
    "tensor_scatter",
    "tensor_slice",
    "tensor_sort",
    "tensor_split",
    "tensor_unary",
    "tensor_view",
    "testing",
    "tile_core",
    "tile_elementwise",
    "tile_expand",
    "tile_fill",
    "tile_gather",
    "tile_matmul",
    "tile_matmul_mx",
    "tile_memory",
    "tile_memory_gather",
    "tile_reduction",
    "tile_scalar",
    "tile_scatter",
    "tile_select",
    "tile_sort",
    "tile_unary",
    "tile_view",
    "tile_window",
)


@cache
def builtin_registry() -> OpRegistry:
    """The registry of all families; made once."""
    return OpRegistry(definition for family in FAMILIES for definition in family_definitions(family))


def family_definitions(family: str) -> tuple[OpDef, ...]:
    """The table `OPS` of one family module."""
    module = import_module(f"pypto_build.ops.families.{family}")
    return cast("tuple[OpDef, ...]", module.OPS)

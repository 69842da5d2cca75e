# SPDX-License-Identifier: Apache-2.0
"""The registry of the operations that come with the product: one line per family.

A source is read with the operations of the plugins that take part as well. Its decorators run where Python imports it
and get no argument of ours, so the operations of the moment are in the context of the reading thread.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
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


_current: ContextVar[OpRegistry | None] = ContextVar("operations", default=None)


def current_registry() -> OpRegistry:
    """The operations that a source may use: the built-in ones, or those that `reading_with` states."""
    return _current.get() or builtin_registry()


@contextmanager
def reading_with(registry: OpRegistry) -> Generator[None]:
    """Sources and texts that are read inside the block may use these operations."""
    token = _current.set(registry)
    try:
        yield
    finally:
        _current.reset(token)

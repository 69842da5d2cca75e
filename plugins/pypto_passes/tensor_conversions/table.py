# SPDX-License-Identifier: Apache-2.0
"""Which conversion an operation has; one that is not listed becomes its namesake on tiles."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pypto_build.ir import Call, Expr
from pypto_build.ops import OpRegistry
from pypto_passes.tensor_conversions import (
    cloning,
    division,
    gathering,
    gathering_rows,
    products,
    remote,
    scattering,
    sorting,
    windows,
)
from pypto_passes.tensor_conversions.building import Conversion
from pypto_passes.tensor_conversions.by_name import namesake

STAYING: Mapping[str, Conversion] = MappingProxyType({"tensor.dim": windows.extent, "tensor.view": windows.viewed})
"""They describe global memory and stay there."""

SELF_LOADING: Mapping[str, Conversion] = MappingProxyType(
    {
        "tensor.slice": windows.sliced,
        "tensor.read": windows.element_read,
        "tensor.write": windows.element_written,
        "tensor.assemble": windows.assembled,
        "tensor.matmul": products.multiplied,
        "tensor.matmul_acc": products.accumulated,
        "tensor.gather": gathering.gathered,
        "tensor.gather_row": gathering_rows.row_gathered,
        "tensor.paged_gather": gathering_rows.page_gathered,
        "tensor.scatter": scattering.scattered,
        "tensor.expand_clone": cloning.cloned,
        "pld.tensor.put": remote.put,
        "pld.tensor.get": remote.got,
        "pld.tensor.remote_store": remote.pushed,
    }
)
"""They load what they need themselves, so that a parameter is not loaded at the entry for their sake."""

_OTHERS: Mapping[str, Conversion] = MappingProxyType(
    {
        "tensor.create": windows.created,
        "tensor.create_l1": gathering_rows.created_on_chip,
        "tensor.reshape": windows.reshaped,
        "tensor.transpose": windows.transposed,
        "tensor.reinterpret_view": windows.reinterpreted,
        "tensor.div": division.divided,
        "tensor.gather_compare": gathering.compared,
        "tensor.scatter_mask": scattering.mask_scattered,
        "tensor.scatter_update": scattering.row_scattered,
        "tensor.mrgsort_format2": sorting.merged,
    }
)

TARGETS: Mapping[str, int] = MappingProxyType({"tensor.assemble": 0, "tensor.expand_clone": 1})
"""Operations whose result is one of their arguments, written to: it lies where that argument lies."""

_NO_TILE = frozenset({*STAYING, "tensor.write", "tensor.alloc"})


def conversion(call: Call, ops: OpRegistry) -> Conversion | None:
    """The conversion of a call; None for one that is no operation on tensors."""
    name = call.op.name
    listed = SELF_LOADING.get(name) or _OTHERS.get(name) or STAYING.get(name)
    if listed is not None:
        return listed
    on_tensors = name.startswith("tensor.") or (ops.has(name) and ops.get(name).category == "TensorOp")
    return namesake if on_tensors else None


def yields_tile(value: Expr, ops: OpRegistry) -> bool:
    """Whether a tensor value is a tile after the conversion, wherever its operands lie."""
    if not isinstance(value, Call) or value.op.name in TARGETS or value.op.name in _NO_TILE:
        return False
    return not value.op.name.startswith("pld.") and conversion(value, ops) is not None

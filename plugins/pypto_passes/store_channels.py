# SPDX-License-Identifier: Apache-2.0
"""Stores of windows and stores of single elements: the two ways into global memory must not meet in one tensor.

A window goes by the DMA engine, an element through the data cache of the scalar unit; nothing keeps a cache line
coherent between the two, whatever barrier stands between them. So a kernel that does both to one parameter is refused.
"""

from __future__ import annotations

from pypto_build.errors import UserError
from pypto_build.ir import Call, Function, Submit, Var
from pypto_build.ops import OpRegistry
from pypto_passes.tensor_flows import TensorFlows, reused_argument

SCALAR_STORE = "tensor.write"
_BULK_STORES = {"tile.store": 2, "tensor.assemble": 0}
"""The argument that each of them writes to."""
_VIEWS = frozenset({"tensor.view", "tensor.reshape", "tensor.reinterpret_view", "tensor.slice"})


def mixed_stores(function: Function, ops: OpRegistry) -> tuple[TensorFlows, frozenset[Var]]:
    """The flows through buffers of a kernel, and its parameters that are stored to in both ways."""

    argument = reused_argument(ops)

    def same_buffer(call: Call | Submit, index: int) -> int | None:
        reused = argument(call, index)
        return 0 if reused is None and call.op.name in _VIEWS else reused

    flows = TensorFlows(function, ops, same_buffer)
    scalar = _stored(flows, {SCALAR_STORE: 0})
    if not scalar:
        return flows, frozenset()
    both = flows.origins(scalar) & flows.origins(_stored(flows, _BULK_STORES))
    return flows, frozenset(param for param in function.params if param in both)


def _stored(flows: TensorFlows, stores: dict[str, int]) -> set[Var]:
    targets = (call.args[stores[call.op.name]] for call in flows.calls if call.op.name in stores)
    return {target for target in targets if isinstance(target, Var)}


def check_store_channels(function: Function, ops: OpRegistry) -> None:
    """Refuse a kernel that stores windows and single elements to one parameter.

    Raises:
        UserError: it does.
    """
    flows, mixed = mixed_stores(function, ops)
    if not mixed:
        return
    names = ", ".join(repr(param.name_hint) for param in function.params if param in mixed)
    place = next(call for call in flows.calls if call.op.name == SCALAR_STORE)
    raise UserError(
        "TILE006",
        f"kernel {function.name!r} mixes MTE3 and scalar stores to {names}, which are not coherent",
        place.span,
        help="collect the elements in a local pl.full tensor and assign it once, or write every element with pl.write",
    )

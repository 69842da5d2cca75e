# SPDX-License-Identifier: Apache-2.0
"""Where each tensor value of a kernel will lie: in global memory, or on the core as a tile.

What an operation computes is a tile, and so is everything that it flows to. A parameter that enters such a carry or
merge is loaded at the entry, as is one that an operation computes with. A tensor that the kernel makes only to fill it
in a loop and return it is no tile: it is the output itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from pypto_build.ir import Call, Expr, Function, IterArg, ReturnStmt, TensorType, Var, collect, same_value
from pypto_build.ops import OpRegistry
from pypto_passes.tensor_conversions import SELF_LOADING, STAYING, TARGETS, conversion, is_global, yields_tile
from pypto_passes.tensor_conversions.products import OPERANDS
from pypto_passes.tensor_flows import TensorFlows

_VIEWS = ("tensor.slice", "tensor.reshape", "tensor.reinterpret_view", "tensor.set_validshape")


@dataclass(frozen=True, slots=True)
class TensorPlaces:
    """The answers for one kernel.

    tiles: the Vars that become tiles; loaded: the parameters that are loaded at the entry; in_mat: the calls whose
    results reach an operand of a matrix product; written: the parameters that the kernel writes to; outputs: the Vars
    of created tensors that are an output, with the position at which it is returned.
    """

    tiles: frozenset[Var]
    loaded: tuple[Var, ...]
    in_mat: frozenset[Expr]
    written: frozenset[Expr]
    outputs: Mapping[Var, int]


def tensor_places(function: Function, ops: OpRegistry) -> TensorPlaces:
    """Where the tensor values of a kernel will lie."""
    flows = TensorFlows(function, ops, lambda call, _: TARGETS.get(call.op.name))
    outputs = _outputs(function, flows)
    seeds = [v for v, call in flows.definitions.items() if v not in outputs and yields_tile(call, ops)]
    demands = _Demands(flows, frozenset(function.params))
    demands.make_tiles(flows.reached(seeds))
    demands.loaded |= {arg for call in flows.calls if _computes(call, ops) for arg in call.args if isinstance(arg, Var)}
    loaded = tuple(param for param in function.params if param in demands.loaded and is_global(param))
    written = flows.origins(flows.written) & set(function.params)
    return TensorPlaces(frozenset(demands.tiles), loaded, _in_mat(flows), frozenset(written), outputs)


def _computes(call: Call, ops: OpRegistry) -> bool:
    """Whether an operation takes whole tiles of its operands."""
    name = call.op.name
    return name not in SELF_LOADING and name not in STAYING and conversion(call, ops) is not None


class _Demands:
    """Makes tiles of what enters a tile, as far as it is only another name or a merge of something."""

    def __init__(self, flows: TensorFlows, params: frozenset[Var]) -> None:
        self._flows = flows
        self._params = params
        self.tiles: set[Var] = set()
        self.loaded: set[Var] = set()

    def make_tiles(self, reached: set[Var]) -> None:
        """These are tiles, and so is what they get their values from."""
        waiting = [var for var in reached if var in self._flows.sources]
        self.tiles |= reached
        while waiting:
            for source in self._flows.sources.get(waiting.pop(), ()):
                waiting += self._enter(cast(Var, source))

    def _enter(self, source: Var) -> list[Var]:
        """A value that enters a tile: the further Vars that are tiles because of it."""
        if source in self.tiles:
            return []
        if source in self._params:
            self.loaded.add(source)
            return []
        if source not in self._flows.sources or source in self._flows.written:
            return []  # it stays in global memory and is loaded where it enters
        new = self._flows.reached([source]) - self.tiles
        self.tiles |= new
        return [var for var in new if var in self._flows.sources]


# -- matrix operands ---------------------------------------------------------------------------------------------------


def _in_mat(flows: TensorFlows) -> frozenset[Expr]:
    """The calls whose results reach an operand of a matrix product, through views and other names."""
    found: set[Expr] = set()
    waiting: list[Expr] = [arg for call in flows.calls for arg in call.args[OPERANDS.get(call.op.name, slice(0, 0))]]
    seen: set[Expr] = set()
    while waiting:
        value = waiting.pop()
        if value in seen or not isinstance(value, Var):
            continue
        seen.add(value)
        call = flows.definitions.get(value)
        if call is None:
            waiting += flows.sources.get(value, ()) if not isinstance(value, IterArg) else ()
        else:
            found.add(call)
            waiting += call.args[:1] if call.op.name in _VIEWS else ()
    return frozenset(found)


# -- outputs -----------------------------------------------------------------------------------------------------------


def _outputs(function: Function, flows: TensorFlows) -> dict[Var, int]:
    """Created tensors that are filled in a loop, never looked at, and returned once."""
    if len(collect(function.body, ReturnStmt)) != 1:
        return {}
    found: dict[Var, int] = {}
    for var, origin_vars in _origins(flows).items():
        positions = [position for name in origin_vars for position in flows.returned.get(name, ())]
        if len(positions) != 1 or not any(isinstance(name, IterArg) for name in origin_vars):
            continue
        wanted = function.return_types[positions[0]]
        if not any(name in flows.read for name in origin_vars) and _same_tensor(var, wanted):
            found[var] = positions[0]
    return found


def _origins(flows: TensorFlows) -> dict[Var, list[Var]]:
    """For each created tensor everything that is it, where nothing else flows to any of that."""
    creates = [var for var, call in flows.definitions.items() if call.op.name == "tensor.create"]
    origin: dict[Var, Var] = {}
    spoiled: set[Var] = set()
    for var in creates:
        if "init_value" not in flows.definitions[var].kwargs:
            _claim(flows, var, origin=origin, spoiled=spoiled)
    groups: dict[Var, list[Var]] = {}
    for var, own in origin.items():
        groups.setdefault(own, []).append(var)
        sources = flows.sources.get(var, ())
        if any(origin.get(cast(Var, source)) is not own for source in sources):
            spoiled.add(own)
    return {var: names for var, names in groups.items() if var not in spoiled}


def _claim(flows: TensorFlows, root: Var, *, origin: dict[Var, Var], spoiled: set[Var]) -> None:
    """Everything that a created tensor flows to is it, unless another one came first."""
    waiting = [root]
    while waiting:
        var = waiting.pop()
        if var in origin:
            if origin[var] is not root:
                spoiled |= {root, origin[var]}
            continue
        origin[var] = root
        waiting += flows.targets.get(var, ())


def _same_tensor(var: Var, wanted: object) -> bool:
    kind = var.type
    if not isinstance(kind, TensorType) or not isinstance(wanted, TensorType):
        return False
    return kind.dtype is wanted.dtype and same_value(kind.shape, wanted.shape)

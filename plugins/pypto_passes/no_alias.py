# SPDX-License-Identifier: Apache-2.0
"""Which operands must keep their buffer while a call writes its result: the result must not be placed on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pypto_build.analysis.statement_walk import assignments
from pypto_build.ir import (
    Call,
    Expr,
    Function,
    FunctionType,
    GlobalVar,
    ShapedType,
    SplitMode,
    TileType,
    Var,
)
from pypto_build.ops import OpRegistry
from pypto_build.ops.definition import CrossCoreRole, OpDef
from pypto_build.passes import HardwareDescription
from pypto_passes.tile_storage import shared_argument

_LOAD = "tile.load"
# a5 reads the slope and the source of a PReLU while it writes, but never the scratch tile that the call still names
_HELD_ON_A5 = {"tile.prelu": (0, 1)}


def held_arguments(
    function: Function, ops: OpRegistry, hardware: HardwareDescription
) -> Callable[[Call], Iterable[int]]:
    """For a call of the function, the positions of the arguments that its result must not overwrite (MO-23)."""
    hazard = _LoadPopHazard(function, ops) if _has_hazard(function, hardware) else None

    def held(call: Call) -> Iterable[int]:
        if isinstance(call.op, GlobalVar) or not ops.has(call.op.name):
            return ()
        found = _by_operation(call, ops.get(call.op.name), hardware)
        return (*found, *hazard.loads(call)) if hazard is not None else found

    return held


def _by_operation(call: Call, definition: OpDef, hardware: HardwareDescription) -> Iterable[int]:
    name = definition.name
    if name in _HELD_ON_A5 and hardware.arch == "a5":
        return _HELD_ON_A5[name]
    if definition.not_inplace_safe or (name == "tile.cast" and _widens(call)):
        return range(len(call.args))
    return [index for index in definition.forbid_output_alias if index < len(call.args)]


def _widens(call: Call) -> bool:
    """An element is written past the place where it is read, over elements that are still to be read."""
    source, result = call.args[0].type, call.type
    if not isinstance(source, ShapedType) or not isinstance(result, ShapedType):
        return False
    return result.dtype.get_bit() > source.dtype.get_bit()


# -- loads and pops ----------------------------------------------------------------------------------------------------


def _has_hazard(function: Function, hardware: HardwareDescription) -> bool:
    split = function.attrs.get("split", SplitMode.NONE)
    return hardware.load_pop_in_place_hazard and function.func_type is FunctionType.AIV and split != SplitMode.NONE


class _LoadPopHazard:
    """Of a call that also takes a tile from the other core, the operands that come from a load."""

    def __init__(self, function: Function, ops: OpRegistry) -> None:
        self._ops = ops
        self._loaded: set[Expr] = set()
        self._popped: set[Expr] = set()
        for stmt in assignments(function):
            self._classify(stmt.var, stmt.value)

    def loads(self, call: Call) -> Iterable[int]:
        if not any(arg in self._popped for arg in call.args):
            return ()
        return [index for index, arg in enumerate(call.args) if arg in self._loaded]

    def _classify(self, var: Var, value: Expr) -> None:
        if not isinstance(var.type, TileType):
            return
        source = value
        if isinstance(value, Call) and not isinstance(value.op, GlobalVar) and self._ops.has(value.op.name):
            definition = self._ops.get(value.op.name)
            shared = shared_argument(value, definition)
            if definition.name == _LOAD:
                self._loaded.add(var)
            if definition.cross_core_role is CrossCoreRole.TPOP:
                self._popped.add(var)
            source = value.args[shared] if shared is not None else value
        for kind in (self._loaded, self._popped):
            if source in kind:
                kind.add(var)

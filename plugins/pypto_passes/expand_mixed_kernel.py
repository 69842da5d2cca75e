# SPDX-License-Identifier: Apache-2.0
"""ExpandMixedKernel: a kernel becomes a cube (AIC) or a vector (AIV) kernel, or one of each with pipes between them.

A kernel that uses both cores is cut in two. What crosses becomes a push and a pop, each half keeps what its core
executes, and a group of the kernel's name starts both; a group that called the kernel starts the halves itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from pypto_build.analysis.core_affinity import core_affinity
from pypto_build.errors import UserError
from pypto_build.ir import (
    Call,
    Function,
    FunctionType,
    SplitAivScopeStmt,
    Stmt,
    Var,
    clone_fresh,
    collect,
    frozen_map,
    rebuilt,
)
from pypto_build.ops import OpRegistry
from pypto_build.ops.definition import CoreAffinity
from pypto_build.passes import Callees, FunctionPass, FunctionResult, IRProperty, PassContext
from pypto_passes.core_slices import core_slice
from pypto_passes.cross_core_transfers import PushBoxer, TransferExpander
from pypto_passes.insert_mx_scale_addr import PAIRS
from pypto_passes.kernel_groups import CUBE_HALF, VECTOR_HALF, HalfCaller, group_of
from pypto_passes.memory_fences import with_fences
from pypto_passes.pipe_setup import PipeSetup
from pypto_passes.slot_releases import with_releases
from pypto_passes.vector_lanes import is_divided

P = IRProperty
SPLIT: Final = "split"
"""What callers of a kernel learn: it has become two halves and their group."""


@dataclass(frozen=True, slots=True)
class ExpandMixedKernel(FunctionPass):
    """Turn InCore functions into AIC and AIV functions."""

    name: ClassVar[str] = "ExpandMixedKernel"
    requires: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SSAForm, P.IncoreTileOps, P.SplitIncoreOrch, P.TileMemoryInferred}
    )
    produces: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SSAForm, P.MixedKernelExpanded, P.HardSyncallOccupancyValid}
    )
    after: ClassVar[tuple[str, ...]] = ("InferTileMemorySpace",)
    reads: ClassVar[tuple[str, ...]] = ("hardware",)
    version: ClassVar[int] = 2

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function | FunctionResult:
        """An InCore function as a function of the core that can run it, or as two halves and their group.

        A group that calls such a kernel calls the halves; a vector function pushes boxes where the pipe wants them.

        Raises:
            UserError: a core needs what only the other one computes, or something crosses that no pipe can carry.
        """
        match function.func_type:
            case FunctionType.InCore:
                return self._expanded(function, context)
            case FunctionType.AIV:
                return _boxed(function, context)
            case FunctionType.Group:
                return HalfCaller(callees, SPLIT).visit(function)
            case _:
                return function

    def _expanded(self, function: Function, context: PassContext) -> Function | FunctionResult:
        crossing: Function = TransferExpander().visit(function)
        cores = _cores(crossing, context.ops)
        _check(function, crossing, cores)
        _check_chip(crossing, context)
        if not cores.keys() >= {CoreAffinity.CUBE, CoreAffinity.VECTOR}:
            return _single(crossing, FunctionType.AIC if CoreAffinity.CUBE in cores else FunctionType.AIV, context)
        halves = _halves(with_fences(crossing, context.ops), context)
        return FunctionResult((*halves, group_of(function, context.ops)), SPLIT)


def _cores(function: Function, ops: OpRegistry) -> dict[CoreAffinity, Call]:
    """The cores that a kernel uses, each with the first operation that it executes."""
    found: dict[CoreAffinity, Call] = {}
    for call in collect(function.body, Call):
        found.setdefault(core_affinity(call, ops), call)
    return found


def _check(function: Function, crossing: Function, cores: dict[CoreAffinity, Call]) -> None:
    """Refuse what this pass does not expand."""
    mixed = cores.get(CoreAffinity.MIXED)
    if mixed is not None:
        raise UserError(
            "CORE001",
            f"{mixed.op.name} of kernel '{function.name}' has tiles in memories of the cube core and the vector core",
            mixed.span,
            help="move the tiles to one core with pl.move first",
        )
    regions = collect(crossing.body, SplitAivScopeStmt)
    if regions and CoreAffinity.CUBE in cores:
        raise UserError(
            "CORE004",
            f"kernel '{function.name}' uses the cube core and has a pl.split_aiv region, which is still to be lowered",
            regions[0].span,
            help="write the product and the region as two kernels, or let the compiler divide the vector work",
        )


def _check_chip(function: Function, context: PassContext) -> None:
    """Refuse operations that no core of the chip executes."""
    chip = context.hardware
    for call in collect(function.body, Call) if not chip.narrow_floats_in_core else ():
        if call.op.name in PAIRS:
            text = (
                f"{call.op.name} is only supported by chips like Ascend950 (a5), but not by {chip.name} ({chip.arch})"
            )
            raise UserError("CORE006", text, call.span, help="multiply in FP16 or BF16")


def _single(function: Function, kind: FunctionType, context: PassContext) -> Function:
    """A kernel of one core; a way to divide it between the lanes of another core means nothing to it."""
    attrs = function.attrs
    if not attrs.get("split_aiv") and "split" in attrs:
        attrs = frozen_map({name: value for name, value in attrs.items() if name != "split"})
    made = rebuilt(function, {"func_type": kind, "level": None, "role": None, "attrs": attrs})
    return made if kind is FunctionType.AIC else _boxed(made, context)


def _boxed(function: Function, context: PassContext) -> Function:
    """A vector function that pushes boxes, where pipes do not go through global memory."""
    return function if context.hardware.pipe_through_global_memory else PushBoxer().visit(function)


def _halves(kernel: Function, context: PassContext) -> tuple[Function, Function]:
    """The cube half, which returns nothing, and the vector half with the kernel's results."""
    ops = context.ops
    cube = with_releases(core_slice(kernel, CoreAffinity.CUBE, ops), ops)
    vector = with_releases(core_slice(kernel, CoreAffinity.VECTOR, ops), ops)
    setup = PipeSetup.of(kernel.name, (cube, vector), kernel.attrs.get("slot_num"))
    if setup is not None:
        cube, vector = setup.on_cube(cube), setup.on_vector(vector)
    aic = _half(kernel, cube, FunctionType.AIC)
    changes = {"name": kernel.name + VECTOR_HALF, "body": vector, "func_type": FunctionType.AIV}
    aiv = rebuilt(kernel, {**changes, "level": None, "role": None})
    return aic, _boxed(aiv, context) if setup is None else _paired(aiv, context)


def _paired(aiv: Function, context: PassContext) -> Function:
    """A vector half at its end of a pipe: the pipe wants boxes, or, through global memory, both vector cores."""
    if is_divided(aiv) or not context.hardware.pipe_through_global_memory:
        return _boxed(aiv, context)
    return rebuilt(aiv, {"attrs": frozen_map({**aiv.attrs, "dual_aiv_dispatch": True})})


def _half(kernel: Function, body: Stmt, kind: FunctionType) -> Function:
    params: dict[Var, Var] = {param: rebuilt(param, {}) for param in kernel.params}
    own, _ = clone_fresh(body, params)
    changes = {"name": kernel.name + CUBE_HALF, "params": tuple(params.values()), "return_types": (), "body": own}
    return rebuilt(kernel, {**changes, "func_type": kind, "level": None, "role": None})

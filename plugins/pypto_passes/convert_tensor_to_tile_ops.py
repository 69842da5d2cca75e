# SPDX-License-Identifier: Apache-2.0
"""ConvertTensorToTileOps: a kernel written with tensors gets loads, tile operations and stores.

Parameters that are computed with are loaded at the entry; a result that ends as a tile is stored into an `Out`
parameter that the kernel gets for it, and every caller creates the tensor that it passes there. What a function writes
to is marked as its output, so that callers see the dependence.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.errors import Diagnostic
from pypto_build.ir import Call, Function, FunctionType, ParamDirection, Program, TensorType, Var, collect, rebuilt
from pypto_build.ops import OpRegistry
from pypto_build.passes import Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.fill_loops import without_fill_loops
from pypto_passes.kernel_outputs import with_outputs
from pypto_passes.staged_stores import with_staged_stores
from pypto_passes.store_channels import check_store_channels, mixed_stores
from pypto_passes.tensor_conversions import STAYING
from pypto_passes.tensor_kernels import converted_kernel
from pypto_passes.written_params import written_params

P = IRProperty


@dataclass(frozen=True, slots=True)
class ConvertTensorToTileOps(FunctionPass):
    """Make tile operations of the tensor operations of kernels, and pass the tensors that their results go to."""

    name: ClassVar[str] = "ConvertTensorToTileOps"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm, P.SplitIncoreOrch, P.NormalizedStmtStructure})
    produces: ClassVar[frozenset[IRProperty]] = frozenset(
        {P.SSAForm, P.IncoreTileOps, P.NormalizedStmtStructure, P.AivSplitValid}
    )
    invalidates: ClassVar[frozenset[IRProperty]] = frozenset({P.AivSplitValid})
    after: ClassVar[tuple[str, ...]] = ("OutlineIncoreScopes", "FlattenCallExpr")
    reads: ClassVar[tuple[str, ...]] = ("hardware",)

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """A kernel without tensor computations; a caller with the tensors that its kernels' results need.

        Raises:
            UserError: a tensor operation has no tile operation that does the same, or windows and single elements are
                stored to one parameter.
        """
        if function.func_type is FunctionType.InCore:
            prepared = _with_bulk_stores(function, context.ops)
            new = converted_kernel(prepared, context.ops, flat_gather=context.hardware.flat_gather)
            check_store_channels(new, context.ops)
        else:
            new = with_outputs(function, callees, context.ops)
        return _with_directions(new, callees, context)


def _with_bulk_stores(function: Function, ops: OpRegistry) -> Function:
    """The kernel with windows stored where it stores elements to a tensor that it also stores windows to."""
    flows, mixed = mixed_stores(function, ops)
    if not mixed:
        return function
    staged = with_staged_stores(function, ops, [param for param in function.params if param in mixed])
    return without_fill_loops(staged, ops, flows)


def _with_directions(function: Function, callees: Callees, context: PassContext) -> Function:
    """The function with the inputs that it writes to as outputs; what its signature already says stays."""
    given = function.param_directions
    if not any(map(_is_tensor_input, function.params, given)):
        return function
    directions = {name: callee.after.param_directions for name, callee in callees.items()}
    found = written_params(function, context.ops, directions=directions, returned=lambda _: None)
    new = tuple(inferred if says is ParamDirection.In else says for says, inferred in zip(given, found, strict=True))
    return function if new == given else rebuilt(function, {"param_directions": new})


def _is_tensor_input(param: Var, direction: ParamDirection) -> bool:
    return direction is ParamDirection.In and isinstance(param.type, TensorType)


# -- the property ------------------------------------------------------------------------------------------------------


def verify_incore_tile_ops(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """A kernel computes with tiles; of tensors it only reads and writes elements."""
    del context
    allowed = {*STAYING, "tensor.read", "tensor.write"}
    for function in program.functions.values():
        if function.func_type is not FunctionType.InCore:
            continue
        for call in collect(function.body, Call):
            if call.op.name.startswith("tensor.") and call.op.name not in allowed:
                text = f"{call.op.name} in kernel '{function.name}' works on tensors: it should be a tile operation"
                yield Diagnostic("error", "IncoreTileOps", text, call.span)

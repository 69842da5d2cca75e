# SPDX-License-Identifier: Apache-2.0
"""The machine-readable member beside a source: what a linker and a runner have to know."""

from __future__ import annotations

import json

from pypto_build.ir import Function, ParamDirection, ScalarType, TensorType, Var, as_int
from pypto_targets.orchestration.callees import CalleeTable, signature
from pypto_targets.orchestration.values import hint

RUNTIME = "tensormap_and_ringbuffer"
_DIRECTIONS = {ParamDirection.In: "in", ParamDirection.Out: "out", ParamDirection.InOut: "inout"}


def orchestration_description(function: Function, callees: CalleeTable, source: str) -> bytes:
    """The parameters of a function and the kernels that it launches, as JSON."""
    pairs = zip(function.params, function.param_directions, strict=True)
    kernels = sorted(callees.kernels.values(), key=lambda kernel: kernel.func_id)
    described = {
        "name": function.name,
        "source": source,
        "signature": signature(function),
        "params": [_param(param, direction) for param, direction in pairs],
        "returns": len(function.return_types),
        "runtime": RUNTIME,
        "kernels": [
            {
                "func_id": kernel.func_id,
                "name": kernel.function.name,
                "core_type": kernel.core_type,
                "source": kernel.source,
                "signature": kernel.signature,
            }
            for kernel in kernels
        ],
    }
    return (json.dumps(described, indent=1) + "\n").encode()


def _param(param: Var, direction: ParamDirection) -> dict[str, object]:
    kind = param.type
    described: dict[str, object] = {"name": hint(param), "direction": _DIRECTIONS[direction]}
    if isinstance(kind, TensorType):
        described["shape"] = [as_int(extent) if as_int(extent) is not None else str(extent) for extent in kind.shape]
        described["dtype"] = str(kind.dtype)
    elif isinstance(kind, ScalarType):
        described["shape"] = None
        described["dtype"] = str(kind.dtype)
    return described

# SPDX-License-Identifier: Apache-2.0
"""Kernels of PTO assembly with shorter types, and running one on arrays."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import dedent, indent
from typing import Any

import numpy as np
from pypto_simulators.pto_text.module import Kernel, Operation
from pypto_simulators.pto_text.reader import read_module
from pypto_simulators.pto_text.simulator import EmittedSimulator

from pypto_build.host import SimulationRequest, SimulationResult
from pypto_build.ir import (
    DataType,
    Function,
    FunctionType,
    ParamDirection,
    Program,
    ScalarType,
    SeqStmts,
    TensorType,
    Var,
    dims,
)
from pypto_build.ops import builtin_registry
from pypto_build.passes import ASCEND910B
from tests.simulators.running import DTYPES

_TILE = re.compile(
    r"\b(vec|mat|left|right|acc)(?: (col|nz|zn|zz))? (\w+)\[(\d+),(\d+)(?::([\d?]+),([\d?]+))?\](?: pad (\d))?"
)
_LAYOUTS = {
    "": ("row_major", "none_box", 512),
    "col": ("col_major", "none_box", 512),
    "nz": ("col_major", "row_major", 512),
    "zn": ("row_major", "col_major", 512),
    "zz": ("row_major", "row_major", 512),
}
_CONSTANT = re.compile(r"\$(-?\d+)(?!\w)")
OPS = builtin_registry()


def _tile(match: re.Match[str]) -> str:
    loc, layout, dtype, rows, columns, valid_rows, valid_columns, pad = match.groups()
    blayout, slayout, fractal = _LAYOUTS[layout or ""]
    fractal = 1024 if loc == "acc" else fractal
    valid = f"v_row={valid_rows or '?'}, v_col={valid_columns or '?'}"
    return (
        f"!pto.tile_buf<loc={loc}, dtype={dtype}, rows={rows}, cols={columns}, {valid}, "
        f"blayout={blayout}, slayout={slayout}, fractal={fractal}, pad={pad or 0}>"
    )


def text(body: str, params: str = "") -> str:
    """A module of one kernel `k`.

    `vec f32[16,8]` is the type of a tile (`vec col f32[16,1]` by columns, `mat nz ...` in boxes, `vec f32[16,8:3,4]`
    with a valid part, `pad 3` behind it), `$4` an index constant, `@256` an address, `P` a pointer to f32,
    `TILE(%t, 0, TYPE)` a tile at an address, all of it valid.
    """
    lines = dedent(body).strip()
    lines = re.sub(r"TILE\((%\w+), (\d+), ([^\n]*?\[(\d+),(\d+)[^\n]*?)\)(?=\n|$)", _allocation, lines)
    numbers = dict.fromkeys(_CONSTANT.findall(lines))
    addresses = dict.fromkeys(re.findall(r"@(\d+)", lines))
    lines = re.sub(r"@(\d+)", r"%at\1", _CONSTANT.sub(lambda m: f"%c{m[1].replace('-', 'n')}", lines))
    head = [f"%c{n.replace('-', 'n')} = arith.constant {n} : index" for n in numbers]
    head += [f"%at{n} = arith.constant {n} : i64" for n in addresses]
    written = _TILE.sub(_tile, "\n".join([*head, lines]))
    params = re.sub(r"\bP\b", "!pto.ptr<f32>", params)
    return (
        'module attributes {pto.target_arch = "a2a3"} {\n'
        f"  func.func @k({params}) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{\n"
        f"{indent(written, '    ')}\n    return\n  }}\n}}\n"
    )


def _allocation(match: re.Match[str]) -> str:
    name, address, kind, rows, columns = match.groups()
    return f"{name} = pto.alloc_tile addr = @{address} valid_row = ${rows} valid_col = ${columns} : {kind}"


def kernel(body: str, params: str = "") -> Kernel:
    """The kernel in typed form."""
    (found,) = read_module("k.pto", text(body, params)).kernels
    return found


def last(body: str, params: str = "") -> Operation:
    """The operation before the return."""
    return kernel(body, params).body.operations[-2]


def moved(way: str, tile: str, tensor: str, kind: str) -> str:
    """The lines that load a whole tensor into a tile, or store a tile as one; the type of the tile is short."""
    dtype, rows, columns = re.findall(r"(\w+)\[(\d+),(\d+)", kind)[0]
    extents = f"[${rows}, ${columns}]"
    part = f"!pto.partition_tensor_view<{rows}x{columns}x{dtype}>"
    view = f"!pto.tensor_view<?x?x{dtype}>"
    ends = (f"{tensor}_p : {part}", f"{tile} : {kind}")
    source, target = ends if way == "load" else reversed(ends)
    return (
        f"{tensor}_v = pto.make_tensor_view {tensor}, shape = {extents}, strides = [${columns}, $1] "
        f"{{layout = #pto.layout<nd>}} : {view}\n"
        f"{tensor}_p = pto.partition_view {tensor}_v, offsets = [$0, $0], sizes = {extents} : {view} -> {part}\n"
        f"pto.t{way} ins({source}) outs({target})\n"
    )


def run(body: str, params: str = "", **inputs: Any) -> SimulationResult:
    """Run a kernel; arrays are tensors, which it may write, numbers are scalars (INT32 if whole)."""
    return simulated(text(body, params), inputs)


def simulated(written: str, inputs: Mapping[str, Any]) -> SimulationResult:
    """Run the kernel `k` of a module."""
    params = tuple(Var(name, _type(value)) for name, value in inputs.items())
    tensors = (isinstance(value, np.ndarray) for value in inputs.values())
    ways = tuple(ParamDirection.InOut if tensor else ParamDirection.In for tensor in tensors)
    function = Function("k", params, ways, (), SeqStmts(()), func_type=FunctionType.InCore)
    members = {"kernels/k.pto": written.encode()}
    request = SimulationRequest(Program((function,)), "k", inputs, ASCEND910B, OPS, members)
    return EmittedSimulator(max_iterations=1000).simulate(request)


def _type(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return TensorType(dims(value.shape), DTYPES[value.dtype])
    return ScalarType(DataType.FP32 if isinstance(value, float) else DataType.INT32)

# SPDX-License-Identifier: Apache-2.0
"""Kernels of a few lines, and the lines of PTO assembly that they become."""

from __future__ import annotations

import re
from textwrap import dedent, indent

from pypto_passes.allocate_memory_addr import AllocateMemoryAddr
from pypto_passes.infer_tile_memory_space import InferTileMemorySpace
from pypto_passes.init_mem_ref import InitMemRef
from pypto_passes.materialize_semantic_aliases import MaterializeSemanticAliases
from pypto_passes.memory_reuse import MemoryReuse
from pypto_targets.pto.module import kernel_module

from pypto_build.dsl.text import parse_program
from pypto_build.host import TargetContext
from pypto_build.ir import Program
from pypto_build.ops import builtin_registry
from pypto_build.passes import ASCEND910B, ASCEND950, HardwareDescription, PassContext, apply_pass

ARCHITECTURES = ("a2a3", "a5")
_HARDWARE: dict[str, HardwareDescription] = dict(zip(ARCHITECTURES, (ASCEND910B, ASCEND950), strict=True))
_SHARED = (InferTileMemorySpace(), InitMemRef(), MaterializeSemanticAliases())
_PASSES = {"pypto": (*_SHARED, MemoryReuse(), AllocateMemoryAddr()), "ptoas": _SHARED}
_BUFFER = re.compile(
    r"!pto\.tile_buf<loc=(\w+), dtype=(!?[\w.]+), rows=(\d+), cols=(\d+), v_row=(\?|\d+), v_col=(\?|\d+)[^>]*>"
)
_OTHER = re.compile(r"!pto\.(partition_)?tensor_view<([\w?]+)>")
_LETTERS = {"vec": "", "mat": "mat ", "left": "left ", "right": "right ", "acc": "acc ", "bias": "bias "}
_DECLARATION = re.compile(
    r"%\w+ = (arith\.constant -?\d|builtin\.unrealized|pto\.alloc_tile)"
    r"|%\w+_view = pto\.make|module|func\.func|return|\}"
)
X = "x: pl.Tensor[[16, 16], pl.FP32]"
OUT = "out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]"


def program(body: str, *, params: str = f"{X}, {OUT}", kind: str = "InCore") -> Program:
    """A program of one kernel with these statements."""
    head = f"    @pl.function(type=pl.FunctionType.{kind})\n    def main(self, {params}):\n"
    return parse_program("@pl.program\nclass P:\n" + head + indent(dedent(body).strip(), "        ") + "\n")


def module(written: Program, arch: str = "a2a3", *, planner: str = "pypto") -> str:
    """The module of a program after the passes that place its tiles, or leave them to the assembler."""
    hardware = _HARDWARE[arch]
    context = PassContext(hardware_description=hardware, planner=planner)
    for pass_ in _PASSES[planner]:
        written = apply_pass(pass_, written, context)
    functions = tuple(written.functions.values())
    text, _ = kernel_module(functions, TargetContext(hardware, builtin_registry(), "none", planner))
    return text


def lines(written: Program, arch: str = "a2a3", *, planner: str = "pypto") -> list[str]:
    """The lines of the module with shorter types.

    A buffer is its memory (none: vec), element type and extents, valid ones behind a colon where the type has them:
    `f32[16,16]`, `acc f32[16,16:8,16]`. A partition is `<16x16xf32>`, a view `view<?x?xf32>`.
    """
    text = _BUFFER.sub(_buffer, module(written, arch, planner=planner))
    return [line.strip() for line in _OTHER.sub(_view, text).splitlines()]


def _buffer(match: re.Match[str]) -> str:
    space, dtype, rows, columns, row, column = match.groups()
    valid = "" if (row, column) == ("?", "?") else f":{row},{column}"
    return f"{_LETTERS.get(space, f'{space} ')}{dtype.removeprefix('!pto.')}[{rows},{columns}{valid}]"


def _view(match: re.Match[str]) -> str:
    return f"<{match[2]}>" if match[1] else f"view<{match[2]}>"


def instructions(written: Program, arch: str = "a2a3", *, planner: str = "pypto") -> list[str]:
    """The lines of the module without constants, views of parameters, allocations and braces."""
    return [line for line in lines(written, arch, planner=planner) if not _DECLARATION.match(line)]


def last(written: Program, arch: str = "a2a3", *, planner: str = "pypto") -> str:
    """The last of its instructions."""
    return instructions(written, arch, planner=planner)[-1]

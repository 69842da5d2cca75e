# SPDX-License-Identifier: Apache-2.0
"""Kernels of a few lines, and where their tiles are afterwards: which share an allocation, and what is moved."""

from __future__ import annotations

from textwrap import dedent, indent

from pypto_passes.address_layout import allocations
from pypto_passes.allocate_memory_addr import AllocateMemoryAddr
from pypto_passes.init_mem_ref import InitMemRef
from pypto_passes.materialize_semantic_aliases import MaterializeSemanticAliases
from pypto_passes.memory_reuse import MemoryReuse

from pypto_build.analysis.statement_walk import assignments, statement_vars
from pypto_build.dsl.text import parse_program
from pypto_build.ir import Call, Function, MemRef, Program, TileType, as_int
from pypto_build.passes import ASCEND910B, HardwareDescription, Pass, PassContext, apply_pass

TO_REUSE = (InitMemRef(), MaterializeSemanticAliases(), MemoryReuse())
TO_ADDRESSES = (*TO_REUSE, AllocateMemoryAddr())
PARAMETERS = "x: pl.Tensor[[16, 16], pl.FP32], c: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[16, 16], pl.FP32]]"
SHORT = {
    "Vec16": "pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]",
    "Acc16": "pl.Tile[[16, 16], pl.FP32, pl.Mem.Acc]",
    "Mat16": "pl.Tile[[16, 16], pl.FP32, pl.Mem.Mat]",
    "Right16": "pl.Tile[[16, 16], pl.FP32, pl.Mem.Right]",
    "LOAD": "pl.tile.load(x, [0, 0], [16, 16])",
    "CREATE": "pl.tile.create([16, 16], dtype=pl.FP32, target_memory=pl.Mem.Vec)",
}
"""Words that stand for longer text in kernels: tiles of 1024 bytes, a load of one, a tile without content."""


def kernel(body: str, kind: str = "pl.FunctionType.InCore", params: str = PARAMETERS) -> Program:
    """A kernel with these statements; `STORE(t)` stores a tile and returns."""
    text = dedent(body).strip()
    for word, meaning in SHORT.items():
        text = text.replace(word, meaning)
    lines = []
    for line in text.splitlines():
        name = line.strip().removeprefix("STORE(").removesuffix(")")
        if not line.strip().startswith("STORE("):
            lines.append(line)
            continue
        lines.append(f"r: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store({name}, [0, 0], out)\nreturn r")
    inner = indent("\n".join(lines), "        ")
    head = f"    @pl.function(type={kind})\n    def main(self, {params}) -> pl.Tensor[[16, 16], pl.FP32]:\n"
    return parse_program(f"@pl.program\nclass P:\n{head}{inner}\n")


def after(
    passes: tuple[Pass, ...], program: Program, hardware: HardwareDescription = ASCEND910B, planner: str = "pypto"
) -> Program:
    """The program after some passes; what it says when it is printed and read again is the same."""
    context = PassContext(hardware_description=hardware, planner=planner)
    for pass_ in passes:
        program = apply_pass(pass_, program, context)
        assert apply_pass(pass_, program, context) is program, f"{pass_.name} changes its own result"
        assert str(parse_program(str(program))) == str(program)
    return program


def reused(body: str, hardware: HardwareDescription = ASCEND910B) -> Program:
    """A kernel after MemoryReuse."""
    return after(TO_REUSE, kernel(body), hardware)


def function_of(program: Program) -> Function:
    """The only function."""
    (function,) = program.functions.values()
    return function


def references(program: Program) -> dict[str, MemRef | None]:
    """The memory reference of every tile by name."""
    found = (var for var in statement_vars(function_of(program)) if isinstance(var.type, TileType))
    return {var.name_hint: var.type.memref for var in found}


def sharing(program: Program) -> str:
    """The tiles of each allocation, in the order of the allocations: `a c / b`; offsets that are not 0 behind `@`."""
    groups: dict[str, list[str]] = {base.name_hint: [] for base, _, _ in allocations(function_of(program))}
    for name, ref in references(program).items():
        if ref is not None:
            offset = as_int(ref.byte_offset)
            groups.setdefault(ref.base.name_hint, []).append(name if offset == 0 else f"{name}@{offset}")
    return " / ".join(" ".join(names) for names in groups.values())


def sizes(program: Program) -> list[int]:
    """The bytes of each allocation."""
    return [size for _, _, size in allocations(function_of(program))]


def moves(program: Program) -> list[str]:
    """Every move: `target <- source`."""
    found = ((stmt.var, stmt.value) for stmt in assignments(function_of(program)))
    return [
        f"{var.name_hint} <- {value.args[0]}"
        for var, value in found
        if isinstance(value, Call) and value.op.name == "tile.move"
    ]

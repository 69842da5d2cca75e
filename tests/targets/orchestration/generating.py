# SPDX-License-Identifier: Apache-2.0
"""Orchestration sources of small programs: written, checked by the C++ compiler, and cut down to the body."""

from __future__ import annotations

import importlib
import json
import textwrap
from typing import Any, cast

from pypto_passes import plugin
from pypto_passes.auto_derive_task_dependencies import AutoDeriveTaskDependencies
from pypto_targets.orchestration.target import OrchestrationTarget

from pypto_build.dsl.text import parse
from pypto_build.host import FunctionOutline, Member, TargetContext
from pypto_build.host.contracts import LocationMode
from pypto_build.ir import Call, GlobalVar, Program, Submit, collect
from pypto_build.ops import builtin_registry
from pypto_build.passes import ASCEND910B, HardwareDescription, Pass, apply_pass
from tests.taskruntime.building import check_syntax

FIRST = ("convert_to_ssa", "normalize_stmt_structure", "flatten_call_expr", "normalize_return_order")
LAST = ("materialize_runtime_scopes", "classify_iter_arg_carry")
PASSES = (*FIRST, "derive_call_directions", *LAST)
T = "pl.Tensor[[16, 16], pl.FP32]"
KERNELS = f"""
    @pl.function(type=pl.FunctionType.AIV)
    def copy(self, x: {T}, out: pl.Out[{T}]) -> {T}:
        return pl.store(pl.load(x, [0, 0], [16, 16]), [0, 0], out)

    @pl.function(type=pl.FunctionType.AIV)
    def grow(self, x: {T}, total: pl.InOut[{T}]) -> {T}:
        return pl.store(pl.load(total, [0, 0], [16, 16]), [0, 0], total)

    @pl.function(type=pl.FunctionType.AIV)
    def scale(self, x: {T}, by: pl.Scalar[pl.FP32], out: pl.Out[{T}]) -> {T}:
        return pl.store(pl.mul(pl.load(x, [0, 0], [16, 16]), by), [0, 0], out)

    @pl.function(type=pl.FunctionType.AIV)
    def pair(self, x: {T}, first: pl.Out[{T}], second: pl.Out[{T}]) -> tuple[{T}, {T}]:
        t = pl.load(x, [0, 0], [16, 16])
        first = pl.store(t, [0, 0], first)
        second = pl.store(t, [0, 0], second)
        return first, second

    @pl.function(type=pl.FunctionType.AIC)
    def product(self, x: {T}, out: pl.Out[{T}]) -> {T}:
        left = pl.load(x, [0, 0], [16, 16], target_memory=pl.MemorySpace.Mat)
        return out

    @pl.function(type=pl.FunctionType.Group)
    def both(self, x: {T}, out: pl.Out[{T}]) -> {T}:
        out = self.product(x, out)
        out = self.copy(x, out)
        return out
"""


PARAMS = f"x: {T}, out: pl.Out[{T}]"


def parsed(
    main: str, *, params: str = PARAMS, result: str = T, kernels: str = KERNELS, auto_scope: bool = True
) -> Program:
    """A program of the kernels and one orchestration function."""
    body = textwrap.indent(textwrap.dedent(main).strip(), "        ")
    scopes = "" if auto_scope else ", auto_scope=False"
    head = f"    @pl.function(type=pl.FunctionType.Orchestration{scopes})\n    def main(self, {params}) -> {result}:\n"
    return cast(Program, parse(f"import pypto.language as pl\n\n@pl.program\nclass P:{kernels}\n{head}{body}"))


def program(main: str, **options: Any) -> Program:
    """A program of the kernels and one orchestration function, ready for the target."""
    return finished(parsed(main, **options))


def finished(made: Program) -> Program:
    """A program ready for the target."""
    for name in PASSES:
        made = apply_pass(_pass(name), made)
    return made


def derived(main: str, **options: Any) -> Program:
    """A program ready for the target whose tasks name what they wait for."""
    made = parsed(main, **options)
    for name in (*FIRST, "derive_call_directions"):
        made = apply_pass(_pass(name), made)
    made = apply_pass(AutoDeriveTaskDependencies(analyze_auto_scopes=True), made)
    for name in ("expand_manual_phase_fence", *LAST):
        made = apply_pass(_pass(name), made)
    return made


def _pass(name: str) -> Pass:
    module, attribute = plugin.pypto_register_passes()[name].split(":")
    return cast(Pass, getattr(importlib.import_module(module), attribute)())


def outlines(made: Program) -> dict[str, FunctionOutline]:
    """What a target is told of functions before they are loaded."""
    found: dict[str, FunctionOutline] = {}
    for function in made.functions.values():
        calls = [call.op.name for call in collect(function.body, Call, Submit) if isinstance(call.op, GlobalVar)]
        found[function.name] = FunctionOutline(function.name, function.func_type, tuple(dict.fromkeys(calls)))
    return found


def members(
    made: Program, *, hardware: HardwareDescription = ASCEND910B, locations: LocationMode = "map"
) -> dict[str, Member]:
    """What the target writes, by path; each unit sees its own functions only."""
    target, context = OrchestrationTarget(), TargetContext(hardware, builtin_registry(), locations)
    written: list[Member] = []
    for unit in target.units(outlines(made)):
        functions = [function for function in made.functions.values() if function.name in unit.functions]
        written += target.emit(unit, Program(tuple(functions), made.name), context)  # type: ignore[arg-type]  # any iterable
    return {member.path: member for member in written}


def source(main: str | Program, *, hardware: HardwareDescription = ASCEND910B, **options: Any) -> str:
    """The source of an orchestration function, accepted by the C++ compiler."""
    made = program(main, **options) if isinstance(main, str) else main
    text = members(made, hardware=hardware)["orchestration/main.cpp"].data.decode()
    check_syntax(text)
    return text


def body(main: str | Program, **options: Any) -> str:
    """What stands between the parameters and the end of the entry function."""
    text = source(main, **options)
    entry = text[text.index("aicpu_orchestration_entry(") :]
    inside = entry[entry.index("\n\n") + 2 : entry.index('\n}\n\n}  // extern "C"')]
    return textwrap.dedent(inside)


def description(main: str, **options: Any) -> dict[str, Any]:
    """The description beside the source."""
    return cast("dict[str, Any]", json.loads(members(program(main, **options))["orchestration/main.json"].data))


def text(lines: str) -> str:
    """An expected text as it is written in a test."""
    return textwrap.dedent(lines).strip("\n")

# SPDX-License-Identifier: Apache-2.0
"""Code generation by the names of the public interface: a target asked for the text of one function."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, cast

from pypto_build.compat.pass_context import own_context
from pypto_build.compat.providers import host, verifiers
from pypto_build.compat.public_errors import Error, translated
from pypto_build.errors import InternalError
from pypto_build.host import FunctionOutline, Kind, Target, TargetContext, Unit
from pypto_build.ir import Call, CoreType, Function, FunctionType, GlobalVar, Program, Submit, collect
from pypto_build.passes import IRProperty, VerificationError, errors_of, report

_NOT_CHECKED = frozenset({IRProperty.CallDirectionsResolved})  # programs made by hand may say otherwise
_KERNELS = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)
_CORES = {"aic": CoreType.CUBE, "aiv": CoreType.VECTOR}


@dataclass(frozen=True, slots=True)
class OrchestrationResult:
    """The C++ of an orchestration function, and what it says about its kernels."""

    code: str
    func_name_to_id: dict[str, int] = field(default_factory=dict[str, int])
    func_name_to_core_type: dict[str, CoreType] = field(default_factory=dict[str, CoreType])
    func_name_to_signature: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    orchestration_signature: list[str] = field(default_factory=list[str])


class PTOCodegen:
    """PTO assembly of the kernels of a program."""

    def generate(self, program: Program, emit_tile_addr: bool = True, emit_source_loc: bool = True) -> str:
        """The assembly, all kernels in one module; without addresses the assembler places the tiles."""
        kernels = [function for function in program.functions.values() if function.func_type in _KERNELS]
        if not kernels:
            raise ValueError("PTO assembly is made of InCore-variant functions, and the program has none")
        with translated():
            target = loaded_target("pto")
            part = Program(tuple(kernels), program.name)  # type: ignore[arg-type]  # any iterable of functions
            context = TargetContext(
                own_context().hardware,
                own_context().ops,
                "inline" if emit_source_loc else "none",
                "pypto" if emit_tile_addr else "ptoas",
            )
            unit = Unit(program.name, tuple(function.name for function in kernels))
            (member,) = target.emit(unit, part, context)
        return member.data.decode()


def generate_orchestration(program: Program, func: Function) -> OrchestrationResult:
    """The C++ of one orchestration function of a program."""
    own = program.get_function(func.name)
    if own is None:
        raise ValueError(f"function {func.name!r} is not present in the supplied program")
    if own is not func:
        raise Error(f"stale function handle: {func.name!r} of this program is another function by now")
    with translated():
        target = loaded_target("orchestration")
        _check(target, program)
        unit = next((u for u in target.units(_outlines(program)) if u.name == func.name), None)
        if unit is None:
            raise InternalError(f"{func.name} is no orchestration function of {program.name}", func.span)
        functions = [program.get_function(name) for name in unit.functions]
        part = Program(tuple(f for f in functions if f is not None), program.name)  # type: ignore[arg-type]  # any iterable
        context = TargetContext(own_context().hardware, own_context().ops, "none")
        members = {member.path: member.data for member in target.emit(unit, part, context)}
    described = json.loads(members[f"orchestration/{func.name}.json"])
    return _result(members[f"orchestration/{func.name}.cpp"].decode(), described)


def _result(code: str, described: dict[str, Any]) -> OrchestrationResult:
    kernels: list[dict[str, Any]] = described["kernels"]
    return OrchestrationResult(
        code,
        {kernel["name"]: kernel["func_id"] for kernel in kernels},
        {kernel["name"]: _CORES[kernel["core_type"]] for kernel in kernels if kernel["core_type"] in _CORES},
        {kernel["name"]: list(kernel["signature"]) for kernel in kernels},
        list(described["signature"]),
    )


def loaded_target(name: str) -> Target:
    """A target by its name."""
    return cast("type[Target]", host().load(host().find(Kind.TARGET, name)))()


def _check(target: Target, program: Program) -> None:
    """Refuse a program that lacks what the target requires."""
    found = errors_of(verifiers().verify(target.requires - _NOT_CHECKED, program, own_context()))
    if found:
        names = ", ".join(sorted({diagnostic.rule for diagnostic in found}))
        raise VerificationError(f"the program lacks what {target.name} requires: {names}\n{report(found)}", found)


def _outlines(program: Program) -> dict[str, FunctionOutline]:
    outlines: dict[str, FunctionOutline] = {}
    for function in program.functions.values():
        calls = [call.op.name for call in collect(function.body, Call, Submit) if isinstance(call.op, GlobalVar)]
        outlines[function.name] = FunctionOutline(function.name, function.func_type, tuple(dict.fromkeys(calls)))
    return outlines

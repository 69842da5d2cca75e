# SPDX-License-Identifier: Apache-2.0
"""Kernels on tensors and their callers, run in the simulator before and after a pass: the answers must be the same."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent, indent
from typing import Any

import numpy as np
from pypto_simulators.functional.numbers import numpy_type

from pypto_build.ir import Call, ParamDirection, Program, TensorType, as_int, collect
from pypto_build.passes import ASCEND910B, HardwareDescription, Pass, PassContext, apply_pass
from tests.passes import programs
from tests.simulators.running import simulate


def kernel_and_caller(params: str, text: str, result: str, extra: str = "") -> Program:
    """A kernel of some statements, and a caller with the same parameters that returns what the kernel returns."""
    body = indent(dedent(text).strip("\n"), "    ")
    names = ", ".join(part.split(":")[0].strip() for part in _split(params))
    kernel = f"@pl.function(type=pl.FunctionType.InCore)\ndef kernel(self, {params}) -> {result}:\n{body}"
    call = f"    r = self.kernel({names})\n    return r"
    caller = f"@pl.function(type=pl.FunctionType.Orchestration)\ndef main(self, {params}) -> {result}:\n{call}"
    return programs.program(kernel, caller, *([extra] if extra else []))


def _split(params: str) -> list[str]:
    """Parameters apart: a comma inside brackets separates none."""
    parts: list[str] = []
    depth, start = 0, 0
    for at, char in enumerate(params):
        depth += (char in "[(") - (char in "])")
        if char == "," and not depth:
            parts.append(params[start:at])
            start = at + 1
    return [*parts, params[start:]]


def inputs_of(program: Program, given: Mapping[str, Any], entry: str = "main") -> dict[str, Any]:
    """Arrays for the inputs of the entry: those given, numbers from a fixed sequence for the others."""
    random = np.random.default_rng(1)
    made = dict(given)
    function = programs.method(program, entry)
    for param, direction in zip(function.params, function.param_directions, strict=True):
        kind = param.type
        if param.name_hint in made or direction is ParamDirection.Out or not isinstance(kind, TensorType):
            continue
        shape = [as_int(dim) or 0 for dim in kind.shape]
        made[param.name_hint] = random.integers(1, 9, shape).astype(numpy_type(kind.dtype))
    return made


def assert_same_answers(
    pass_: Pass, program: Program, *, hardware: HardwareDescription = ASCEND910B, **given: Any
) -> Program:
    """The program after a pass; everything that it writes or returns is what it was, and the text reads the same."""
    inputs = inputs_of(program, given)
    made = apply_pass(pass_, program, PassContext(hardware_description=hardware))
    before, after = (_answers(one, inputs, hardware) for one in (program, made))
    compared = before.keys() | (after.keys() & {*inputs})
    for name in compared:
        values: list[Any] = [answers.get(name, inputs.get(name)) for answers in (before, after)]
        np.testing.assert_allclose(*values, rtol=1e-5, err_msg=name)
    assert compared, "nothing to compare"
    return made


def _answers(program: Program, inputs: Mapping[str, Any], hardware: HardwareDescription) -> dict[str, Any]:
    """What a program writes to its inputs, by name, and what it returns, by position."""
    result = simulate(program, inputs, hardware=hardware)
    values: dict[str, Any] = {**inputs, **result.outputs}
    returned: Any = result.report.get("returned", ())
    written = {name: value for name, value in result.outputs.items() if name in inputs}
    return written | {f"result {index}": values[name] for index, name in enumerate(returned)}


def operations(program: Program, function: str = "kernel") -> list[str]:
    """The operations of a function, in order."""
    return [call.op.name for call in collect(programs.method(program, function), Call)]

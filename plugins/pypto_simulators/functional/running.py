# SPDX-License-Identifier: Apache-2.0
"""Running the entry function of a program on named arrays: inputs become parameters, written parameters outputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from pypto_build.errors import Span
from pypto_build.host import SimulationRequest, SimulationResult
from pypto_build.ir import Function, ParamDirection, ScalarType, TensorType, TileType, Var
from pypto_simulators.functional.errors import MISSING_INPUT, WRONG_SHAPE, WRONG_VALUE, fail
from pypto_simulators.functional.frame import Frame, Launch
from pypto_simulators.functional.launching import on_block
from pypto_simulators.functional.machine import Machine
from pypto_simulators.functional.memory import memory_report
from pypto_simulators.functional.numbers import Array, convert, unwritten
from pypto_simulators.functional.semantics.references import semantics_with
from pypto_simulators.functional.values import Block, Value, results_of

_VERSION: Final = re.compile(r"__[a-z]+_v\d+$")  # what passes append to a name, as in `x__ssa_v0`


def run(request: SimulationRequest, *, max_iterations: int, addressed: bool | None) -> SimulationResult:
    """Run the entry function; `addressed` says whether offsets are addresses, None to see it from the program."""
    machine = Machine(
        request.program,
        request.ops,
        hardware=request.hardware,
        semantics=semantics_with(request.ops),
        max_iterations=max_iterations,
        addressed=addressed,
    )
    return run_on(machine, request)


def run_on(machine: Machine, request: SimulationRequest) -> SimulationResult:
    """Run the entry function of a request on a machine that was made for its program."""
    function = machine.function(request.entry, Span.unknown())
    args = _arguments(machine, function, request.inputs)
    before = [arg.data.copy() if isinstance(arg, Block) else arg for arg in args]
    result = on_block(machine, function, args=args, launch=Launch(), span=function.span)
    outputs, returned = _outputs(function, args, before=before, result=result)
    return SimulationResult(outputs, _report(machine, returned))


def _report(machine: Machine, returned: list[str]) -> dict[str, object]:
    return {
        "returned": returned,
        "operations": sum(machine.operations.values()),
        "operations_by_name": dict(sorted(machine.operations.items())),
        "bytes_read_from_global_memory": machine.moved["read"],
        "bytes_written_to_global_memory": machine.moved["written"],
        "peak_bytes": memory_report(machine.peaks),
    }


def public_name(var: Var) -> str:
    """The name that the user gave a parameter."""
    return _plain(var.name_hint)


def _plain(name: str) -> str:
    return _VERSION.sub("", name)


def _arguments(machine: Machine, function: Function, inputs: Mapping[str, Any]) -> list[Value]:
    names = [_input_name(param, inputs) for param in function.params]
    unknown = set(inputs) - set(names)
    if unknown:
        known = ", ".join(map(public_name, function.params)) or "none"
        message = f"{function.name} has no parameter {sorted(unknown)[0]!r}"
        raise fail(MISSING_INPUT, message, function.span, help=f"parameters: {known}")
    frame = Frame(machine, function, Launch())
    given = [
        _given(param, inputs[name], function) if name in inputs else None
        for param, name in zip(function.params, names, strict=True)
    ]
    for param, value in zip(function.params, given, strict=True):
        _learn_extents(frame, param, value)
    return [
        value if value is not None else _missing(frame, param, way)
        for param, value, way in zip(function.params, given, function.param_directions, strict=True)
    ]


def _input_name(param: Var, inputs: Mapping[str, Any]) -> str:
    """The name under which a parameter is given; either side may have a version."""
    if param.name_hint in inputs:
        return param.name_hint
    wanted = public_name(param)
    return next((name for name in inputs if _plain(name) == wanted), wanted)


def _given(param: Var, value: Any, function: Function) -> Value:
    kind = param.type
    if isinstance(kind, ScalarType):
        if np.ndim(value):
            raise fail(WRONG_VALUE, f"{public_name(param)} is a scalar, but is given an array", function.span)
        return np.asarray(value).item()
    if not isinstance(kind, TensorType | TileType):
        raise fail(WRONG_VALUE, f"{public_name(param)} cannot be given from outside: it is a {kind}", function.span)
    array = np.array(value)  # a copy: the caller's arrays stay as they are
    if array.ndim != len(kind.shape):
        ranks = f"{len(kind.shape)} dimensions, but is given {list(array.shape)}"
        raise fail(WRONG_SHAPE, f"{public_name(param)} has {ranks}", function.span)
    return Block(np.ascontiguousarray(convert(array, kind.dtype)), kind.dtype)


def _learn_extents(frame: Frame, param: Var, value: Value) -> None:
    if not isinstance(param.type, TensorType | TileType):
        if value is not None:
            frame.values[param] = value
    elif isinstance(value, Block):
        for dim, extent in zip(param.type.shape, value.shape, strict=True):
            if isinstance(dim, Var):
                frame.values.setdefault(dim, extent)


def _missing(frame: Frame, param: Var, way: ParamDirection) -> Value:
    """An Out parameter that was not given: made of its shape, never written."""
    kind = param.type
    name, span = public_name(param), frame.function.span
    if way is not ParamDirection.Out or not isinstance(kind, TensorType):
        raise fail(MISSING_INPUT, f"no value is given for parameter {name!r} of {frame.function.name}", span)
    shape = frame.known_shape_of(kind)
    if shape is None:
        raise fail(MISSING_INPUT, f"the shape of parameter {name!r} depends on extents that no input has", span)
    return Block(unwritten(shape, kind.dtype), kind.dtype)


def _outputs(
    function: Function, args: list[Value], *, before: list[Value], result: Value
) -> tuple[dict[str, Array], list[str]]:
    """The parameters that were written and what was returned that is no parameter; and the names of the results.

    A result that is no array and no number has no name.
    """
    outputs: dict[str, Array] = {}
    params: dict[int, str] = {}
    for param, way, arg, old in zip(function.params, function.param_directions, args, before, strict=True):
        if not isinstance(arg, Block):
            continue
        params[id(arg.data)] = public_name(param)
        if way is not ParamDirection.In or arg.data.tobytes() != old.tobytes():
            outputs[public_name(param)] = arg.data
    results = results_of(result)
    names: list[str] = []
    for i, value in enumerate(results):
        own = params.get(id(value.data)) if isinstance(value, Block) and value.whole else None
        named = isinstance(value, Block | int | float)
        names.append(own or ("" if not named else "result" if len(results) == 1 else f"result{i}"))
        if isinstance(value, Block):
            outputs.setdefault(names[-1], value.known())
        elif isinstance(value, int | float):
            outputs[names[-1]] = np.asarray(value)
    return outputs, names

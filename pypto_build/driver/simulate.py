# SPDX-License-Identifier: Apache-2.0
"""Running an object in a simulator and comparing it with its golden file."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from pypto_build.driver.archive import FINAL_IR, read_manifest, read_object
from pypto_build.driver.golden import Comparison, Golden, compare, load_golden
from pypto_build.driver.publish import write_if_changed
from pypto_build.driver.request import SimulateRequest, SimulateResult
from pypto_build.driver.toolchain import Toolchain, toolchain
from pypto_build.errors import EXIT_USER_ERROR, UserError
from pypto_build.host import Report, SimulationRequest, SimulationResult, attributed
from pypto_build.host.isolated import IsolatedSimulator
from pypto_build.host.isolation import Limit
from pypto_build.ir import Function, FunctionType, Program, decode
from pypto_build.passes.hardware import hardware_by_name

_STANDARD = (
    "{schema: 1, name: simulate, hardware: ascend910b, passes: [normalize_stmt_structure], simulator: functional}"
)
"""What runs an object when neither a pipeline nor a simulator is named; its pass and hardware are not used."""


def simulate_object(request: SimulateRequest) -> SimulateResult:
    """Simulate an object; the report is written only when every output is within tolerance.

    Raises:
        UserError: the object or golden file cannot be read, or the program cannot be run on these inputs.
    """
    import numpy as np

    members = read_object(request.object, code="SIM002")
    manifest = read_manifest(members)
    program = final_program(members)
    golden = load_golden(request.golden)
    inputs = dict(golden.inputs(np.random.default_rng(request.seed)))
    expected = golden.expected(inputs)
    tools = toolchain(request.pipeline or _STANDARD, host=request.host)
    hardware = manifest["pipeline"]["hardware"]
    result = run_program(
        program,
        inputs,
        tools,
        simulator=request.simulator,
        hardware=hardware,
        members=members,
        isolate=request.isolate,
        reproduce=lambda: _command(request),
    )
    simulator = request.simulator or tools.simulator_name
    comparisons = compare(golden, expected, result.outputs)
    worst = max((c.max_error for c in comparisons), default=0.0)
    wrong = tuple(c for c in comparisons if not c.ok)
    if wrong:
        return SimulateResult(EXIT_USER_ERROR, error=_complaint(request, golden, wrong), max_error=worst)
    report = _report(request, golden, comparisons, result, simulator=simulator)
    write_if_changed(request.report, (json.dumps(report, indent=1, sort_keys=True) + "\n").encode())
    tools.host.notify(Report("simulate", report))
    return SimulateResult(0, max_error=worst)


def run_program(
    program: Program,
    inputs: dict[str, Any],
    tools: Toolchain,
    *,
    simulator: str,
    hardware: str,
    members: Mapping[str, bytes],
    isolate: float | None = None,
    reproduce: Callable[[], str] | None = None,
) -> SimulationResult:
    """Run the entry function of a program on named arrays; `members` are those of the object that it comes from.

    `isolate` is that of a SimulateRequest; `reproduce` gives the command that a failure of the simulator is seen with.
    """
    chosen, owner = tools.simulator(simulator)
    if isolate is not None:
        chosen = IsolatedSimulator.of(chosen, Limit(str(owner), isolate or None))
    entry = entry_function(program).name
    request = SimulationRequest(program, entry, inputs, hardware_by_name(hardware), tools.ops, members=members)
    with attributed(owner, function=entry, reproduce=reproduce):
        return chosen.simulate(request)


def _command(request: SimulateRequest) -> str:
    """What one types to simulate the same once more."""
    words = ["pypto-build", "simulate", request.object, "--golden", request.golden, "--seed", str(request.seed)]
    words += ["--simulator", request.simulator] if request.simulator else []
    return shlex.join([*words, "--pipeline", request.pipeline] if request.pipeline else words)


def entry_function(program: Program) -> Function:
    """The function that nobody in the program calls; an orchestration if there are several.

    Raises:
        UserError: there is no such function, or there are several of one kind.
    """
    from pypto_build.analysis.call_graph import call_graph

    graph = call_graph(program)
    called = {callee for callees in graph.values() for callee in callees}
    roots = [f for f in program.functions.values() if f.name not in called]
    orchestrations = [f for f in roots if f.func_type in (FunctionType.Orchestration, FunctionType.Opaque)]
    candidates = orchestrations or roots
    if len(candidates) != 1:
        names = ", ".join(f.name for f in candidates) or "none"
        raise UserError("SIM001", f"{program.name or 'the program'} has no single entry function: {names}")
    return candidates[0]


def final_program(members: dict[str, bytes]) -> Program:
    """The final program in an unpacked object."""
    table = json.loads(members[FINAL_IR])
    functions = [decode(json.dumps(body).encode()) for body in table["functions"].values()]
    return Program(tuple(functions), table["program"])  # type: ignore[arg-type]  # any iterable of functions


def _complaint(request: SimulateRequest, golden: Golden, wrong: tuple[Comparison, ...]) -> str:
    lines = [
        f"{os.path.basename(request.object)}: output {c.name!r} is off by up to {c.max_error:.3e}, "
        f"{c.scaled:.1f} times the tolerance (rtol {golden.rtol:g}, atol {golden.atol:g})"
        for c in wrong
    ]
    return "\n".join(lines)


def _report(
    request: SimulateRequest,
    golden: Golden,
    comparisons: tuple[Comparison, ...],
    result: SimulationResult,
    *,
    simulator: str,
) -> dict[str, Any]:
    return {
        "name": os.path.basename(request.object).removesuffix(".ptobj"),
        "simulator": simulator,
        "seed": request.seed,
        "outputs": len(comparisons),
        "max_error": max((c.max_error for c in comparisons), default=0.0),
        "tolerance": golden.rtol,
        "comparisons": [{"output": c.name, "max_error": c.max_error, "scaled": c.scaled} for c in comparisons],
        "facts": dict(result.report),
    }

# SPDX-License-Identifier: Apache-2.0
"""Running a program before any pass and after every pass on the same inputs, to find the pass that changes the answer.

A pass that returns the program unchanged is not run again. Where an answer changes, each function that the pass changed
is put into the program before the pass, alone, to find the one that does it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pypto_build.driver.answers import Answer
from pypto_build.driver.golden import Comparison, Golden, compare, load_golden
from pypto_build.driver.load import load_source
from pypto_build.driver.simulate import entry_function
from pypto_build.driver.toolchain import Defines, Toolchain, toolchain
from pypto_build.errors import UserError
from pypto_build.host import HostOptions, SimulationRequest, SimulationResult, Simulator, attributed
from pypto_build.host.isolated import IsolatedSimulator
from pypto_build.ir import ConstInt, DataType, Function, ParamDirection, Program, ScalarType, TensorType, TileType, Var
from pypto_build.ops import reading_with
from pypto_build.passes import IRProperty, PassContext, apply_pass, hardware_by_name
from pypto_build.pipeline.step import Step

FUNCTIONAL = "functional"
DEFAULT_EXTENT = 32
_ANY_PLUGINS = HostOptions()
_LARGEST_INTEGER = 8  # of random integer inputs, which may be indices of something

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Check one source.

    golden is a file with inputs and tolerances, empty for random arrays made from the seed; extents give symbols of the
    parameters' shapes and integer scalars their values; until names the last pass to run, empty for all; rtol is None
    for what the element type of an output can hold; allow_unordered makes warnings of broken order rules.
    """

    source: str
    pipeline: str = "default"
    defines: Defines = ()
    entry: str = ""
    arguments: tuple[str, ...] = ()
    search_path: tuple[str, ...] = ()
    golden: str = ""
    seed: int = 0
    extents: tuple[tuple[str, int], ...] = ()
    until: str = ""
    rtol: float | None = None
    host: HostOptions = _ANY_PLUGINS
    allow_unordered: bool = False


@dataclass(frozen=True, slots=True)
class CheckedStep:
    """What one pass did: the functions that it changed, and how far each output is from that of the source.

    problem is what the simulator said where it could not run the program; culprits are the functions that alone change
    the answer.
    """

    step: str
    changed: tuple[str, ...]
    comparisons: tuple[Comparison, ...] = ()
    problem: UserError | None = None
    culprits: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the answer is still that of the source."""
        return self.problem is None and all(c.ok for c in self.comparisons)

    @property
    def worst(self) -> Comparison | None:
        """The output that is furthest off, relative to its tolerance."""
        return max(self.comparisons, key=lambda c: c.scaled, default=None)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """All passes up to the first that changes the answer; golden compares the source with its golden file."""

    program: Program
    steps: tuple[CheckedStep, ...]
    golden: tuple[Comparison, ...] = ()
    before: Program | None = None
    after: Program | None = None

    @property
    def failure(self) -> CheckedStep | None:
        """The pass that changes the answer."""
        return next((step for step in self.steps if not step.ok), None)

    @property
    def ok(self) -> bool:
        """Whether no pass changes the answer, and it is the golden one."""
        return self.failure is None and all(c.ok for c in self.golden)


def check_source(request: CheckRequest) -> CheckResult:
    """Run a source after every pass until the answer changes.

    Raises:
        UserError: the source, the pipeline or the golden file is wrong, or the source cannot be run as it stands.
    """
    tools = toolchain(request.pipeline, request.defines, host=request.host, allow_unordered=request.allow_unordered)
    search = tuple(Path(p) for p in request.search_path)
    with reading_with(tools.ops):
        source = load_source(Path(request.source), search, entry=request.entry or None, arguments=request.arguments)
    program = source.program
    golden = load_golden(request.golden) if request.golden else None
    inputs = _inputs(entry_function(program), request, golden)
    run = _Run(tools, inputs)
    wanted = run.result(program, addressed=False)
    against = compare(golden, golden.expected(dict(inputs)), wanted.outputs) if golden else ()
    answer = Answer(wanted, inputs, golden=golden, rtol=request.rtol)
    return _through(program, run, answer, request=request, golden=against)


def _through(
    program: Program, run: _Run, answer: Answer, *, request: CheckRequest, golden: tuple[Comparison, ...]
) -> CheckResult:
    steps: list[CheckedStep] = []
    first, before, addressed = program, program, False
    for step in _steps(run.tools, request.until):
        after = apply_pass(step.pass_, before, run.context)
        was, addressed = addressed, _has_addresses(step, addressed)
        if before is after and was == addressed:
            steps.append(CheckedStep(step.id, ()))
            continue
        checked = _check_step(step, before, after, run=run, answer=answer, addressed=addressed)
        steps.append(checked)
        if not checked.ok:
            return CheckResult(first, tuple(steps), golden, before, after)
        before = after
    return CheckResult(first, tuple(steps), golden)


def _has_addresses(step: Step, before: bool) -> bool:
    """Whether tiles have addresses after a pass."""
    made = IRProperty.AllocatedMemoryAddr
    return made in step.pass_.produces or (before and made not in step.pass_.invalidates)


def _steps(tools: Toolchain, until: str) -> Iterator[Step]:
    known = [step.id for step in tools.steps]
    if until and until not in known:
        raise UserError("CHK001", f"pipeline {tools.pipeline.title} has no pass {until!r}", help=", ".join(known))
    for step in tools.steps:
        yield step
        if step.id == until:
            return


def _check_step(
    step: Step, before: Program, after: Program, *, run: _Run, answer: Answer, addressed: bool
) -> CheckedStep:
    changed = _changed(before, after)
    try:
        comparisons = answer.compare(run.result(after, addressed=addressed))
    except UserError as problem:
        return CheckedStep(step.id, changed, problem=problem)
    checked = CheckedStep(step.id, changed, comparisons)
    if checked.ok:
        return checked
    alone = [name for name in changed if _changes_answer(name, before, after, run=run, answer=answer)]
    return replace(checked, culprits=tuple(alone))


def _changed(before: Program, after: Program) -> tuple[str, ...]:
    old = {function.name: function for function in before.functions.values()}
    new = {function.name: function for function in after.functions.values()}
    return tuple(name for name in sorted({*old, *new}) if old.get(name) is not new.get(name))


def _changes_answer(name: str, before: Program, after: Program, *, run: _Run, answer: Answer) -> bool:
    """Whether one function of the later program, put into the earlier one, is enough; what cannot run is not."""
    function = after.get_function(name)
    if function is None or before.get_function(name) is None:
        return False
    mixed = before.with_functions(function if f.name == name else f for f in before.functions.values())
    try:
        return not all(c.ok for c in answer.compare(run.result(mixed, addressed=None)))
    except UserError:  # a function that only fits its changed callers says nothing on its own
        return False


class _Run:
    """The simulator, the pass context and the inputs that all stages share."""

    def __init__(self, tools: Toolchain, inputs: Mapping[str, Any]) -> None:
        self.tools = tools
        self.context: PassContext = tools.context()
        self._inputs = inputs
        self._hardware = hardware_by_name(tools.pipeline.hardware)
        named = tools.pipeline.simulator is not None
        self._simulator, self._owner = tools.simulator("" if named else FUNCTIONAL)

    def result(self, program: Program, *, addressed: bool | None) -> SimulationResult:
        """What the program computes; `addressed` says whether offsets of on-chip memory are addresses."""
        simulator = self._simulator if addressed is None else _stating(self._simulator, addressed)
        entry = entry_function(program).name
        request = SimulationRequest(program, entry, self._inputs, self._hardware, self.tools.ops)
        with attributed(self._owner, function=entry):
            return simulator.simulate(request)


def _stating(simulator: Simulator, addressed: bool) -> Simulator:
    """The simulator, told whether offsets are addresses if it has an option for that; also one behind a process."""
    if isinstance(simulator, IsolatedSimulator):
        return replace(simulator, simulator=_stating(simulator.simulator, addressed))
    if all(field.name != "addresses" for field in fields(cast("Any", simulator))):
        return simulator
    return cast("Simulator", replace(cast("Any", simulator), addresses="yes" if addressed else "auto"))


# -- inputs ------------------------------------------------------------------------------------------------------------


def _inputs(function: Function, request: CheckRequest, golden: Golden | None) -> dict[str, Any]:
    rng, extents = np.random.default_rng(request.seed), dict(request.extents)
    if golden is not None:
        return dict(golden.inputs(rng))
    inputs: dict[str, Any] = {}
    for param, way in zip(function.params, function.param_directions, strict=True):
        kind = param.type
        if isinstance(kind, ScalarType):
            inputs[param.name_hint] = extents.get(param.name_hint, _random_scalar(kind.dtype, rng))
        elif isinstance(kind, TensorType | TileType) and way is not ParamDirection.Out:
            shape = tuple(_extent(dim, extents, function) for dim in kind.shape)
            inputs[param.name_hint] = _random_array(kind.dtype, shape, rng)
    return inputs


def _extent(dim: object, extents: Mapping[str, int], function: Function) -> int:
    if isinstance(dim, ConstInt):
        return dim.value
    if isinstance(dim, Var):
        return extents.get(dim.name_hint, DEFAULT_EXTENT)
    raise UserError(
        "CHK004", f"no extent can be chosen for {dim} of {function.name}", function.span, help="use a golden file"
    )


def _random_scalar(dtype: DataType, rng: np.random.Generator) -> int | float | bool:
    if dtype is DataType.BOOL:
        return bool(rng.integers(2))
    return float(rng.standard_normal()) if dtype.is_float() else int(rng.integers(1, _LARGEST_INTEGER))


def _random_array(dtype: DataType, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Numbers around 0 for floats, small ones for integers: they may be indices."""
    if dtype.is_float():
        return rng.standard_normal(shape).astype(np.float32)
    return rng.integers(0, 2 if dtype is DataType.BOOL else _LARGEST_INTEGER, shape)

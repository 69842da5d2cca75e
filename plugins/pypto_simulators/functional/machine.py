# SPDX-License-Identifier: Apache-2.0
"""A program being run: its functions, their activations and tasks, and what is counted on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pypto_build.errors import Span, UserError
from pypto_build.ir import (
    Call,
    ConstInt,
    Expr,
    Function,
    GlobalVar,
    MemorySpace,
    Node,
    ParamDirection,
    Program,
    ScalarType,
    Stmt,
    Submit,
    TensorType,
    TileType,
    Var,
    collect,
)
from pypto_build.ops import OpRegistry
from pypto_build.passes import HardwareDescription
from pypto_simulators.functional.errors import NO_BODY, UNKNOWN_ENTRY, WRONG_SHAPE, WRONG_VALUE, fail
from pypto_simulators.functional.expressions import evaluate
from pypto_simulators.functional.frame import Frame, Launch
from pypto_simulators.functional.launching import lanes_of, launched
from pypto_simulators.functional.memory import OnChipMemory, has_addresses
from pypto_simulators.functional.numbers import as_number
from pypto_simulators.functional.operation import Semantics
from pypto_simulators.functional.scheduler import Pending, Scheduler
from pypto_simulators.functional.semantics.cross_core import WAITING
from pypto_simulators.functional.semantics.transfer import aligned
from pypto_simulators.functional.statements import Returned, check_steps, execute, left_early
from pypto_simulators.functional.values import NO_TASK, Block, Shape, TaskId, Value, results_of


class Machine:
    """A program being run: its functions, and what is counted on the way."""

    def __init__(
        self,
        program: Program,
        ops: OpRegistry,
        *,
        hardware: HardwareDescription,
        semantics: Mapping[str, Semantics],
        max_iterations: int,
        addressed: bool | None = None,
    ) -> None:
        self.program = program
        self.ops = ops
        self.hardware = hardware
        self.semantics = semantics
        self.addressed = has_addresses(program) if addressed is None else addressed
        self.shapes: dict[int, tuple[object, Shape]] = {}
        self.operations: Counter[str] = Counter()
        self.moved: Counter[str] = Counter()
        self.peaks: dict[MemorySpace, int] = {}
        self._max_iterations = max_iterations
        self._iterations = 0
        self._tasks = 0
        self._waiting: dict[int, tuple[Node, bool]] = {}
        self._lanes: dict[str, int] = {}
        self._early: dict[int, tuple[Stmt, tuple[Var | None, ...]]] = {}
        self.scheduler = Scheduler()

    def evaluate(self, frame: Frame, expr: Expr) -> Value:
        """The value of an expression."""
        return evaluate(frame, expr)

    def step(self, span: Span) -> None:
        """Note one iteration of a loop."""
        self._iterations += 1
        check_steps(self._iterations, self._max_iterations, span)

    def new_task(self) -> TaskId:
        """The handle of another task."""
        self._tasks += 1
        return TaskId(self._tasks)

    def memory(self) -> OnChipMemory:
        """The memories of a core that begins to work."""
        return OnChipMemory(self.hardware, addressed=self.addressed, peaks=self.peaks)

    def function(self, name: str, span: Span) -> Function:
        """A function of the program."""
        found = self.program.get_function(name)
        if found is None:
            known = ", ".join(f.name for f in self.program.functions.values()) or "none"
            raise fail(UNKNOWN_ENTRY, f"there is no function {name!r}", span, help=f"functions: {known}")
        return found

    def call(self, frame: Frame, call: Call) -> Value:
        """A call of a function of the program; attributes may ask for several blocks."""
        args = [self.settled(frame, evaluate(frame, arg)) for arg in call.args]
        return launched(self, frame, call, args=args, core_num=call.attrs.get("core_num"))

    def submit(self, frame: Frame, submit: Submit) -> Value:
        """A task: the results of the function and the handle of the task."""
        args = [self.settled(frame, evaluate(frame, arg)) for arg in submit.args]
        if submit.predicate is not None and not evaluate(frame, submit.predicate):
            return (*self._untouched(submit, args), NO_TASK)
        result = launched(self, frame, submit, args=args, core_num=submit.core_num)
        if isinstance(result, Pending):
            count = len(getattr(submit.type, "types", (None,))) - 1
            results = (result,) if count == 1 else tuple(result.element(i) for i in range(count))
            return (*results, self.new_task())
        return (*results_of(result), self.new_task())

    def _untouched(self, submit: Submit, args: list[Value]) -> tuple[Value, ...]:
        """What a task that is not launched leaves: its output arguments as they were."""
        directions = self.function(submit.op.name, submit.span).param_directions
        return tuple(arg for arg, way in zip(args, directions, strict=True) if way is not ParamDirection.In)

    def settled(self, frame: Frame, value: Value) -> Value:
        """A value; the result of a core that is still at work is waited for."""
        if not isinstance(value, Pending):
            return value
        self.scheduler.join(frame.started)
        return value.value()

    def run_all(self, jobs: Sequence[Callable[[], Any]], body: Node) -> list[Any]:
        """Jobs that run the same code: beside each other where it waits for other cores, else one after the other."""
        return self.scheduler.run(jobs) if len(jobs) > 1 and self.waits(body) else [job() for job in jobs]

    def lanes_of(self, function: Function) -> int:
        """On how many vector cores of a block a function runs."""
        known = self._lanes.get(function.name)
        if known is None:
            known = self._lanes[function.name] = lanes_of(function)
        return known

    def left_early(self, body: Stmt) -> tuple[Var | None, ...]:
        """What the iterations of a loop may yield before they come to their end."""
        known = self._early.get(id(body))
        if known is None:
            known = self._early[id(body)] = (body, left_early(body))
        return known[1]

    def waits(self, body: Node) -> bool:
        """Whether some code contains an operation that waits for another core, or calls a function that does."""
        known = self._waiting.get(id(body))
        if known is not None:
            return known[1]
        self._waiting[id(body)] = (body, False)  # a recursive call adds nothing
        found = any(self._call_waits(call) for kind in (Call, Submit) for call in collect(body, kind))
        self._waiting[id(body)] = (body, found)
        return found

    def _call_waits(self, call: Call | Submit) -> bool:
        callee = self.program.get_function(call.op.name) if isinstance(call.op, GlobalVar) else None
        return call.op.name in WAITING if callee is None else self.waits(callee.body)

    def run(self, function: Function, args: list[Value], *, launch: Launch, span: Span) -> Value:
        """One activation of a function on one core; its results as one value or a tuple."""
        if function.requires_runtime_binding or "external_source" in function.attrs:
            raise fail(NO_BODY, f"{function.name} is implemented elsewhere and cannot be simulated", span)
        if len(args) != len(function.params):
            counts = f"{len(function.params)} parameters, but is given {len(args)} arguments"
            raise fail(WRONG_VALUE, f"{function.name} has {counts}", span)
        frame = Frame(self, function, launch)
        for param, arg in zip(function.params, args, strict=True):
            frame.values[param] = _passed(frame, param, arg, span=span)
        values = self.perform(frame)
        if values is None:
            return None
        values = tuple(self.settled(frame, value) for value in values)
        return values[0] if len(values) == 1 else values

    def perform(self, frame: Frame) -> tuple[Value, ...] | None:
        """Carry out the body of a function; what it returns, None where it ends without a return."""
        outcome = execute(frame, frame.function.body)
        self.scheduler.join(frame.started)
        return outcome.values if isinstance(outcome, Returned) else None


def _passed(frame: Frame, param: Var, arg: Value, *, span: Span) -> Value:
    kind = param.type
    if isinstance(kind, ScalarType):
        return as_number(arg, kind.dtype) if isinstance(arg, int | float) else arg
    if isinstance(kind, TensorType | TileType) and isinstance(arg, Block):
        arg = _of_rank(arg, len(kind.shape))
        _check_extents(frame, kind.shape, arg.shape, what=f"{param.name_hint} of {frame.function.name}", span=span)
        view: Any = kind.tile_view if isinstance(kind, TileType) else kind.tensor_view
        if view is not None and view.valid_shape:
            _learn(frame, view.valid_shape, arg.valid)
    return arg


def _of_rank(block: Block, rank: int) -> Block:
    """The same memory with extents of 1 in front, or without them: a kernel only sees where its argument begins."""
    data = aligned(block.data, rank)
    if data is block.data or block.data.shape != block.shape or data.ndim != rank:
        return block
    valid = block.valid[-rank:] if rank < len(block.valid) else (1,) * (rank - len(block.valid)) + block.valid
    return Block(data, block.dtype, valid=valid, pad=block.pad)


def _check_extents(frame: Frame, dims: tuple[Expr, ...], shape: Shape, *, what: str, span: Span) -> None:
    """Symbols take the extents of the first argument that has them; everything else must agree."""
    if len(dims) != len(shape):
        raise fail(WRONG_SHAPE, f"{what} has {len(dims)} dimensions, but is given {list(shape)}", span)
    _learn(frame, dims, shape)
    for axis, (dim, extent) in enumerate(zip(dims, shape, strict=True)):
        wanted = dim.value if isinstance(dim, ConstInt) else _number(frame, dim)
        if wanted is not None and wanted != extent:
            name = "" if isinstance(dim, ConstInt) else f" ({dim})"
            message = f"dimension {axis} of {what} is {wanted}{name}, but is given {extent}"
            raise fail(WRONG_SHAPE, message, span)


def _learn(frame: Frame, dims: tuple[Expr, ...], shape: Shape) -> None:
    for dim, extent in zip(dims, shape, strict=True):
        if isinstance(dim, Var) and dim not in frame.values:
            frame.values[dim] = extent


def _number(frame: Frame, dim: Expr) -> int | None:
    try:
        return int(evaluate(frame, dim))
    except UserError:  # a symbol that nothing gives a value is nothing to check against
        return None

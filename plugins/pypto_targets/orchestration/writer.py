# SPDX-License-Identifier: Apache-2.0
"""The state of one orchestration function while it is written: what each variable is in the text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from pypto_build.errors import InternalError, UserError
from pypto_build.host import TargetContext
from pypto_build.ir import (
    AssignStmt,
    BinaryExpr,
    Call,
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    Function,
    MakeTuple,
    ReturnStmt,
    ScalarType,
    Stmt,
    TensorType,
    TupleGetItemExpr,
    Type,
    UnaryExpr,
    UsedVars,
    Var,
    YieldStmt,
    as_int,
    collect,
)
from pypto_targets.orchestration import scalars
from pypto_targets.orchestration.awaited import awaited
from pypto_targets.orchestration.callees import CalleeTable
from pypto_targets.orchestration.cpp import element_type
from pypto_targets.orchestration.text import Name, Source
from pypto_targets.orchestration.values import Array, Made, Missing, Plan, Value, Window, hint
from pypto_targets.orchestration.workspaces import workspace_extents

INVALID_TASK = "PTO2TaskId::invalid()"
_RUNTIME_CALLS = {
    "system.task_invalid": INVALID_TASK,
    "system.available_cluster_count": "rt_available_cluster_count()",
    "system.available_aiv_count": "rt_available_aiv_count()",
}
ENTRY = "void aicpu_orchestration_entry(const ChipTaskArgs& orch_args) {"


class Frame(Protocol):
    """Whoever takes what a body yields."""

    def take(self, values: tuple[Expr, ...]) -> None:
        """The yielded values, in the block where they are yielded."""
        ...


class Writer:
    """One attempt to write a function; `plan` has what earlier attempts have learnt."""

    def __init__(self, function: Function, callees: CalleeTable, context: TargetContext, *, plan: Plan) -> None:
        self.function = function
        self.callees = callees
        self.context = context
        self.plan = plan
        self.source = Source(ENTRY)
        self.values: dict[Var, Value] = {}
        self.frames: list[Frame] = []
        self.natural: set[Var] = set()  # variables that are known not to be negative
        self.fresh: set[Name] = set()  # task ids that certainly name a task
        self.carries: set[Name] = set()  # names that a yield assigns
        self.allocated: set[Stmt] = set()
        self.windows: dict[Name, Window] = {}
        self.manual_depth = 0  # scopes around this place in which the program names all dependencies
        self.task_of: dict[Var, Value] = {}  # by a value, the ids of the tasks that made it
        self.before: dict[Var, Name] = {}  # by a carry, the id of the task of the iteration before
        self.counts: dict[str, int] = {}
        self.used = _used_vars(function)
        self.read = _used_vars(function, yields=False)  # a carry outside only goes round
        self.task_ids = _task_ids(function, self.used)
        self.awaited = awaited(function)
        self.workspaces = workspace_extents(function, callees)

    def count(self, what: str) -> int:
        """The next number of a kind: tasks, allocations, barriers."""
        number = self.counts.get(what, 0)
        self.counts[what] = number + 1
        return number

    # -- scalars ---------------------------------------------------------------------------------------------------

    def scalar(self, expr: Expr, *, depth: int | None = None) -> str:
        """A scalar expression."""
        match expr:
            case Var():
                return self.text(self.value(expr), expr, depth=depth)
            case ConstBool() | ConstInt() | ConstFloat():
                return scalars.constant(expr)
            case BinaryExpr():
                return scalars.binary(expr, lambda e: self.scalar(e, depth=depth), natural=self.is_natural)
            case UnaryExpr():
                return scalars.unary(expr, lambda e: self.scalar(e, depth=depth))
            case Call() if expr.op.name in _RUNTIME_CALLS:
                return _RUNTIME_CALLS[expr.op.name]
            case TupleGetItemExpr():
                return self.text(self.element(expr), expr, depth=depth)
            case _:
                text = f"an orchestration function cannot compute with {type(expr).__name__}"
                raise UserError("ORCH009", text, expr.span, help="assign it to a variable first")

    def unsigned(self, expr: Expr, *, depth: int | None = None) -> str:
        """An extent or an offset, as the runtime wants it."""
        text = self.scalar(expr, depth=depth)
        return text if (as_int(expr) or 0) > 0 or as_int(expr) == 0 else f"static_cast<uint32_t>({text})"

    def is_natural(self, expr: Expr) -> bool:
        """Whether an integer expression cannot be negative."""
        return scalars.is_natural(expr, lambda e: e in self.natural)

    # -- values ----------------------------------------------------------------------------------------------------

    def value(self, expr: Expr) -> Value:
        """What an expression is: a name where there is one."""
        if isinstance(expr, Var):
            value = self.values.get(expr)
            if value is None:
                raise InternalError(f"{expr.name_hint} has no value in {self.function.name}", expr.span)
            return value
        if isinstance(expr, TupleGetItemExpr):
            return self.element(expr)
        if isinstance(expr, MakeTuple):
            return tuple(self.value(item) for item in expr.elements)
        return self.scalar(expr)

    def element(self, expr: TupleGetItemExpr) -> Value:
        """An element of a tuple of results."""
        whole = self.value(expr.tuple)
        if isinstance(whole, tuple) and expr.index < len(whole):
            return whole[expr.index]
        return Missing(expr.index)

    def text(self, value: Value, expr: Expr, *, depth: int | None = None) -> str:
        """A value in an expression of a block; a name that is not visible there is declared further out next time."""
        if isinstance(value, Array):
            value = value.name
        if isinstance(value, Name):
            self.require(value, depth=depth)
            return value.text
        if isinstance(value, str):
            return value
        if isinstance(value, Made):
            self.require(value.outs, depth=depth)
            return value.text
        if isinstance(value, Missing):
            text = f"result {value.index} of the launch is none of the buffers that were passed to it"
            raise UserError("ORCH010", text, expr.span, help="pass the buffer as an argument and return that parameter")
        raise InternalError("a tuple of results is no operand", expr.span)

    def require(self, name: Name, *, depth: int | None = None) -> None:
        """See to it that a name is visible in a block."""
        limit = self.source.depth if depth is None else depth
        around = self.source.visible_depth(name)
        if (around > limit or self.source.stack[around] is not name.block) and name.var is not None:
            self.plan.hoist(name.var, min(around, limit))

    def require_value(self, value: Value) -> None:
        """See to it that what a value is called is visible in the innermost block."""
        if isinstance(value, Name | Array):
            self.require(value.name if isinstance(value, Array) else value)

    def task(self, expr: Expr) -> Value | None:
        """The ids of the tasks that a derived edge, or a value that a loop or a branch yields, stands for."""
        known = self.task_of.get(expr) if isinstance(expr, Var) else None
        return self.value(expr) if known is None and is_task_id(expr) else known

    def tensor(self, expr: Expr) -> str:
        """The name of a tensor."""
        if not isinstance(expr.type, TensorType):
            raise InternalError("an operand must be a tensor", expr.span)
        return self.text(self.value(expr), expr)

    # -- declarations ----------------------------------------------------------------------------------------------

    def declare(self, var: Var, text: str, *, start: str | None = None, label: str = "") -> Name:
        """Declare a variable with a value; `start` is what it begins with where it has to be declared further out."""
        kind = self.cpp_type(var.type, var)
        depth = self.plan.hoisted.get(var, self.source.depth)
        name = self.source.name(label or hint(var), depth=depth, var=var)
        if depth >= self.source.depth:
            self.source.emit(f"{kind} {name} = {text};")
        else:
            self.source.emit(f"{kind} {name} = {self._start(kind) if start is None else start};", depth=depth)
            self.source.emit(f"{name} = {text};")
        self.values[var] = name
        return name

    def _start(self, kind: str) -> str:
        return {"PTO2TaskId": INVALID_TASK, "bool": "false", "float": "0.0f"}.get(kind, "0")

    def declare_tensor(self, var: Var, text: str, *, source: Expr) -> Name:
        """Declare a descriptor made from another tensor, which is also what it begins with further out."""
        start: str | None = None
        depth = self.plan.hoisted.get(var)
        if depth is not None:
            start = self.text(self.value(source), source, depth=depth)
        return self.declare(var, text, start=start)

    def declare_carry(self, var: Var, init: Expr, *, label: str) -> Name:
        """Declare the variable of a carry, which begins with the value that enters the loop."""
        start: str | None = None
        depth = self.plan.hoisted.get(var)
        if depth is not None and isinstance(var.type, TensorType):
            start = self.text(self.value(init), init, depth=depth)
        return self.declare(var, self.text(self.value(init), init), start=start, label=label)

    def cpp_type(self, kind: Type, var: Expr) -> str:
        """The C++ type of a variable."""
        return "ChipTensor" if isinstance(kind, TensorType) else element_type(kind, var.span)


def is_task_id(expr: Expr) -> bool:
    """Whether an expression is the id of a task."""
    return isinstance(expr.type, ScalarType) and expr.type.dtype is DataType.TASK_ID


def vars_in(exprs: Iterable[Expr]) -> set[Var]:
    """The variables that expressions read."""
    seen = UsedVars()
    for expr in exprs:
        seen.visit(expr)
    return set(seen.found)


def _used_vars(function: Function, *, yields: bool = True) -> set[Var]:
    seen = _VarsButReturned() if yields else _VarsButYielded()
    seen.visit(function.body)
    return set(seen.found)


def _task_ids(function: Function, used: set[Var]) -> dict[Var, Var]:
    """For each launch whose task id is asked for, by the variable of its results, the variable of the id."""
    found: dict[Var, Var] = {}
    for stmt in collect(function.body, AssignStmt):
        value = stmt.value
        asked = is_task_id(stmt.var) and stmt.var in used
        if asked and isinstance(value, TupleGetItemExpr) and isinstance(value.tuple, Var):
            found.setdefault(value.tuple, stmt.var)
    return found


class _VarsButReturned(UsedVars):
    def visit_return_stmt(self, stmt: ReturnStmt) -> None:
        """Results are parameters, written in place: returning them writes nothing."""


class _VarsButYielded(_VarsButReturned):
    def visit_yield_stmt(self, stmt: YieldStmt) -> None:
        """What is only handed on is not read."""

# SPDX-License-Identifier: Apache-2.0
"""Random programs: a kernel and a function that launches it, with dependencies, attributes and directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pypto_build import ir
from pypto_build.ir import ArgDirection, FunctionType, ParamDirection
from tests.unit.ir.build import BOOL, INDEX, INT32, TASK_ID, function, number, program
from tests.unit.ir.kernel_ops import ORIGIN, registry
from tests.unit.ir.random_types import TENSOR
from tests.unit.ir.strategies import Maker, Scope

COUNTS = ir.TensorType(ir.dims((16, 16)), INT32)
TASK = ir.scalar_type(TASK_ID)
KERNEL = ir.GlobalVar("kernel")
SCALARS = Scope(())
_FUNCTION_ATTRS = (
    {},
    {"split": 1, "mark": True},
    {"auto_scope": False},
    {"note": "n", "level_of_care": 2.5, "dtype": ir.DataType.FP16, "space": ir.MemorySpace.Acc},
)


@dataclass(slots=True)
class Launcher:
    """Makes the statements of the launching function; every launch adds results and a task id to choose from."""

    maker: Maker
    tensors: list[ir.Var]
    counts: ir.Var
    tasks: list[ir.Var] = field(default_factory=list[ir.Var])

    def stmts(self) -> list[ir.Stmt]:
        """One construct."""
        return self.maker.one([self.call, self.launch, self.barrier, self.manual])()

    def arguments(self) -> tuple[ir.Expr, ...]:
        """What the kernel gets."""
        return (self.maker.one(self.tensors), self.maker.one(self.tensors), self.maker.expr(SCALARS, INDEX, 1))

    def attrs(self, arguments: tuple[ir.Expr, ...]) -> dict[str, object]:
        """What passes attach to a call."""
        found = dict(self.maker.attrs())
        choices = {
            "arg_directions": tuple(self.maker.one(list(ArgDirection)) for _ in range(3)),
            "dump_vars": (self.maker.one(arguments[:2]),),
            "arg_direction_overrides": (0, 1),
        }
        found.update({name: value for name, value in choices.items() if self.maker.chance()})
        return found

    def result(self, value: ir.Expr) -> ir.Stmt:
        """Bind a tensor that later launches may use."""
        var = self.maker.var(TENSOR)
        self.tensors.append(var)
        return ir.AssignStmt(var, value)

    def call(self) -> list[ir.Stmt]:
        """A call that waits for its result."""
        arguments = self.arguments()
        attrs = ir.frozen_map(self.attrs(arguments))
        return [self.result(ir.Call(KERNEL, arguments, ir.EMPTY_MAP, attrs, TENSOR))]

    def launch(self) -> list[ir.Stmt]:
        """A task on one core or on several, its result and its id."""
        whole = self.maker.var(ir.TupleType((TENSOR, TASK)))
        several, arguments = self.maker.chance(), self.arguments()
        made = ir.Submit(
            KERNEL,
            arguments,
            self.deps(),
            ir.EMPTY_MAP,
            ir.frozen_map(self.attrs(arguments)),
            whole.type,
            core_num=number(4) if several else None,
            sync_start=several and self.maker.chance(),
            allow_early_resolve=self.maker.chance(),
            predicate=self.predicate() if self.maker.chance() else None,
        )
        task = self.maker.var(TASK)
        stmts = [ir.AssignStmt(whole, made), self.result(ir.TupleGetItemExpr(whole, 0))]
        self.tasks.append(task)
        return [*stmts, ir.AssignStmt(task, ir.TupleGetItemExpr(whole, 1))]

    def deps(self) -> tuple[ir.Var, ...]:
        """Some of the tasks so far."""
        return tuple(task for task in self.tasks if self.maker.chance())

    def predicate(self) -> ir.Expr:
        """A comparison of one element."""
        element = registry().create_call("tensor.read", (self.counts, ORIGIN))
        return ir.Gt(ir.Cast(element, INDEX), number(0), BOOL)

    def barrier(self) -> list[ir.Stmt]:
        """A task that only waits."""
        deps = self.deps()
        attrs = ir.frozen_map(
            {**self.maker.attrs(), "dummy_task": True, **({"manual_dep_edges": deps} if deps else {})}
        )
        task = self.maker.var(TASK)
        made = ir.AssignStmt(task, ir.Call(ir.Op("system.task_dummy"), (), ir.EMPTY_MAP, attrs, TASK))
        self.tasks.append(task)
        return [made]

    def manual(self) -> list[ir.Stmt]:
        """Launches whose dependencies are the program's own."""
        return [ir.RuntimeScopeStmt(ir.sequence([*self.launch(), *self.launch()]), True)]


def launching_program(maker: Maker) -> ir.Program:
    """A kernel and the function that launches it."""
    first, out, scale = ir.Var("x", TENSOR), ir.Var("out", TENSOR), ir.Var("n", ir.scalar_type(INDEX))
    directions = (ParamDirection.In, ParamDirection.Out, ParamDirection.In)
    kernel = function(
        "kernel",
        (first, out, scale),
        directions=directions,
        results=(TENSOR,),
        func_type=FunctionType.InCore,
        attrs=ir.frozen_map(maker.one(_FUNCTION_ATTRS[:2])),
    ).replace(body=ir.ReturnStmt((out,)))
    return program(kernel, _launching(maker))


def _launching(maker: Maker) -> ir.Function:
    first, out, counts = ir.Var("x", TENSOR), ir.Var("out", TENSOR), ir.Var("counts", COUNTS)
    launcher = Launcher(maker, [first, out], counts)
    stmts: Sequence[ir.Stmt] = [stmt for _ in range(maker.one([1, 2, 3])) for stmt in launcher.stmts()]
    directions = (ParamDirection.In, ParamDirection.InOut, ParamDirection.In)
    made = function("main", (first, out, counts), directions=directions, results=(TENSOR,))
    return made.replace(
        body=ir.sequence([*stmts, ir.ReturnStmt((launcher.tensors[-1],))]),
        func_type=FunctionType.Orchestration,
        level=ir.Level.CHIP,
        role=ir.Role.Orchestrator,
        attrs=ir.frozen_map(maker.one(_FUNCTION_ATTRS)),
    )

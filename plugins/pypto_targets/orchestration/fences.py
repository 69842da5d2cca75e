# SPDX-License-Identifier: Apache-2.0
"""Fence arrays: a parallel loop in a manual scope keeps the task id of every iteration, not only the last one's.

Requirements CIC-24 to CIC-27.
"""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.errors import UserError
from pypto_build.ir import Expr, ForKind, ForStmt, Var
from pypto_targets.orchestration.arrays import fill
from pypto_targets.orchestration.loop_counts import iteration
from pypto_targets.orchestration.values import Array, Value, hint
from pypto_targets.orchestration.writer import Writer


@dataclass(frozen=True, slots=True, eq=False)
class Fence:
    """The array of a carry: one slot for each iteration of a parallel loop."""

    loop: ForStmt
    array: Array

    def take(self, writer: Writer, value: Value, expr: Expr) -> None:
        """A parallel loop writes the slot of its iteration; one around it takes the whole array over."""
        text = writer.text(value, expr)
        if isinstance(value, Array):
            head = f"for (int64_t __yield_i = 0; __yield_i < {self.array.size}; ++__yield_i)"
            if value.name is not self.array.name:
                writer.source.emit(f"{head} {self.array.name}[__yield_i] = {text}[__yield_i];")
        elif self.loop.kind is ForKind.Parallel:
            writer.source.emit(f"{self.array.name}[{iteration(writer, self.loop)}] = {text};")
        else:
            message = "a loop that carries an array of task ids yields a single one"
            raise UserError("ORCH023", message, expr.span, help="yield the id that the inner parallel loop carries")


def declare_fence(writer: Writer, loop: ForStmt, index: int, *, result: Var, size: int) -> Fence:
    """The array of a carry, filled with what enters the loop.

    Iterations of a parallel loop do not wait for each other: what they read is what entered the loop.
    """
    arg = loop.iter_args[index]
    init = writer.value(arg.init_value)
    depth = min(writer.plan.hoisted.get(result, writer.source.depth), writer.source.depth)
    name = writer.source.name(hint(result), depth=depth, var=result)
    writer.source.emit(f"PTO2TaskId {name}[{size}];", depth=depth)
    text = writer.text(init, arg.init_value, depth=depth)
    if isinstance(init, Array) and init.size != size:
        message = f"{init.size} task ids enter a loop that keeps {size}"
        raise UserError("ORCH023", message, loop.span, help="give both loops the same number of iterations")
    fill(writer, name.text, size=size, value=f"{text}[__init_i]" if isinstance(init, Array) else text, depth=depth)
    array = Array(name, size)
    writer.values[arg] = init if loop.kind is ForKind.Parallel else array
    writer.values[result] = array
    return Fence(loop, array)

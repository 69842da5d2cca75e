# SPDX-License-Identifier: Apache-2.0
"""Which operator trees consist of constants only.

The front end evaluates arithmetic on plain numbers while it reads. A tree such as `32 + 32` in the IR is meant to stay
a tree, so its leaves are printed with their types: `pl.const(32, pl.INDEX) + pl.const(32, pl.INDEX)`.
"""

from __future__ import annotations

from pypto_build.ir.expr import BinaryExpr, Cast, Constant, Expr, UnaryExpr


class ConstantTrees:
    """Remembers the verdict for every operator of a tree, so that asking at each level stays linear."""

    def __init__(self) -> None:
        self._verdicts: dict[int, tuple[Expr, bool]] = {}

    def holds(self, expr: Expr) -> bool:
        """Whether an operator's operands are constants or such operators all the way down."""
        waiting = [expr]
        while waiting:
            current = waiting[-1]
            missing = [operand for operand in operands(current) if id(operand) not in self._verdicts]
            if missing:
                waiting.extend(missing)
            else:
                waiting.pop()
                self._verdicts[id(current)] = (current, self._judged(current))
        return self._verdicts[id(expr)][1]

    def _judged(self, expr: Expr) -> bool:
        if isinstance(expr, Constant):
            return True
        below = operands(expr)
        return bool(below) and all(self._verdicts[id(operand)][1] for operand in below)


def operands(expr: Expr) -> tuple[Expr, ...]:
    """The operands of an operator that the front end could evaluate; a cast is a call and stays one."""
    if isinstance(expr, BinaryExpr):
        return (expr.left, expr.right)
    if isinstance(expr, UnaryExpr) and not isinstance(expr, Cast):
        return (expr.operand,)
    return ()

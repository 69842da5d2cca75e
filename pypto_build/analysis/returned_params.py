# SPDX-License-Identifier: Apache-2.0
"""Which parameter a function hands back at each return position: a local, structural read. Source: NRO-35."""

from __future__ import annotations

from collections.abc import Callable

from pypto_build.ir import Function, ReturnStmt, Visitor

NO_PARAM = -1
ReturnedParams = tuple[int, ...]
ReturnedBy = Callable[[str], ReturnedParams | None]
"""The map of a function by name; None where it is not known."""


def returned_params(function: Function) -> ReturnedParams | None:
    """For each returned value the index of the parameter that it is, NO_PARAM for another value; None without a return.

    A value counts only if it is the parameter's own Var.
    """
    found = _Returns()
    found.visit(function.body)
    if not found.returns:
        return None
    index = {param: position for position, param in enumerate(function.params)}
    return tuple(index.get(value, NO_PARAM) for value in found.returns[-1].value)  # type: ignore[call-overload]  # any Expr


class _Returns(Visitor):
    def __init__(self) -> None:
        self.returns: list[ReturnStmt] = []

    def visit_return_stmt(self, stmt: ReturnStmt) -> None:
        self.returns.append(stmt)

    def visit_expr(self, expr: object) -> None:
        """No statement is below an expression."""

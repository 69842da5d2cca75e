# SPDX-License-Identifier: Apache-2.0
"""Who calls whom: the functions of a program from callees to callers."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.ir import Call, Expr, Function, GlobalVar, Program, Submit, Visitor


def called_names(function: Function) -> tuple[str, ...]:
    """The names of the functions that a function calls or launches, each once, in order of first appearance."""
    calls = _Calls()
    calls.visit(function)
    return tuple(calls.names)


class _Calls(Visitor):
    def __init__(self) -> None:
        self.names: dict[str, None] = {}

    def visit_call(self, call: Call) -> None:
        self._note(call)

    def visit_submit(self, submit: Submit) -> None:
        self._note(submit)

    def _note(self, call: Call | Submit) -> None:
        if isinstance(call.op, GlobalVar):
            self.names.setdefault(call.op.name)
        self.visit_node(call)

    def visit_constant(self, constant: Expr) -> None:
        """Nothing is below a constant."""


def call_graph(program: Program) -> Mapping[str, tuple[str, ...]]:
    """For each function the functions of the same program that it calls."""
    own = {function.name for function in program.functions.values()}
    return {
        function.name: tuple(name for name in called_names(function) if name in own)
        for function in program.functions.values()
    }


def bottom_up(graph: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The functions with callees before callers; within a call cycle the order of names decides."""
    done: dict[str, None] = {}
    entered: set[str] = set()
    for root in sorted(graph):
        stack: list[tuple[str, bool]] = [(root, False)]
        while stack:
            name, left = stack.pop()
            if left:
                done.setdefault(name)
            elif name not in entered:
                entered.add(name)
                stack.append((name, True))
                stack.extend((callee, False) for callee in reversed(graph[name]) if callee not in entered)
    return tuple(done)

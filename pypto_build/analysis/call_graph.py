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


def bottom_up(graph: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """The functions with callees before callers; functions that call each other in a circle stand together.

    Tarjan's algorithm without recursion; the order depends on names alone.
    """
    search = _Search(graph)
    for name in sorted(graph):
        search.from_root(name)
    return tuple(search.components)


def is_cycle(component: tuple[str, ...], graph: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether the functions of a component call each other, or the only one itself."""
    return len(component) > 1 or any(name in graph[name] for name in component)


class _Search:
    def __init__(self, graph: Mapping[str, tuple[str, ...]]) -> None:
        self.graph = graph
        self.components: list[tuple[str, ...]] = []
        self.number: dict[str, int] = {}
        self.low: dict[str, int] = {}
        self.path: list[str] = []
        self.closed: set[str] = set()

    def from_root(self, root: str) -> None:
        """Visit everything that a function reaches and that was not visited."""
        if root in self.number:
            return
        stack = [(root, iter(self._enter(root)))]
        while stack:
            name, callees = stack[-1]
            following = next((callee for callee in callees if self._sees(name, callee)), None)
            if following is not None:
                stack.append((following, iter(self._enter(following))))
                continue
            stack.pop()
            if stack:
                caller = stack[-1][0]
                self.low[caller] = min(self.low[caller], self.low[name])
            self._leave(name)

    def _enter(self, name: str) -> tuple[str, ...]:
        self.number[name] = self.low[name] = len(self.number)
        self.path.append(name)
        return self.graph[name]

    def _sees(self, name: str, callee: str) -> bool:
        """Whether a callee has still to be visited; one that is open makes a circle."""
        if callee not in self.number:
            return True
        if callee not in self.closed:
            self.low[name] = min(self.low[name], self.number[callee])
        return False

    def _leave(self, name: str) -> None:
        if self.low[name] != self.number[name]:
            return
        place = self.path.index(name)
        component = self.path[place:]
        del self.path[place:]
        self.closed.update(component)
        self.components.append(tuple(component))

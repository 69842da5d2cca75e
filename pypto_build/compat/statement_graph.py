# SPDX-License-Identifier: Apache-2.0
"""`passes.stmt_dependency_analysis`: the order that definitions, uses and written arguments impose on statements."""

from __future__ import annotations

from dataclasses import dataclass

from pypto_build.analysis.statement_dependencies import DependencyGraph, dependency_graph, discipline_violations
from pypto_build.compat.diagnostics import public, raise_errors
from pypto_build.ir import ParamDirection, Program, Stmt


@dataclass(frozen=True, slots=True)
class StmtDependencyGraph:
    """The statements of a region and what each must come after."""

    graph: DependencyGraph

    @property
    def stmts(self) -> list[Stmt]:
        """The statements, in order."""
        return list(self.graph.stmts)

    def get_predecessors(self, stmt: Stmt) -> list[Stmt]:
        """What must come before a statement, in order."""
        for position, one in enumerate(self.graph.stmts):
            if one is stmt:
                return [self.graph.stmts[earlier] for earlier in sorted(self.graph.predecessors[position])]
        return []


def build_stmt_dependency_graph(region: Stmt, program: Program | None = None) -> StmtDependencyGraph:
    """The graph of a region; Error when a program is given and the region reads what a call has written."""
    if program is not None:
        check_inout_use_discipline(region, program)
    return StmtDependencyGraph(dependency_graph(region))


def check_inout_use_discipline(region: Stmt, program: Program) -> None:
    """Error when a variable is read after a call that was given it as Out or InOut."""
    found = discipline_violations(region, _directions(program).get)
    raise_errors([public(one) for one in found], "InOutUseDiscipline violated")


def _directions(program: Program) -> dict[str, tuple[ParamDirection, ...]]:
    return {function.name: tuple(function.param_directions) for function in program.functions.values()}

# SPDX-License-Identifier: Apache-2.0
"""Bodies of pipelined loops as short lines of text, and the order in which their statements stand."""

from __future__ import annotations

from textwrap import indent

from pypto_passes.canonicalize_io_order import CanonicalizeIOOrder

from pypto_build.ir import (
    AssignStmt,
    ForKind,
    ForStmt,
    Function,
    IfStmt,
    Program,
    Stmt,
    collect,
    statements,
)
from pypto_build.passes import apply_pass
from tests.passes import programs

X = "pl.Tensor[[64, 64], pl.FP32]"
HEAD = f"""
@pl.function(type=pl.FunctionType.InCore)
def kernel(self, source: {X}, n: pl.Scalar[pl.INDEX], out: pl.Out[{X}]):
"""


def load(name: str, at: str = "", where: str = "0") -> str:
    """A load; `at` is its membership in stages, `where` its row."""
    return f"{name} = pl.tile.load(source, [{where}, 0], [8, 64]{_attrs(at)})"


def add(name: str, left: str, at: str = "", right: str = "1.0") -> str:
    """A computation."""
    return f"{name} = pl.tile.{'adds' if right == '1.0' else 'add'}({left}, {right}{_attrs(at)})"


def store(name: str, tile: str, at: str = "", into: str = "out") -> str:
    """A store whose result has a name, or without one, is dropped."""
    call = f"pl.tile.store({tile}, [0, 0], {into}{_attrs(at)})"
    return f"{name} = {call}" if name else call


def _attrs(at: str) -> str:
    return f", attrs={{'pipeline_membership': '{at}'}}" if at else ""


def kernel(*lines: str) -> Program:
    """A kernel with these statements."""
    return programs.body(HEAD, "\n".join(lines))


def pipeline(*lines: str, attrs: str = "") -> Program:
    """A kernel that is one pipelined loop, lowered already, around these statements."""
    body = "\n".join(lines)
    given = f", attrs={{{attrs}}}" if attrs else ""
    return kernel(f"for i in pl.pipeline(0, 8, 2, stage=1{given}):\n{indent(body, '    ')}")


def function_of(program: Program) -> Function:
    """The kernel of a program."""
    return programs.method(program, "kernel")


def loops(program: Program) -> list[ForStmt]:
    """The loops of the kernel, outer ones first."""
    return list(collect(function_of(program), ForStmt))


def canonical(program: Program) -> Program:
    """The program after the pass, without pipelined loops, and unchanged by running the pass again."""
    made = apply_pass(CanonicalizeIOOrder(), program)
    assert not [loop for loop in loops(made) if loop.kind is ForKind.Pipeline]
    programs.assert_unchanged(CanonicalizeIOOrder(), made)
    return made


def ordered(*lines: str, attrs: str = "") -> str:
    """The names in the order that the pass gives the statements of a pipelined loop."""
    return names(loops(canonical(pipeline(*lines, attrs=attrs)))[0].body)


def names(body: Stmt) -> str:
    """What the statements of a body are called: by the variable that they assign, else by what they are."""
    return " ".join(_name(stmt) for stmt in statements(body))


def _name(stmt: Stmt) -> str:
    match stmt:
        case AssignStmt():
            return stmt.var.name_hint
        case ForStmt():
            return f"for({names(stmt.body)})"
        case IfStmt():
            branches = [stmt.then_body, *([stmt.else_body] if stmt.else_body is not None else [])]
            return f"if({' / '.join(names(branch) for branch in branches)})"
        case _:
            return type(stmt).__name__.removesuffix("Stmt").lower()

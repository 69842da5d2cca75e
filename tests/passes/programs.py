# SPDX-License-Identifier: Apache-2.0
"""Programs of a few lines, and what a pass makes of them: Before and Expected stand side by side as text."""

from __future__ import annotations

from textwrap import dedent, indent

from pypto_build.dsl.text import parse_program
from pypto_build.ir import Function, GlobalVar, Program, assert_structural_equal
from pypto_build.passes import Pass, PassContext, apply_pass


def program(*methods: str) -> Program:
    """The program of some methods, each with its decorator, all in one text or one by one."""
    bodies = "\n".join(dedent(method).strip("\n") for method in methods)
    return parse_program(f"@pl.program\nclass P:\n{indent(bodies, '    ')}\n")


def body(head: str, text: str) -> Program:
    """The program of one method: its decorator and first line, and the statements of its body."""
    return program(f"{dedent(head).strip()}\n{indent(dedent(text).strip(), '    ')}")


def method(of: Program, name: str) -> Function:
    """One function of a program."""
    return of.functions[GlobalVar(name)]


def assert_becomes(pass_: Pass, before: Program, expected: Program, context: PassContext | None = None) -> Program:
    """The program after a pass, which is the expected one and says the same when it is printed and read again."""
    made = apply_pass(pass_, before, context)
    assert_structural_equal(made, expected, enable_auto_mapping=True)
    assert_structural_equal(parse_program(str(made)), made, enable_auto_mapping=True)
    return made


def assert_unchanged(pass_: Pass, before: Program, context: PassContext | None = None) -> None:
    """A pass that finds nothing to do hands back the very object that it was given."""
    assert apply_pass(pass_, before, context) is before

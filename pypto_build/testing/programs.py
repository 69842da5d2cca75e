# SPDX-License-Identifier: Apache-2.0
"""Programs of a few lines, from text; Before and Expected of a test stand side by side."""

from __future__ import annotations

from textwrap import dedent, indent

from pypto_build.dsl.text import parse_program
from pypto_build.ir import Function, GlobalVar, Program


def program(*methods: str) -> Program:
    """The program of some methods, each with its decorator, all in one text or one by one.

    Raises:
        UserError: the text is no program.
    """
    bodies = "\n".join(dedent(text).strip("\n") for text in methods)
    return parse_program(f"@pl.program\nclass P:\n{indent(bodies, '    ')}\n")


def body(head: str, text: str) -> Program:
    """The program of one method: its decorator and first line, and the statements of its body.

    Raises:
        UserError: the text is no program.
    """
    return program(f"{dedent(head).strip()}\n{indent(dedent(text).strip(), '    ')}")


def method(of: Program, name: str) -> Function:
    """One function of a program.

    Raises:
        KeyError: the program has no function of that name.
    """
    return of.functions[GlobalVar(name)]

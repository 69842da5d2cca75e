# SPDX-License-Identifier: Apache-2.0
"""Programs of a few lines, and what a pass makes of them: Before and Expected stand side by side as text."""

from __future__ import annotations

from pypto_build.dsl.text import parse_program
from pypto_build.ir import Program, assert_structural_equal
from pypto_build.passes import Pass, PassContext, apply_pass
from pypto_build.testing import body, method, program

__all__ = ["assert_becomes", "assert_unchanged", "body", "method", "program"]


def assert_becomes(pass_: Pass, before: Program, expected: Program, context: PassContext | None = None) -> Program:
    """The program after a pass, which is the expected one and says the same when it is printed and read again."""
    made = apply_pass(pass_, before, context)
    assert_structural_equal(made, expected, enable_auto_mapping=True)
    assert_structural_equal(parse_program(str(made)), made, enable_auto_mapping=True)
    return made


def assert_unchanged(pass_: Pass, before: Program, context: PassContext | None = None) -> None:
    """A pass that finds nothing to do hands back the very object that it was given."""
    assert apply_pass(pass_, before, context) is before

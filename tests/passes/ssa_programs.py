# SPDX-License-Identifier: Apache-2.0
"""Bodies before and after ConvertToSSA, in one function whose parameters all tests share."""

from __future__ import annotations

from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.verifiers.ssa_form import verify_ssa_form

from pypto_build.ir import Function, Program
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs

HEAD = """
@pl.function(auto_scope=False)
def f(self, a: pl.Scalar[pl.INT64], b: pl.Scalar[pl.INT64], flag: pl.Scalar[pl.BOOL], x: pl.Tensor[[64], pl.FP32],
      out: pl.Out[pl.Tensor[[64], pl.FP32]]):
"""


def body(text: str) -> Program:
    """The shared function with some body."""
    return programs.body(HEAD, text)


def converted(before: str | Program) -> Function:
    """The shared function in SSA form."""
    made = apply_pass(ConvertToSSA(), body(before) if isinstance(before, str) else before)
    return programs.method(made, "f")


def violations(program: Program) -> list[str]:
    """What the SSA verifier says."""
    return [found.message for found in verify_ssa_form(program, PassContext())]


def assert_converted(before: str | Program, expected: str | Program) -> None:
    """The expected program comes out, is in SSA form, and stays the same when it is converted again."""
    first, second = (body(one) if isinstance(one, str) else one for one in (before, expected))
    made = programs.assert_becomes(ConvertToSSA(), first, second)
    assert violations(made) == []
    programs.assert_unchanged(ConvertToSSA(), made)

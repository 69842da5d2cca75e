# SPDX-License-Identifier: Apache-2.0
"""Proof by execution: random programs compute the same before and after every pass of the language.

Each program goes through all of them. After each pass that changes it, it is run again, what the pass claims is
verified, and the pass is run a second time, which must give back the same object.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from hypothesis import HealthCheck, Phase, given, settings

from pypto_build.dsl.text import parse_program
from pypto_build.ir import Expr, Function, Rewriter, Sub, assert_structural_equal
from pypto_build.passes import Callees, FunctionPass, PassContext
from tests.passes.random_programs import Claim, RefutedError, Written, programs, prove, random_program, refutes, smaller

PROGRAMS = 300
CONSTRUCTS = {
    "assemble",
    "assignment",
    "break",
    "continue",
    "create_tensor",
    "element written",
    "else",
    "else of a jump",
    "for in pl.parallel",
    "for in pl.range",
    "for in pl.unroll",
    "for with init_values",
    "if",
    "if with yield",
    "inline call",
    "inline function",
    "kernel",
    "kernel call",
    "opaque function",
    "orchestration",
    "pl.at(CORE_GROUP)",
    "pl.at(level)",
    "pl.cluster",
    "pl.scope",
    "pl.spmd of a body",
    "pl.spmd of a call",
    "read of an element",
    "reassignment",
    "slice",
    "store",
    "while",
}


@settings(max_examples=PROGRAMS, phases=(Phase.generate,), suppress_health_check=[HealthCheck.too_slow])
@given(programs())
def test_every_pass_keeps_what_a_program_computes(written: Written) -> None:
    try:
        prove(written.text)
    except RefutedError as error:
        claim = error.claim
        raise AssertionError(f"{error}\n\n{smaller(written.text, lambda text: refutes(text, claim))}") from error


def test_the_printed_programs_mean_the_same_when_they_are_read_again() -> None:
    for seed in range(20):
        made = prove(random_program(seed).text)
        assert_structural_equal(parse_program(str(made)), made, enable_auto_mapping=True)


def test_the_programs_contain_everything_that_the_language_has() -> None:
    counts = sum((random_program(seed).counts for seed in range(100)), Counter[str]())
    assert set(counts) == CONSTRUCTS


@dataclass(frozen=True, slots=True)
class SwapsOperands(FunctionPass):
    """A pass with a mistake: it takes the larger from the smaller."""

    name: ClassVar[str] = "SwapsOperands"

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function with the operands of every subtraction exchanged."""
        del callees, context
        return _Swapper().visit(function)


class _Swapper(Rewriter):
    def visit_sub(self, expr: Sub) -> Expr:
        return Sub(self.visit(expr.right), self.visit(expr.left), expr.dtype, expr.span)


BROKEN = (SwapsOperands(),)


def test_a_pass_with_a_mistake_is_found() -> None:
    claim = Claim("SwapsOperands", "keeps the outputs")
    assert any(refutes(_text(seed), claim, BROKEN) for seed in range(100))


def test_a_program_that_shows_a_mistake_becomes_as_small_as_the_mistake() -> None:
    claim = Claim("SwapsOperands", "leaves its own result alone")
    text = next(text for text in map(_text, range(100)) if refutes(text, claim, BROKEN))
    small = smaller(text, lambda text: refutes(text, claim, BROKEN))
    assert refutes(small, claim, BROKEN)
    assert small.count(" - ") == 1
    assert small.count(" = ") <= 1


def _text(seed: int) -> str:
    return random_program(seed).text

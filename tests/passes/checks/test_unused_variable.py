# SPDX-License-Identifier: Apache-2.0
"""Warnings about variables that nobody reads."""

from __future__ import annotations

import pytest
from pypto_passes.checks.unused_variable import UNUSED_VARIABLE
from pypto_passes.init_mem_ref import InitMemRef

from pypto_build.ir import Program
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs
from tests.passes.checks.looking import seen

HEAD = """
@pl.function(type=pl.FunctionType.InCore, auto_scope=False)
def f(self, x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INDEX]):
"""
PAIR = """
@pl.function(type=pl.FunctionType.Opaque, auto_scope=False)
def pair(self, n: pl.Scalar[pl.INDEX]) -> tuple[pl.Scalar[pl.INDEX], pl.Scalar[pl.INDEX]]:
    return n, n
"""
COMPARE = """
a = pl.tile.load(x, [0, 0], [16, 64])
t = pl.tile.create([16, 256], dtype=pl.UINT8)
"""
CALL = "pl.tile.gather_compare(a, 0.5, t, out_cols=8)"


def body(text: str) -> Program:
    return programs.body(HEAD, text)


def unused(of: Program) -> list[str]:
    """The names in the warnings, in order."""
    return [message.split("'")[1] for _, message in seen(UNUSED_VARIABLE, of)]


def test_a_variable_that_nobody_reads_is_found_where_it_is_assigned():
    assert seen(UNUSED_VARIABLE, body("a = n + 1\nb = n + 2\nreturn b")) == [(3, "Unused variable 'a' in function 'f'")]


def test_it_is_a_warning():
    (function,) = body("a = n + 1\nreturn n").functions.values()
    (found,) = UNUSED_VARIABLE.diagnostics(function, PassContext())
    assert (found.severity, found.rule, found.code) == ("warning", "UnusedVariable", "")
    assert found.help == "use it, or leave the assignment out"


def test_a_variable_is_found_once_and_in_the_order_of_the_text():
    assert unused(body("b = n + 1\na = n + 2\nb = n + 3\nreturn n")) == ["b", "a"]


def test_parameters_and_loop_variables_need_no_reader():
    assert unused(body("m = n\nfor i in pl.range(4):\n    m = m + 1\nreturn m")) == []


def test_an_allocation_is_read_by_the_types_that_name_it():
    made = apply_pass(InitMemRef(), body(f"{COMPARE}b = pl.tile.add(a, a)\nreturn n"))
    assert unused(made) == ["t", "b"]


@pytest.mark.parametrize("line", [f"i, c = {CALL}", f"both = {CALL}", f"both = {CALL}\ni = both[0]"])
def test_results_of_an_instruction_need_no_reader(line: str):
    """MO-47: neither its results nor the tuple that they come in."""
    assert unused(body(f"{COMPARE}{line}\nreturn n")) == []


def test_what_is_made_of_a_result_needs_a_reader():
    """MO-47: the silence ends with the instruction."""
    assert unused(body(f"{COMPARE}i, c = {CALL}\nj = pl.tile.add(i, i)\nreturn n")) == ["j"]


def test_a_result_of_a_function_needs_a_reader():
    caller = (
        "@pl.function(auto_scope=False)\ndef f(self, n: pl.Scalar[pl.INDEX]):\n    a, b = self.pair(n)\n    return a\n"
    )
    assert unused(programs.program(PAIR, caller)) == ["b"]

# SPDX-License-Identifier: Apache-2.0
"""OutlineIncoreScopes: a scope that runs on a core becomes a kernel, and its function an orchestration."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.outline_incore_scopes import OutlineIncoreScopes, verify_split_incore_orch

from pypto_build.errors import UserError
from pypto_build.ir import InCoreScopeStmt, Program, Rewriter, SplitMode, collect, rebuilt
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs

T = "pl.Tensor[[16, 16], pl.FP32]"
KERNEL = "@pl.function(type=pl.FunctionType.InCore)"
MAIN = "@pl.function(type=pl.FunctionType.Orchestration)"


def source(text: str, kind: str = "@pl.function") -> str:
    """One function; `AT:` and `AT(...):` stand for a scope on a core."""
    lines = dedent(text).strip("\n").replace("AT(", "with pl.at(level=pl.Level.CORE_GROUP, ")
    body = indent(lines.replace("AT:", "with pl.at(level=pl.Level.CORE_GROUP):"), "    ")
    return f"{kind}\ndef main(self, x: {T}, y: {T}, n: pl.Scalar[pl.INDEX]) -> {T}:\n{body}"


def assert_outlined(before: str, *expected: str) -> None:
    """The expected functions come out, nothing is left to outline, and nobody complains of scopes."""
    made = programs.assert_becomes(OutlineIncoreScopes(), programs.program(source(before)), programs.program(*expected))
    programs.assert_unchanged(OutlineIncoreScopes(), made)
    assert not collect(made, InCoreScopeStmt)


def names(text: str, *others: str) -> list[str]:
    """The names of the functions afterwards."""
    made = apply_pass(OutlineIncoreScopes(), programs.program(*others, source(text)))
    return sorted(function.name for function in made.functions.values())


def test_a_scope_becomes_a_kernel_with_what_it_reads_and_what_is_read_of_it():
    before = """
        AT:
            a = pl.tensor.add(x, y)
            b = pl.tensor.muls(a, 2.0)
        return b
    """
    kernel = f"""
{KERNEL}
def main_incore_0(self, x: {T}, y: {T}) -> {T}:
    a = pl.tensor.add(x, y)
    b = pl.tensor.muls(a, 2.0)
    return b
"""
    assert_outlined(before, kernel, source("b = self.main_incore_0(x, y)\nreturn b", MAIN))


def test_two_values_that_are_read_afterwards_are_both_returned():
    before = """
        AT:
            a = pl.tensor.adds(x, 1.0)
            b = pl.tensor.muls(y, 2.0)
        c = pl.tensor.assemble(a, b, [0, 0])
        return c
    """
    kernel = f"""
{KERNEL}
def main_incore_0(self, x: {T}, y: {T}) -> tuple[{T}, {T}]:
    a = pl.tensor.adds(x, 1.0)
    b = pl.tensor.muls(y, 2.0)
    return a, b
"""
    after = "a, b = self.main_incore_0(x, y)\nc = pl.tensor.assemble(a, b, [0, 0])\nreturn c"
    assert_outlined(before, kernel, source(after, MAIN))


def test_a_scalar_is_read_and_the_target_of_an_assembly_written():
    before = """
        k = n + 1
        AT:
            a = pl.tensor.slice(x, [8, 16], [k, 0])
            b = pl.tensor.assemble(y, a, [0, 0])
        return b
    """
    made = apply_pass(OutlineIncoreScopes(), programs.program(source(before)))
    kernel = programs.method(made, "main_incore_0")
    assert [param.name_hint for param in kernel.params] == ["x", "k", "y"]
    assert [direction.name for direction in kernel.param_directions] == ["In", "In", "Out"]


def test_a_scope_in_a_loop_is_called_in_the_loop():
    before = """
        for i, (acc,) in pl.range(4, init_values=(x,)):
            AT:
                a = pl.tensor.add(acc, y)
            last = pl.yield_(a)
        return last
    """
    kernel = f"{KERNEL}\ndef main_incore_0(self, acc: {T}, y: {T}) -> {T}:\n    a = pl.tensor.add(acc, y)\n    return a"
    after = """
        for i, (acc,) in pl.range(4, init_values=(x,)):
            a = self.main_incore_0(acc, y)
            last = pl.yield_(a)
        return last
    """
    assert_outlined(before, kernel, source(after, MAIN))


ONE = "AT{0}:\n    {1} = pl.tensor.adds({2}, 1.0)\n"


def test_scopes_are_numbered_where_they_have_no_name():
    text = (
        ONE.format("", "a", "x") + ONE.format("(name_hint='scale')", "b", "a") + ONE.format("", "c", "b") + "return c"
    )
    assert names(text) == ["main", "main_incore_0", "main_incore_2", "scale"]


def test_a_name_that_is_given_twice_is_numbered():
    hint = "(name_hint='scale')"
    text = ONE.format(hint, "a", "x") + ONE.format(hint, "b", "a") + "return b"
    assert names(text) == ["main", "scale", "scale_0"]


def test_a_name_that_another_function_has_gets_the_name_of_its_own():
    other = f"{KERNEL}\ndef scale(self, x: {T}) -> {T}:\n    return x"
    assert names(ONE.format("(name_hint='scale')", "a", "x") + "return a", other) == ["main", "main_scale", "scale"]


def test_a_program_without_scopes_is_the_same_object():
    programs.assert_unchanged(OutlineIncoreScopes(), programs.program(source("return x")))


def test_a_kernel_is_left_alone():
    programs.assert_unchanged(OutlineIncoreScopes(), programs.program(source("return x", KERNEL)))


def split() -> Program:
    """A scope that the compiler shall split although it is split by hand, which authors cannot write."""
    text = """
        AT:
            for aiv in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
                a = pl.tensor.adds(x, 1.0)
        return x
    """

    class Split(Rewriter):
        def visit_in_core_scope_stmt(self, stmt: InCoreScopeStmt) -> InCoreScopeStmt:
            return rebuilt(stmt, {"split": SplitMode.UP_DOWN})

    return Split().visit(programs.program(source(text)))


def test_splitting_by_hand_and_by_the_compiler_at_once_is_refused():
    before = split()
    with pytest.raises(UserError) as caught:
        apply_pass(OutlineIncoreScopes(), before)
    assert caught.value.code == "SPLIT001"
    assert caught.value.message == "pl.split(...) and pl.split_aiv(...) are mutually exclusive on one scope"
    assert caught.value.span == collect(before, InCoreScopeStmt)[0].span


def found(made: Program) -> list[tuple[str, str]]:
    """Severity and message of what the verifier says."""
    return [(one.severity, one.message) for one in verify_split_incore_orch(made, PassContext())]


def test_a_scope_that_is_left_is_reported():
    made = programs.program(source(ONE.format("", "a", "x") + "return a"))
    assert found(made) == [("error", "InCore ScopeStmt found in function 'main' (it should have been outlined)")]


def test_a_computation_outside_of_kernels_deserves_a_warning():
    made = programs.program(source("a = pl.tensor.adds(x, 1.0)\nreturn a", MAIN))
    text = "'tensor.adds' computes in orchestration function 'main': put it into a kernel"
    assert found(made) == [("warning", text)]

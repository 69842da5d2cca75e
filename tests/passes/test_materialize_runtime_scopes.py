# SPDX-License-Identifier: Apache-2.0
"""MaterializeRuntimeScopes: where the runtime opens scopes, said in the program."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.materialize_runtime_scopes import COVERED, MaterializeRuntimeScopes, verify_runtime_scopes

from pypto_build.ir import EMPTY_MAP, Program, RuntimeScopeStmt, assert_structural_equal, collect, rebuilt
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs
from tests.passes.carries import KERNELS, PARAMETERS


def main(text: str, *, auto: bool = True, kind: str = "Orchestration") -> Program:
    """The kernels and a function, whose scopes are placed by the compiler or by hand."""
    by_hand = "" if auto else ", auto_scope=False"
    head = f"@pl.function(type=pl.FunctionType.{kind}{by_hand})\ndef main(self, {PARAMETERS}):\n"
    return programs.program(KERNELS, head + indent(dedent(text).strip("\n"), "    "))


def assert_scoped(before: str, expected: str) -> None:
    """The expected scopes come out, once."""
    made = programs.assert_becomes(MaterializeRuntimeScopes(), main(before), main(expected, auto=False))
    programs.assert_unchanged(MaterializeRuntimeScopes(), made)
    assert problems(made) == []


def problems(made: Program) -> list[str]:
    """What the verifier says."""
    return [found.message for found in verify_runtime_scopes(made, PassContext())]


def test_the_body_of_an_orchestration_gets_a_scope():
    assert_scoped("c = self.grow(x, a)", "with pl.scope():\n    c = self.grow(x, a)")


def test_the_body_of_a_loop_gets_a_scope():
    before = """
        for i in pl.range(4):
            c = self.grow(x, a)
    """
    expected = """
        with pl.scope():
            for i in pl.range(4):
                with pl.scope():
                    c = self.grow(x, a)
    """
    assert_scoped(before, expected)


def test_both_branches_get_scopes():
    before = """
        if n == 0:
            c = self.grow(x, a)
        else:
            d = self.grow(x, b)
    """
    expected = """
        with pl.scope():
            if n == 0:
                with pl.scope():
                    c = self.grow(x, a)
            else:
                with pl.scope():
                    d = self.grow(x, b)
    """
    assert_scoped(before, expected)


def test_nothing_inside_of_a_manual_scope_gets_one():
    before = """
        with pl.manual_scope():
            for i in pl.range(4):
                if n == i:
                    c = self.grow(x, a)
    """
    assert_scoped(before, f"with pl.scope():\n{indent(dedent(before).strip(), '    ')}")


def test_a_scope_that_is_there_is_not_doubled():
    text = "with pl.scope():\n    for i in pl.range(4):\n        with pl.scope():\n            c = self.grow(x, a)"
    by_hand = main(text, auto=False)
    kernels = [one for one in by_hand.functions.values() if one.name != "main"]
    unsaid = rebuilt(programs.method(by_hand, "main"), {"attrs": EMPTY_MAP})
    made = apply_pass(MaterializeRuntimeScopes(), by_hand.with_functions([*kernels, unsaid]))
    assert_structural_equal(made, by_hand, enable_auto_mapping=True)


def test_a_function_that_places_its_scopes_by_hand_is_left_alone():
    programs.assert_unchanged(MaterializeRuntimeScopes(), main("c = self.grow(x, a)", auto=False))


@pytest.mark.parametrize("kind", ["InCore", "AIV", "Group"])
def test_a_function_of_another_kind_is_left_alone(kind: str):
    made = main("for i in pl.range(4):\n    c = self.grow(x, a)", kind=kind)
    programs.assert_unchanged(MaterializeRuntimeScopes(), made)
    assert problems(made) == []


def test_a_function_whose_tasks_name_all_that_they_wait_for_runs_in_one_manual_scope():
    covered = f"pl.func_attr({{'{COVERED}': True}})"
    body = "for i in pl.range(4):\n    c = self.grow(x, a)"
    expected = f"with pl.manual_scope():\n{indent(body, '    ')}"
    made = programs.assert_becomes(MaterializeRuntimeScopes(), main(f"{covered}\n{body}"), main(expected, auto=False))
    programs.assert_unchanged(MaterializeRuntimeScopes(), made)


def test_a_scope_without_tasks_is_automatic():
    made = apply_pass(MaterializeRuntimeScopes(), main("k = n + 1"))
    assert [scope.manual for scope in collect(programs.method(made, "main"), RuntimeScopeStmt)] == [False]


def test_an_orchestration_without_its_scopes_is_reported():
    made = main("c = self.grow(x, a)")
    (found,) = verify_runtime_scopes(made, PassContext())
    assert (found.severity, found.rule) == ("error", "RuntimeScopesMaterialized")
    assert found.message == "runtime scopes of orchestration function 'main' are not materialized"
    assert found.span == programs.method(made, "main").span

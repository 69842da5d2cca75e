# SPDX-License-Identifier: Apache-2.0
"""OutlineHierarchyScopes: scopes at a level of the machine become functions of that level."""

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.outline_hierarchy_scopes import OutlineHierarchyScopes, verify_hierarchy_outlined
from pypto_passes.outline_incore_scopes import OutlineIncoreScopes

from pypto_build.ir import FunctionType, Level, Role
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs

T = "pl.Tensor[[4], pl.FP32]"
HOST = "level=pl.Level.HOST, role=pl.Role.Orchestrator"


def ssa(*functions):
    return apply_pass(ConvertToSSA(), programs.program(*functions))


def main(text, kind="@pl.function", name="main"):
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    return f"{kind}\ndef {name}(self, a: {T}, b: {T}) -> {T}:\n{lines}\n"


def outlined(params, text, *, name, options, results=T):
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    given = ", ".join(f"{param}: {T}" for param in params)
    return f"@pl.function({options})\ndef {name}(self, {given}){results and ' -> ' + results}:\n{lines}\n"


def assert_outlined(before, *expected):
    made = programs.assert_becomes(OutlineHierarchyScopes(), ssa(before), ssa(*expected))
    programs.assert_unchanged(OutlineHierarchyScopes(), made)
    assert not list(verify_hierarchy_outlined(made, PassContext()))


def test_a_scope_becomes_a_function_of_its_level_and_role():
    before = main(f"with pl.at({HOST}):\n    c = pl.add(a, b)\nreturn c")
    scope = outlined("ab", "c = pl.add(a, b)\nreturn c", name="main_host_orch_0", options=HOST)
    assert_outlined(before, scope, main("c = self.main_host_orch_0(a, b)\nreturn c"))


def test_without_a_role_the_name_has_the_level_alone():
    before = main("with pl.at(level=pl.Level.CHIP):\n    c = pl.add(b, a)\nreturn c")
    scope = outlined("ba", "c = pl.add(b, a)\nreturn c", name="main_chip_0", options="level=pl.Level.CHIP")
    assert_outlined(before, scope, main("c = self.main_chip_0(b, a)\nreturn c"))


def test_results_that_are_used_later_come_back_as_a_tuple():
    before = main(f"with pl.at({HOST}):\n    c = pl.add(a, b)\n    d = pl.mul(a, b)\ne = pl.add(c, d)\nreturn e")
    text = "c = pl.add(a, b)\nd = pl.mul(a, b)\nreturn c, d"
    scope = outlined("ab", text, name="main_host_orch_0", options=HOST, results=f"tuple[{T}, {T}]")
    assert_outlined(before, scope, main("c, d = self.main_host_orch_0(a, b)\ne = pl.add(c, d)\nreturn e"))


def test_what_is_not_used_later_does_not_come_back():
    before = main(f"with pl.at({HOST}):\n    c = pl.add(a, b)\nreturn a")
    scope = outlined("ab", "c = pl.add(a, b)", name="main_host_orch_0", options=HOST, results="")
    assert_outlined(before, scope, main("self.main_host_orch_0(a, b)\nreturn a"))


def test_an_inner_scope_is_outlined_from_the_function_of_the_outer_one():
    inner = "    with pl.at(level=pl.Level.CHIP):\n        d = pl.mul(c, b)"
    before = main(f"with pl.at({HOST}):\n    c = pl.add(a, b)\n{inner}\nreturn d")
    name = "main_host_orch_0_chip_0"
    last = outlined("cb", "d = pl.mul(c, b)\nreturn d", name=name, options="level=pl.Level.CHIP")
    text = f"c = pl.add(a, b)\nd = self.{name}(c, b)\nreturn d"
    scope = outlined("ab", text, name="main_host_orch_0", options=HOST)
    assert_outlined(before, last, scope, main("d = self.main_host_orch_0(a, b)\nreturn d"))


def test_scopes_are_counted_in_each_function_from_nought():
    two = (
        "with pl.at(level=pl.Level.CHIP):\n    c = pl.add(a, b)\nwith pl.at(level=pl.Level.HOST):\n    d = pl.mul(c, b)"
    )
    made = apply_pass(OutlineHierarchyScopes(), ssa(main(f"{two}\nreturn d"), main(f"{two}\nreturn c", name="other")))
    names = {function.name for function in made.functions.values()}
    assert names == {"main_chip_0", "main_host_1", "main", "other_chip_0", "other_host_1", "other"}


def test_a_task_id_makes_the_call_a_submit_that_may_be_waited_for():
    first = f"with pl.at({HOST}, name_hint='one') as t:\n    c = pl.add(a, b)\n"
    before = main(f"{first}with pl.at({HOST}, name_hint='two', deps=[t]) as u:\n    d = pl.mul(c, b)\nreturn d")
    one = outlined("ab", "c = pl.add(a, b)\nreturn c", name="one", options=HOST)
    two = outlined("cb", "d = pl.mul(c, b)\nreturn d", name="two", options=HOST)
    assert_outlined(
        before, one, two, main("c, t = pl.submit(self.one, a, b)\nd, u = pl.submit(self.two, c, b, deps=[t])\nreturn d")
    )


@pytest.mark.parametrize(
    ("spelled", "suffix", "level"),
    [("POD", "cluster0", Level.CLUSTER_0), ("UMA", "chip", Level.CHIP), ("CHIP_DIE", "chip_die", Level.CHIP_DIE)],
)
def test_a_level_has_one_name_however_it_is_spelled(spelled, suffix, level):
    before = ssa(main(f"with pl.at(level=pl.Level.{spelled}):\n    c = pl.add(a, b)\nreturn c"))
    function = programs.method(apply_pass(OutlineHierarchyScopes(), before), f"main_{suffix}_0")
    assert (function.level, function.role, function.func_type) == (level, None, FunctionType.Opaque)


def test_the_function_around_keeps_its_kind():
    before = ssa(main(f"with pl.at({HOST}):\n    c = pl.add(a, b)\nreturn c"))
    made = apply_pass(OutlineHierarchyScopes(), before)
    assert programs.method(made, "main").func_type is FunctionType.Opaque
    assert programs.method(made, "main_host_orch_0").role is Role.Orchestrator


@pytest.mark.parametrize("scope", ["pl.at(level=pl.Level.CORE_GROUP)", "pl.cluster()"])
def test_other_scopes_stay(scope):
    programs.assert_unchanged(OutlineHierarchyScopes(), ssa(main(f"with {scope}:\n    c = pl.add(a, b)\nreturn c")))


def test_a_kernel_scope_in_the_outlined_function_is_outlined_next():
    core = "    with pl.at(level=pl.Level.CORE_GROUP):\n        c = pl.add(a, b)"
    made = apply_pass(OutlineHierarchyScopes(), ssa(main(f"with pl.at({HOST}):\n{core}\nreturn c")))
    made = apply_pass(OutlineIncoreScopes(), made)
    assert {f.name for f in made.functions.values()} == {"main_host_orch_0_incore_0", "main_host_orch_0", "main"}


def test_a_scope_that_is_left_is_reported_at_its_place():
    before = ssa(main(f"with pl.at({HOST}):\n    c = pl.add(a, b)\nreturn c"))
    (found,) = verify_hierarchy_outlined(before, PassContext())
    assert found.message == "Hierarchy ScopeStmt found in function 'main' (it should have been outlined)"
    assert found.span.begin_line == 5


def test_the_scopes_of_an_orchestration_are_not_asked_for():
    kind = "@pl.function(type=pl.FunctionType.Orchestration)"
    before = ssa(main(f"with pl.at({HOST}):\n    c = pl.add(a, b)\nreturn c", kind))
    programs.assert_unchanged(OutlineHierarchyScopes(), before)
    assert not list(verify_hierarchy_outlined(before, PassContext()))

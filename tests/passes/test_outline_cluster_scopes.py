# SPDX-License-Identifier: Apache-2.0
"""OutlineClusterScopes: clusters become Group functions, launches Spmd functions; the cores lie on the call."""

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.outline_cluster_scopes import OutlineClusterScopes, verify_cluster_outlined
from pypto_passes.outline_incore_scopes import OutlineIncoreScopes

from pypto_build.errors import UserError
from pypto_build.ir import AssignStmt, Call, FloorDiv, ForStmt, FunctionType, Submit, Var, as_int, collect
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs

T = "pl.Tensor[[4], pl.FP32]"
ORCHESTRATION = "@pl.function(type=pl.FunctionType.Orchestration)"
KERNEL = f"""
@pl.function(type=pl.FunctionType.InCore)
def kernel(self, x: {T}, out: pl.Out[{T}]) -> {T}:
    out = pl.store(pl.load(x, [0], [4]), [0], out)
    return out
"""


def ssa(*functions):
    return apply_pass(ConvertToSSA(), programs.program(*functions))


def function(text, name="main", kind="@pl.function", out=True):
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    params = f"x: {T}, out: pl.Out[{T}]" if out else f"x: {T}"
    return f"{kind}\ndef {name}(self, {params}) -> {T}:\n{lines}\n"


def wrapper(name, kind, *attrs):
    """A function that runs the kernel and hands back its own parameter."""
    lines = "".join(f"pl.func_attr({{{attr}}})\n" for attr in attrs)
    text = f"{lines}done = self.kernel(x, out)\nreturn out"
    return function(text, name, f"@pl.function(type=pl.FunctionType.{kind})")


def orchestration(text):
    return function(text, kind=ORCHESTRATION)


def assert_outlined(before, *expected):
    made = programs.assert_becomes(OutlineClusterScopes(), ssa(*before), ssa(*expected))
    programs.assert_unchanged(OutlineClusterScopes(), made)
    assert not list(verify_cluster_outlined(made, PassContext()))


def of_kind(program, kind):
    return [one for one in program.functions.values() if one.func_type is kind]


def test_a_cluster_becomes_a_group():
    before = function("with pl.cluster():\n    y = pl.add(x, x)\nreturn y", out=False)
    group = function("y = pl.add(x, x)\nreturn y", "main_cluster_0", "@pl.function(type=pl.FunctionType.Group)", False)
    assert_outlined([before], group, function("y = self.main_cluster_0(x)\nreturn y", out=False))


def test_a_launch_becomes_an_spmd_function_and_its_call_has_the_cores():
    before = orchestration("with pl.spmd(4, sync_start=True):\n    out = self.kernel(x, out)\nreturn out")
    call = "out = self.main_spmd_0(x, out, attrs={'core_num': 4, 'sync_start': True})\nreturn out"
    assert_outlined([KERNEL, before], KERNEL, wrapper("main_spmd_0", "Spmd"), orchestration(call))


def test_a_launch_that_is_all_of_a_cluster_gives_its_cores_to_the_cluster():
    before = orchestration("with pl.cluster():\n    with pl.spmd(8):\n        out = self.kernel(x, out)\nreturn out")
    group = wrapper("main_cluster_0", "Group", "'spmd_unwrapped': True")
    call = orchestration("out = self.main_cluster_0(x, out, attrs={'core_num': 8})\nreturn out")
    assert_outlined([KERNEL, before], KERNEL, group, call)


def test_clusters_and_launches_are_counted_apart():
    text = (
        "with pl.cluster():\n    out = self.kernel(x, out)\n"
        "with pl.spmd(2):\n    out = self.kernel(x, out)\n"
        "with pl.cluster():\n    out = self.kernel(x, out)\nreturn out"
    )
    made = apply_pass(OutlineClusterScopes(), ssa(KERNEL, orchestration(text)))
    names = {one.name for one in made.functions.values()}
    assert names == {"kernel", "main_cluster_0", "main_cluster_1", "main_spmd_0", "main"}


def test_a_hint_that_is_given_twice_gets_a_number():
    one = "with pl.cluster(name_hint='both'):\n    out = self.kernel(x, out)\n"
    made = apply_pass(OutlineClusterScopes(), ssa(KERNEL, orchestration(f"{one}{one}return out")))
    assert [group.name for group in of_kind(made, FunctionType.Group)] == ["both", "both_0"]


def test_cores_that_are_computed_are_known_to_the_caller_only():
    text = "for n in pl.range(2, 9):\n    with pl.spmd(n // 2):\n        out = self.kernel(x, out)\nreturn out"
    made = apply_pass(OutlineClusterScopes(), ssa(KERNEL, orchestration(text)))
    (spmd,) = of_kind(made, FunctionType.Spmd)
    assert "core_num" not in spmd.attrs
    call = next(call for call in collect(programs.method(made, "main"), Call) if call.op.name == "main_spmd_0")
    (loop,) = collect(programs.method(made, "main"), ForStmt)
    cores = call.attrs["core_num"]
    assert isinstance(cores, FloorDiv)
    assert cores.left is loop.loop_var


def test_a_task_id_makes_the_launch_a_submit_with_cores():
    text = "with pl.spmd(4) as t:\n    out = self.kernel(x, out)\nreturn out"
    made = apply_pass(OutlineClusterScopes(), ssa(KERNEL, orchestration(text)))
    (submit,) = collect(programs.method(made, "main"), Submit)
    assert (as_int(submit.core_num), submit.sync_start, submit.deps) == (4, False, ())


def test_a_launch_waits_for_the_tasks_it_depends_on():
    text = "with pl.spmd(4) as t:\n    out = self.kernel(x, out)\n"
    text += "with pl.spmd(4, deps=[t]) as u:\n    out = self.kernel(x, out)\nreturn out"
    made = apply_pass(OutlineClusterScopes(), ssa(KERNEL, orchestration(text)))
    first, second = collect(programs.method(made, "main"), Submit)
    (dep,) = second.deps
    assert isinstance(dep, Var)
    assert first.deps == ()


def test_an_early_launch_is_a_submit_even_when_nobody_knows_its_task():
    text = "with pl.spmd(4, allow_early_resolve=True):\n    out = self.kernel(x, out)\nreturn out"
    made = apply_pass(OutlineClusterScopes(), ssa(KERNEL, orchestration(text)))
    (submit,) = collect(programs.method(made, "main"), Submit)
    assert submit.allow_early_resolve
    assert as_int(submit.core_num) == 4


def test_the_body_of_a_loop_over_cores_is_a_kernel_below_the_launch():
    text = "for i in pl.spmd(4):\n    out = pl.store(pl.load(x, [i], [1]), [i], out)\nreturn out"
    made = apply_pass(OutlineClusterScopes(), apply_pass(OutlineIncoreScopes(), ssa(orchestration(text))))
    assert {one.name for one in made.functions.values()} == {"main_incore_0", "main_spmd_0", "main"}
    (assign,) = collect(programs.method(made, "main_spmd_0"), AssignStmt)
    assert assign.value.op.name == "main_incore_0"


def test_a_program_without_either_stays_as_it_is():
    text = "with pl.at(level=pl.Level.CORE_GROUP):\n    y = pl.add(x, x)\nreturn y"
    programs.assert_unchanged(OutlineClusterScopes(), ssa(function(text, out=False)))


@pytest.mark.parametrize(
    ("inner", "code", "line"),
    [
        (
            "    for n in pl.range(1, 3):\n        with pl.spmd(n):\n            out = self.kernel(x, out)",
            "SPMD002",
            11,
        ),
        ("    with pl.spmd(2):\n        out = self.kernel(x, out)\n" * 2, "SPMD001", 12),
    ],
)
def test_a_cluster_that_cannot_be_launched_at_once_is_refused_at_the_launch(inner, code, line):
    before = ssa(KERNEL, orchestration(f"with pl.cluster():\n{inner.rstrip()}\nreturn out"))
    with pytest.raises(UserError) as caught:
        apply_pass(OutlineClusterScopes(), before)
    assert (caught.value.code, caught.value.span.begin_line) == (code, line)


@pytest.mark.parametrize(("scope", "what"), [("pl.cluster()", "Cluster"), ("pl.spmd(4)", "Spmd")])
def test_a_scope_that_is_left_is_reported(scope, what):
    before = ssa(KERNEL, orchestration(f"with {scope}:\n    out = self.kernel(x, out)\nreturn out"))
    (found,) = verify_cluster_outlined(before, PassContext())
    assert found.message == f"{what} ScopeStmt found in function 'main' (it should have been outlined)"

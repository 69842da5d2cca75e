# SPDX-License-Identifier: Apache-2.0
"""Task launches, their dependencies, and scopes."""

import pytest

from pypto_build.dsl.diagnostics import ParserSyntaxError, ParserTypeError, UnsupportedFeatureError
from pypto_build.dsl.text import parse_program
from pypto_build.ir import (
    AssignStmt,
    ClusterScopeStmt,
    HierarchyScopeStmt,
    InCoreScopeStmt,
    Level,
    RuntimeScopeStmt,
    SplitAivScopeStmt,
    SplitMode,
    SpmdScopeStmt,
    Submit,
    TupleGetItemExpr,
    collect,
)

HEAD = """
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64], pl.FP32], y: pl.Tensor[[64], pl.FP32]) -> pl.Tensor[[64], pl.FP32]:
        return x

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[64], pl.FP32], y: pl.Tensor[[64], pl.FP32]):
"""


def _main(*lines):
    return parse_program(HEAD + "".join(f"        {line}\n" for line in lines)).get_function("main")


def test_a_launch_binds_its_results_and_its_task_through_one_temporary():
    main = _main("a, tid = pl.submit(self.kernel, x, y)", "return a")
    temporary, result, task = collect(main, AssignStmt)
    assert isinstance(temporary.value, Submit)
    assert [stmt.value.index for stmt in (result, task)] == [0, 1]
    assert all(isinstance(stmt.value, TupleGetItemExpr) for stmt in (result, task))
    assert str(task.var.type) == "pl.Scalar[pl.TASK_ID]"


def test_dependencies_stand_on_the_launch_and_none_is_no_dependency():
    main = _main("a, t = pl.submit(self.kernel, x, y)", "b, u = pl.submit(self.kernel, a, y, deps=[t, None])")
    first, second = collect(main, Submit)
    assert first.deps == ()
    assert [dep.name_hint for dep in second.deps] == ["t"]


def test_a_launch_on_several_cores_says_how_many():
    (submit,) = collect(_main("a, t = pl.spmd_submit(self.kernel, x, y, core_num=4, sync_start=True)"), Submit)
    assert submit.core_num.value == 4
    assert submit.sync_start


def test_the_task_of_a_scope_is_invalid_until_the_scope_is_launched():
    main = _main("with pl.at(level=pl.Level.CORE_GROUP, name_hint='k') as t:", "    z = x")
    placeholder, scope = main.body.stmts
    assert placeholder.value.op.name == "system.task_invalid"
    assert isinstance(scope, InCoreScopeStmt)
    assert scope.attrs["task_id_var"] is placeholder.var
    assert scope.name_hint == "k"


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("pl.at(level=pl.Level.CORE_GROUP)", InCoreScopeStmt),
        ("pl.at(pl.Level.CHIP)", HierarchyScopeStmt),
        ("pl.cluster()", ClusterScopeStmt),
        ("pl.manual_scope()", RuntimeScopeStmt),
        ("pl.scope(mode=pl.ScopeMode.MANUAL)", RuntimeScopeStmt),
    ],
)
def test_each_context_manager_makes_its_scope(header, kind):
    (scope,) = collect(_main(f"with {header}:", "    z = x", "return z"), kind)
    assert collect(scope, AssignStmt)[0].var.name_hint == "z"


def test_a_level_other_than_the_core_group_is_kept_on_the_scope():
    (scope,) = collect(_main("with pl.at(level=pl.Level.CHIP):", "    z = x"), HierarchyScopeStmt)
    assert scope.level is Level.CHIP


def test_optimizations_say_how_a_kernel_is_split_and_how_many_slots_its_ring_has():
    options = "optimizations=[pl.split(pl.SplitMode.UP_DOWN), pl.cross_core_slot(slot_num=4)]"
    (scope,) = collect(_main(f"with pl.at(level=pl.Level.CORE_GROUP, {options}):", "    z = x"), InCoreScopeStmt)
    assert scope.split is SplitMode.UP_DOWN
    assert scope.attrs["slot_num"] == 4


def test_a_loop_over_cores_is_a_launch_of_a_kernel_that_begins_with_its_index():
    (scope,) = collect(_main("for i in pl.spmd(4, name_hint='k'):", "    j = i + 1"), SpmdScopeStmt)
    assert (scope.name_hint, scope.body.name_hint) == ("k_spmd", "k")
    assert scope.body.body.stmts[0].value.op.name == "tile.get_block_idx"


def test_a_scope_over_cores_that_only_dispatches_holds_the_call_itself():
    (scope,) = collect(_main("with pl.spmd(4):", "    z = self.kernel(x, y)"), SpmdScopeStmt)
    assert isinstance(scope.body, AssignStmt)


def test_a_split_region_in_an_orchestration_gets_a_kernel_around_it():
    (scope,) = collect(_main("for i in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):", "    j = i + 1"), InCoreScopeStmt)
    assert isinstance(scope.body, SplitAivScopeStmt)


@pytest.mark.parametrize("mode", ["UP_DOWN", "NONE"])
def test_a_scope_that_is_split_by_hand_takes_no_split_option(mode):
    scope = f"with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.{mode})]):"
    with pytest.raises(ParserSyntaxError, match="mutually exclusive"):
        _main(scope, "    for i in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):", "        j = i + 1")


def test_a_scope_that_is_split_by_hand_may_say_how_many_slots_its_ring_has():
    scope = "with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.cross_core_slot(slot_num=4)]):"
    made = _main(scope, "    for i in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):", "        j = i + 1")
    assert collect(made, InCoreScopeStmt)[0].attrs["slot_num"] == 4


REFUSED = [
    ("pl.submit(self.kernel, x, y)", ParserSyntaxError, "must be unpacked"),
    ("a, t = pl.submit(x, y)", ParserSyntaxError, "must be a kernel"),
    ("a, t = pl.submit(self.kernel, x, y, core_num=2)", ParserTypeError, "core_num"),
    ("a, t = pl.spmd_submit(self.kernel, x, y)", ParserSyntaxError, "requires the core_num"),
    ("a, t = pl.submit(self.kernel, x, y, deps=[x])", ParserTypeError, "TaskId"),
    ("a = self.kernel(x, y, deps=[])", ParserTypeError, "does not accept 'deps='"),
    ("a = self.kernel(x, y, attrs={'manual_dep_edges': []})", ParserTypeError, "manual_dep_edges"),
    ("with pl.scope():\n            z = x", ParserSyntaxError, r"requires @pl\.function\(auto_scope=False\)"),
    ("with pl.at(role=pl.Role.Orchestrator):\n            z = x", ParserSyntaxError, "requires level="),
    ("with pl.at(pl.Level.CHIP, nothing=1):\n            z = x", ParserSyntaxError, "Unknown keyword"),
    ("with pl.cluster() as t:\n            z = x", ParserSyntaxError, "only applies to"),
    ("with pl.spmd(4, deps=[]):\n            z = self.kernel(x, y)", ParserSyntaxError, "does not accept 'deps='"),
    ("with pl.spmd(4):\n            z = x", ParserSyntaxError, "neither reads the per-block index"),
    ("with pl.spmd(0):\n            z = x", ParserSyntaxError, "must be a positive integer"),
    ("with pl.at(pl.Level.CHIP), pl.cluster():\n            z = x", UnsupportedFeatureError, "one context manager"),
]


@pytest.mark.parametrize(("statement", "kind", "message"), REFUSED)
def test_a_launch_or_scope_written_wrongly_is_refused(statement, kind, message):
    with pytest.raises(kind, match=message):
        _main(statement)

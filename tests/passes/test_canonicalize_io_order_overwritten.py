# SPDX-License-Identifier: Apache-2.0
"""CanonicalizeIOOrder keeps its hands off functions that read what a call may have overwritten."""

from dataclasses import fields
from textwrap import indent

import pytest
from pypto_passes.canonicalize_io_order import CanonicalizeIOOrder

from pypto_build.analysis.statement_dependencies import dependency_graph, directions_of, discipline_violations
from pypto_build.errors import InternalError
from pypto_build.ir import EvalStmt, Function, ParamDirection, Program, statements
from tests.passes import programs
from tests.passes.pipelines import X, add, load, loops, names
from tests.unit.ir.build import assign, call, loop, number, scalar

CALLED = f"""
@pl.function(type=pl.FunctionType.InCore)
def update(self, x: {X}, total: pl.InOut[{X}]) -> {X}:
    return total

@pl.function(type=pl.FunctionType.InCore)
def fill(self, x: {X}, out: pl.Out[{X}]) -> {X}:
    return out

@pl.function(type=pl.FunctionType.InCore)
def blend(self, x: {X}, y: {X}, total: pl.InOut[{X}]) -> {X}:
    return total
"""
PARAMETERS = f"source: {X}, n: pl.Scalar[pl.INDEX], a: pl.InOut[{X}]"
HEAD = f"@pl.function(type=pl.FunctionType.InCore)\ndef kernel(self, {PARAMETERS}):"
KNOWN = directions_of(
    {
        "update": (ParamDirection.In, ParamDirection.InOut),
        "fill": (ParamDirection.In, ParamDirection.Out),
        "blend": (ParamDirection.In, ParamDirection.In, ParamDirection.InOut),
    }
)


def calling(text: str) -> Program:
    """A kernel that calls functions which write their last parameter."""
    return programs.program(CALLED, f"{HEAD}\n{indent(text.strip(chr(10)), '    ')}")


def violations(text: str) -> list[str]:
    """What is read after it may have been overwritten, each as the text of the report."""
    function: Function = programs.method(calling(text), "kernel")
    return [found.message for found in discipline_violations(function.body, KNOWN)]


def report(callee: str = "update", name: str = "a") -> list[str]:
    """The report for one Var."""
    return [f"Variable '{name}' is read after it was passed as InOut/Out to '{callee}': use the result of the call"]


UNORDERED = f"""
for i in pl.pipeline(0, 8, 2, stage=1):
    {load("t")}
    {add("u", "t")}
    {load("v")}
"""
BROKEN = "b = self.update(source, a)\nc = self.update(a, b)\n"


def test_one_violation_anywhere_leaves_the_whole_function_alone():
    """CIO-30: the violation stands before the pipeline, which would be ordered without it."""
    programs.assert_unchanged(CanonicalizeIOOrder(), calling(BROKEN + UNORDERED))


def test_no_setting_turns_the_check_off():
    """CIO-30: the pass has no option and is told nothing of the run, so no verification level either."""
    assert CanonicalizeIOOrder.reads == ()
    assert [field.name for field in fields(CanonicalizeIOOrder)] == []


def test_the_pipelines_of_such_a_function_stay_pipelines():
    """CIO-31."""
    before = calling(UNORDERED + BROKEN)
    programs.assert_unchanged(CanonicalizeIOOrder(), before)
    assert [dict(loop.attrs) for loop in loops(before)] == [{"pipeline_stages": 1}]


def test_without_the_violation_the_function_is_ordered():
    """CIO-30, CIO-33."""
    text = "b = self.update(source, a)\nc = self.update(source, b)\n" + UNORDERED
    made = programs.apply_pass(CanonicalizeIOOrder(), calling(text))
    assert names(loops(made)[0].body) == "t v u"


def test_another_function_of_the_program_is_ordered_all_the_same():
    """CIO-30: the check is made once per function."""
    other = f"@pl.function(type=pl.FunctionType.InCore)\ndef other(self, source: {X}):\n{indent(UNORDERED, '    ')}"
    text = f"{HEAD}\n{indent(BROKEN + UNORDERED.strip(), '    ')}"
    made = programs.apply_pass(CanonicalizeIOOrder(), programs.program(CALLED, text, other))
    assert "pl.pipeline" in str(programs.method(made, "kernel"))
    assert "pl.pipeline" not in str(programs.method(made, "other"))


@pytest.mark.parametrize("callee", ["update", "fill"])
def test_reading_what_a_call_takes_as_inout_or_out_is_a_violation(callee: str):
    """CIO-32."""
    assert violations(f"b = self.{callee}(source, a)\nc = self.update(a, b)") == report(callee)


def test_a_call_whose_result_nobody_takes_overwrites_as_well():
    """CIO-32."""
    assert violations("self.update(source, a)\nc = self.update(a, source)") == report()


def test_reading_an_input_again_is_none():
    """CIO-32."""
    assert violations("b = self.update(source, a)\nc = self.update(source, b)") == []


def test_reading_the_result_is_none():
    """CIO-33."""
    assert violations("b = self.fill(source, a)\nc = self.update(b, b)") == []


def test_a_violation_in_a_branch_is_found():
    """CIO-34."""
    text = "if n == 0:\n    b = self.update(source, a)\n    c = self.update(a, b)"
    assert violations(text) == report()


def test_a_violation_in_a_loop_is_found():
    """CIO-34."""
    text = "b = self.update(source, a)\nfor i in pl.range(4):\n    t = pl.tile.load(a, [0, 0], [8, 64])"
    assert violations(text) == report()


def test_what_one_branch_overwrote_the_other_may_read():
    """CIO-35."""
    text = "if n == 0:\n    b = self.update(source, a)\nelse:\n    c = self.fill(a, source)"
    assert violations(text) == []


@pytest.mark.parametrize("branch", ["if n == 0:\n    {0}\nelse:\n    {1}", "if n == 0:\n    {1}\nelse:\n    {0}"])
def test_what_either_branch_overwrote_counts_afterwards(branch: str):
    """CIO-35."""
    text = branch.format("b = self.update(source, a)", "c = pl.tensor.create([64, 64], dtype=pl.FP32)")
    assert violations(text + "\nd = pl.tile.load(a, [0, 0], [8, 64])") == report()


def test_a_call_may_read_what_it_overwrites():
    """CIO-36."""
    assert violations("b = self.blend(a, source, a)") == []


def test_built_in_operations_overwrite_nothing():
    """CIO-37: not even a store."""
    read, write = "t = pl.tile.load({}, [0, 0], [8, 64])", "s = pl.tile.store(t, [0, 0], a)"
    assert violations("\n".join((read.format("source"), write, read.format("a")))) == []


@pytest.mark.parametrize("head", ["for i in pl.range(4):", "while n > 0:"])
def test_a_read_in_the_next_iteration_is_a_read_after_the_call(head: str):
    """CIO-38: the load and the call itself stand before the call, but also behind it."""
    text = f"{head}\n    t = pl.tile.load(a, [0, 0], [8, 64])\n    b = self.update(source, a)"
    assert violations(text) == report() * 2


def test_the_loop_variable_is_new_in_each_iteration():
    """CIO-39: it is read before a call that may overwrite it, so in the next iteration it is read after that."""
    i, k = scalar("i"), scalar("k")
    over = loop(i, number(4), assign(k, i), EvalStmt(call("tick", i)))
    assert discipline_violations(over, directions_of({"tick": (ParamDirection.InOut,)})) == ()


def test_a_carry_is_new_in_each_iteration():
    """CIO-39."""
    text = """
for i, (acc,) in pl.range(4, init_values=(a,)):
    t = pl.tile.load(acc, [0, 0], [8, 64])
    b = self.update(source, acc)
    last = pl.yield_(b)
"""
    assert violations(text) == []


def test_a_new_assignment_makes_a_name_readable_again():
    """CIO-40."""
    text = "b = self.update(source, a)\na = self.update(source, b)\nc = self.update(a, source)"
    assert violations(text) == []


MERGED = "if n == 0:\n        y = pl.yield_(a)\n    else:\n        y = pl.yield_(source)"
CARRIED = "for j, (s,) in pl.range(2, init_values=(a,)):\n        y = pl.yield_(s)"


@pytest.mark.parametrize("text", [MERGED, CARRIED], ids=["if", "loop"])
def test_a_result_of_a_branch_or_a_loop_is_new_in_each_iteration(text: str):
    """CIO-40: the call overwrites `y`, which the next iteration makes anew."""
    assert violations(f"for i in pl.range(4):\n    {text}\n    b = self.update(source, y)") == []


def test_a_graph_with_the_program_at_hand_is_refused():
    """CIO-41."""
    broken = programs.method(calling(BROKEN), "kernel").body
    with pytest.raises(InternalError, match="Variable 'a' is read after it was passed as InOut/Out to 'update'"):
        dependency_graph(broken, KNOWN)
    assert len(statements(broken)) == len(dependency_graph(broken).stmts)

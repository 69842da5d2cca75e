# SPDX-License-Identifier: Apache-2.0
"""ClassifyIterArgCarry: what the pass is, what it writes on a loop, and what its verifier demands."""

from pathlib import Path

import pytest
from pypto_passes.classify_iter_arg_carry import ClassifyIterArgCarry, verify_iter_arg_carry

from pypto_build.analysis.iter_arg_carry import array_size, is_classified, is_rebind, with_plan
from pypto_build.host import HostOptions
from pypto_build.ir import ForStmt, FrozenMap, Program, ScopeStmt, SeqStmts, Stmt, collect, rebuilt
from pypto_build.passes import FunctionPass, IRProperty, PassContext, apply_pass
from pypto_build.pipeline import load_pipeline
from tests.passes import programs
from tests.passes.carries import T, classified, loops, orchestration

ROOT = Path(__file__).resolve().parents[2]
LOOP = """
    for i, (p,) in pl.range(4, init_values=(a,)):
        p1 = self.grow(x, p)
        p2 = pl.yield_(p1)
"""


def problems(made: Program) -> list[str]:
    """What the verifier says."""
    return [found.message for found in verify_iter_arg_carry(made, PassContext())]


def with_attrs(attrs: dict[str, object]) -> Program:
    """An orchestration whose only loop has these attributes."""
    made = orchestration(LOOP)
    (loop,) = loops(made)
    main = rebuilt(programs.method(made, "main"), {"body": rebuilt(loop, {"attrs": FrozenMap(attrs)})})
    return made.with_functions([*(one for one in made.functions.values() if one.name != "main"), main])


def test_it_needs_directions_and_scopes_and_gives_the_classification():
    """CIC-1."""
    both = {IRProperty.CallDirectionsResolved, IRProperty.RuntimeScopesMaterialized}
    assert ClassifyIterArgCarry.name == "ClassifyIterArgCarry"
    assert ClassifyIterArgCarry.requires == both
    assert ClassifyIterArgCarry.produces == {
        IRProperty.IterArgCarryClassified,
        IRProperty.RuntimeScopesMaterialized,
    }
    assert issubclass(ClassifyIterArgCarry, FunctionPass)


def test_every_orchestration_of_a_program_is_classified():
    """CIC-1: it is applied to a whole program."""
    head = "@pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)\n"
    text = "def {}(self, a: {}):\n    for i, (p,) in pl.range(4, init_values=(a,)):\n        p2 = pl.yield_(p)\n"
    made = programs.program(*(head + text.format(name, T) for name in ("first", "second")))
    found = collect(apply_pass(ClassifyIterArgCarry(), made), ForStmt)
    assert [dict(loop.attrs) for loop in found] == [{"iter_arg_rebind_0": False}] * 2


@pytest.mark.parametrize("kind", ["InCore", "AIV", "Group"])
def test_a_function_of_another_kind_is_left_alone(kind: str):
    """CIC-2."""
    programs.assert_unchanged(ClassifyIterArgCarry(), orchestration(LOOP, kind))


def test_it_is_the_last_pass_of_the_shipped_pipelines():
    """CIC-3: only two passes may follow."""
    for name in ("default", "debug_tile_optimization"):
        ids = [one.id for one in load_pipeline(str(ROOT / "configs" / f"{name}.yaml"), HostOptions()).passes]
        at = ids.index("classify_iter_arg_carry")
        assert "materialize_runtime_scopes" in ids[:at]
        assert set(ids[at + 1 :]) <= {"insert_comm_fence", "materialize_valid_shape_symbols"}
    assert ClassifyIterArgCarry.after == ("MaterializeRuntimeScopes",)


def test_each_slot_of_each_loop_gets_a_boolean():
    """CIC-4."""
    made = classified("""
        for i, (p, q) in pl.range(4, init_values=(a, b)):
            for j, (r,) in pl.range(2, init_values=(p,)):
                r1 = self.grow(x, r)
                r2 = pl.yield_(r1)
            p2, q2 = pl.yield_(r2, x)
    """)
    assert [dict(loop.attrs) for loop in loops(made)] == [
        {"iter_arg_rebind_0": False, "iter_arg_rebind_1": True},
        {"iter_arg_rebind_0": False},
    ]


def test_the_whole_example_gets_one_attribute():
    """CIC-40."""
    expected = LOOP.replace("init_values=(a,)", "init_values=(a,), attrs={'iter_arg_rebind_0': False}")
    programs.assert_becomes(ClassifyIterArgCarry(), orchestration(LOOP), orchestration(expected))


def test_a_loop_that_carries_nothing_is_the_same_object():
    """CIC-4: it has no slot."""
    programs.assert_unchanged(ClassifyIterArgCarry(), orchestration("for i in pl.range(4):\n    c = self.grow(x, a)"))


def test_running_again_changes_nothing():
    """CIC-34."""
    programs.assert_unchanged(ClassifyIterArgCarry(), classified(LOOP))


def test_what_stood_there_before_is_replaced():
    """CIC-34: a size and a slot that does not exist go away, other attributes stay."""
    stale = {"iter_arg_rebind_0": True, "iter_arg_array_size_0": 8, "iter_arg_rebind_3": True, "note": "kept"}
    (loop,) = loops(apply_pass(ClassifyIterArgCarry(), with_attrs(stale)))
    assert dict(loop.attrs) == {"note": "kept", "iter_arg_rebind_0": False}


def test_a_loop_that_was_never_classified_is_reported():
    """CIC-5."""
    assert problems(orchestration(LOOP)) == ["carry 'p' of a loop in function 'main' is not classified"]
    assert problems(classified(LOOP)) == []


def test_the_report_names_the_place_of_the_loop():
    """CIC-5."""
    made = orchestration(LOOP)
    (found,) = verify_iter_arg_carry(made, PassContext())
    assert (found.rule, found.span) == ("IterArgCarryClassified", loops(made)[0].span)


def test_the_verifier_asks_orchestrations_only():
    """CIC-2."""
    assert problems(orchestration(LOOP, "InCore")) == []


def test_a_size_on_an_alias_is_reported():
    """CIC-35."""
    wrong = {"iter_arg_rebind_0": False, "iter_arg_array_size_0": 4}
    assert problems(with_attrs(wrong)) == ["carry 'p' in function 'main' is an alias but has a fence array"]
    assert problems(with_attrs({**wrong, "iter_arg_rebind_0": True})) == []


def test_readers_ask_and_never_spell():
    """CIC-33: what was planned is what is answered."""
    (loop,) = loops(orchestration(LOOP))
    planned = rebuilt(loop, {"attrs": with_plan(loop, {0: (True, 4), 1: (False, 0)})})
    assert [is_classified(planned, slot) for slot in range(3)] == [True, True, False]
    assert [is_rebind(planned, slot) for slot in range(3)] == [True, False, False]
    assert [array_size(planned, slot) for slot in range(3)] == [4, 0, 0]


def test_the_names_of_the_attributes_stand_in_one_file():
    """CIC-33."""
    files = [path for room in ("pypto_build", "plugins") for path in (ROOT / room).rglob("*.py")]
    spelling = [path for path in files if any(word in path.read_text() for word in ("arg_rebind_", "arg_array_size_"))]
    assert [path.name for path in spelling] == ["iter_arg_carry.py"]


def scopes(stmt: Stmt) -> int:
    """How many scopes a body has."""
    return len(collect(SeqStmts((stmt,)), ScopeStmt))


def test_scopes_stay_where_they_are():
    """CIC-1: what MaterializeRuntimeScopes made is still true."""
    text = "with pl.scope():\n    for i, (p,) in pl.range(4, init_values=(a,)):\n        with pl.scope():\n"
    made = classified(text + "            p2 = pl.yield_(p)")
    assert scopes(programs.method(made, "main").body) == 2

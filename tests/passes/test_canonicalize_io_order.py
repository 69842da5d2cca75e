# SPDX-License-Identifier: Apache-2.0
"""CanonicalizeIOOrder: where it works, what becomes of the loops, and what it leaves alone."""

from pathlib import Path
from textwrap import indent

import pytest
from pypto_passes.canonicalize_io_order import CanonicalizeIOOrder, verify_pipeline_resolved
from pypto_passes.init_mem_ref import InitMemRef
from pypto_passes.memory_reuse import MemoryReuse

from pypto_build.host import HostOptions
from pypto_build.ir import BreakStmt, ContinueStmt, ForKind, Program, ReturnStmt, SeqStmts, Stmt, rebuilt, statements
from pypto_build.passes import FunctionPass, IRProperty, PassContext, apply_pass
from pypto_build.pipeline import load_pipeline
from tests.passes import programs
from tests.passes.pipelines import (
    add,
    canonical,
    function_of,
    kernel,
    load,
    loops,
    names,
    ordered,
    pipeline,
    store,
)

ROOT = Path(__file__).resolve().parents[2]
NEEDED = {
    IRProperty.SSAForm,
    IRProperty.SplitIncoreOrch,
    IRProperty.IncoreTileOps,
    IRProperty.TileOps2D,
    IRProperty.TileMemoryInferred,
    IRProperty.NormalizedStmtStructure,
}
MIXED = (load("a"), add("b", "a"), store("s", "b"), load("c"), add("d", "c"))
"""In a pipeline its order becomes `a c b d s`."""


def indented(*lines: str) -> str:
    """Lines as the body of a statement."""
    return indent("\n".join(lines), "    ")


def whole(program: Program) -> str:
    """The names of all statements after the pass."""
    return names(function_of(canonical(program)).body)


def test_one_function_at_a_time():
    """CIO-1."""
    assert CanonicalizeIOOrder.name == "CanonicalizeIOOrder"
    assert issubclass(CanonicalizeIOOrder, FunctionPass)


def test_every_function_of_a_program_is_ordered():
    """CIO-1: it is used on programs."""
    text = str(pipeline(*MIXED)).split("class P:\n")[1]
    made = canonical(programs.program(text, text.replace("def kernel", "def other")))
    assert [names(function.body) for function in made.functions.values()] == ["for(a c b d s)"] * 2


def test_what_it_needs_it_keeps_and_pipelines_are_resolved():
    """CIO-2."""
    assert CanonicalizeIOOrder.requires == NEEDED
    assert CanonicalizeIOOrder.produces == {*NEEDED, IRProperty.PipelineResolved}
    assert CanonicalizeIOOrder.invalidates == frozenset()


def test_it_stands_between_lowering_and_memory_in_the_shipped_pipeline():
    """CIO-3."""
    ids = [one.id for one in load_pipeline(str(ROOT / "configs" / "default.yaml"), HostOptions()).passes]
    assert ids.index("lower_pipeline_loops") < ids.index("canonicalize_io_order") < ids.index("init_mem_ref")
    assert (CanonicalizeIOOrder.after, CanonicalizeIOOrder.before) == (("LowerPipelineLoops",), ("InitMemRef",))


def test_the_branches_in_a_pipeline_are_ordered():
    """CIO-4, CIO-54."""
    branches = ("if i == n:", indented(*MIXED), "else:", indented(load("e"), add("f", "e"), load("g")))
    assert ordered(*branches) == "if(a c b d s / e g f)"


def test_the_body_of_a_loop_in_a_pipeline_is_ordered():
    """CIO-4, CIO-54."""
    assert ordered("for j in pl.range(2):", indented(*MIXED)) == "for(a c b d s)"


def test_the_body_of_a_branch_in_a_loop_in_a_pipeline_is_ordered():
    """CIO-4: at any depth."""
    inner = indented("if j == n:", indented(*MIXED))
    assert ordered("for j in pl.range(2):", inner) == "for(if(a c b d s))"


def test_code_outside_of_pipelines_is_untouched():
    """CIO-5: the same statements before, behind and in a pipeline."""
    text = [*MIXED, "for i in pl.pipeline(0, 8, 2, stage=1):", indented(load("x"), add("y", "x"), load("z"))]
    assert whole(kernel(*text, load("e"), store("t", "e"), load("f"))) == "a b s c d for(x z y) e t f"


def test_a_loop_that_is_no_pipeline_is_untouched():
    """CIO-5: a kernel without pipelines is the same object."""
    programs.assert_unchanged(CanonicalizeIOOrder(), kernel("for i in pl.range(8):", indented(*MIXED)))


def test_a_pipeline_becomes_an_ordinary_loop():
    """CIO-6, CIO-7, CIO-51."""
    text = indented(load("a"), add("b", "a"))
    before = kernel("for i in pl.pipeline(0, 8, 4, stage=1):", text)
    programs.assert_becomes(CanonicalizeIOOrder(), before, kernel("for i in pl.range(0, 8, 4):", text))


def test_nested_pipelines_become_ordinary_loops():
    """CIO-6, CIO-27: each is ordered, the inner one first."""
    inner = ("for j in pl.pipeline(0, 8, 2, stage=1):", indented(*MIXED))
    made = canonical(pipeline(load("x"), add("y", "x"), *inner, load("z")))
    assert names(loops(made)[0].body) == "x z y for(a c b d s)"
    assert [loop.kind for loop in loops(made)] == [ForKind.Sequential] * 2


def test_what_an_inner_loop_needs_keeps_the_loop_in_place():
    """CIO-27: the inner loop reads `y`, so it is no earlier."""
    inner = ("for j in pl.range(2):", indented(add("u", "y"), load("v")))
    assert ordered(load("x"), add("y", "x"), *inner, load("z")) == "x z y for(v u)"


@pytest.mark.parametrize("name", ["pipeline_overlap_stores", "pipeline_double_buffer_c"])
def test_the_attributes_of_pipelines_are_gone_and_others_stay(name: str):
    """CIO-7."""
    before = pipeline(load("a"), add("b", "a"), attrs=f"'{name}': True, 'note': 'kept'")
    assert dict(loops(canonical(before))[0].attrs) == {"note": "kept"}


def test_a_single_statement_stays_as_it_is():
    """CIO-8."""
    before = pipeline(load("a"))
    assert loops(canonical(before))[0].body is loops(before)[0].body


def test_a_body_in_order_is_the_same_object():
    """CIO-24, CIO-55."""
    before = pipeline("k = i + 1", load("a"), add("b", "a"), store("s", "b"))
    assert loops(canonical(before))[0].body is loops(before)[0].body


def test_a_body_without_loads_and_stores_is_the_same_object():
    """CIO-25."""
    tile = "t = pl.tile.create([8, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)"
    before = pipeline(tile, add("b", "t"), add("c", "t"))
    assert loops(canonical(before))[0].body is loops(before)[0].body


def test_a_branch_in_order_is_the_same_object_in_a_body_that_is_not():
    """CIO-55."""
    before = pipeline("if i == n:", indented(load("x"), add("y", "x")), *MIXED)
    after = loops(canonical(before))[0].body
    assert names(after) == "a c if(x y) b d s"
    assert statements(after)[2] is statements(loops(before)[0].body)[0]


def test_a_function_without_pipelines_is_the_same_object_beside_one_with():
    """CIO-55."""
    plain = str(kernel(*MIXED)).split("class P:\n")[1].replace("def kernel", "def plain")
    before = programs.program(str(pipeline(*MIXED)).split("class P:\n")[1], plain)
    after = canonical(before)
    assert programs.method(after, "plain") is programs.method(before, "plain")
    assert programs.method(after, "kernel") is not programs.method(before, "kernel")


def test_a_yield_stays_last():
    """CIO-26: the store sinks, but not behind the yield."""
    text = (load("a"), store("s", "a", into="acc"), add("c", "a"), "last = pl.yield_(s)")
    made = canonical(kernel("for i, (acc,) in pl.pipeline(0, 8, stage=1, init_values=(out,)):", indented(*text)))
    assert names(loops(made)[0].body) == "a c s yield"


@pytest.mark.parametrize("jump", [BreakStmt(), ContinueStmt(), ReturnStmt(())], ids=["break", "continue", "return"])
def test_a_jump_stays_last(jump: Stmt):
    """CIO-26: nothing holds it back but its place."""
    before = pipeline(load("a"), store("s", "a"), add("c", "a"))
    (loop,) = loops(before)
    body = SeqStmts((*statements(loop.body), jump))
    main = rebuilt(function_of(before), {"body": rebuilt(loop, {"body": body})})
    made = canonical(before.with_functions([main]))
    assert statements(loops(made)[0].body)[-1] is jump


def test_a_pipeline_across_cores_that_was_made_sequential_is_untouched():
    """CIO-28: no kind says that it was a pipeline once; its transfers stay where they are."""
    text = (load("a"), "pl.system.bar_v()", store("s", "a"), load("b"), "pl.system.bar_v()", store("t", "b"))
    programs.assert_unchanged(CanonicalizeIOOrder(), kernel("for i in pl.range(0, 8, 2):", indented(*text)))


def test_buffers_of_stages_are_kept_apart_by_their_memberships():
    """CIO-29: the same order, with and without memberships."""
    made = [canonical(pipeline(*two_stages(*at))) for at in (("0:0", "0:1"), ("", ""))]
    assert names(loops(made[0])[0].body) == names(loops(made[1])[0].body) == "p s q t"
    assert [allocations(one) for one in made] == [2, 1]


def two_stages(first: str, second: str) -> list[str]:
    """Two tiles that never live at the same time: the second is loaded from what the first was stored into."""
    again = load("q", second).replace("source", "s")
    return [load("p", first), store("s", "p"), again, store("t", "q", into="s")]


def allocations(program: Program) -> int:
    """How many buffers the tiles of a kernel share."""
    text = str(apply_pass(MemoryReuse(), apply_pass(InitMemRef(), program)))
    return text.count("pl.tile.alloc(")


def test_a_pipeline_that_is_left_is_reported():
    """CIO-6: the verifier of PipelineResolved."""
    before = pipeline(load("a"))
    (found,) = verify_pipeline_resolved(before, PassContext())
    assert (found.severity, found.rule) == ("error", "PipelineResolved")
    assert found.message == "a pipeline loop over 'i' is left in function 'kernel'"
    assert found.span == loops(before)[0].span
    assert list(verify_pipeline_resolved(canonical(before), PassContext())) == []

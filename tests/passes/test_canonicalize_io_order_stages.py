# SPDX-License-Identifier: Apache-2.0
"""CanonicalizeIOOrder: in which order the statements of the stages of a pipeline come."""

import pytest
from pypto_passes.canonicalize_io_order import CanonicalizeIOOrder, topological_order
from pypto_passes.lower_pipeline_loops import LowerPipelineLoops

from pypto_build.analysis.pipeline_membership import membership
from pypto_build.analysis.statement_dependencies import DependencyGraph
from pypto_build.errors import InternalError
from pypto_build.ir import Call, SeqStmts, Stmt, collect
from pypto_build.passes import apply_pass
from tests.passes.pipelines import add, kernel, load, loops, names, ordered, store


def stage(number: int, group: int = 0) -> list[str]:
    """A load, a computation and a store that belong to one stage."""
    at = f"{group}:{number}"
    return [load(f"x{number}", at), add(f"y{number}", f"x{number}", at), store(f"s{number}", f"y{number}")]


def stages(*numbers: int) -> list[str]:
    """The statements of some stages one behind the other, as lowering leaves them."""
    return [line for number in numbers for line in stage(number)]


def lowered(stage_count: int, *lines: str) -> Stmt:
    """The body after both passes of a pipelined loop with some stages."""
    text = "\n    ".join(lines)
    made = apply_pass(LowerPipelineLoops(), kernel(f"for i in pl.pipeline(0, 24, stage={stage_count}):\n    {text}"))
    return loops(apply_pass(CanonicalizeIOOrder(), made))[0].body


def test_loads_come_first_then_each_stage_computes_and_stores():
    """CIO-16, CIO-17, CIO-19."""
    assert ordered(*stages(0, 1)) == "x0 x1 y0 s0 y1 s1"


def test_the_stage_does_not_matter_among_loads():
    """CIO-17: the load of stage 1 stands first and stays first."""
    assert ordered(load("b", "0:1"), load("a", "0:0"), add("c", "a", "0:0")) == "b a c"


def test_the_stage_does_not_matter_among_scalars():
    """CIO-17."""
    extent = "{} = pl.tensor.dim(source, 0, attrs={{'pipeline_membership': '{}'}})"
    assert ordered(load("a"), extent.format("m", "0:1"), extent.format("k", "0:0"), add("c", "a")) == "m k a c"


def test_the_stage_decides_among_computations():
    """CIO-16, CIO-17: stage 0 comes first although it was written second."""
    assert ordered(*stages(1, 0)) == "x1 x0 y0 s0 y1 s1"


def test_a_computation_comes_before_a_store_of_its_stage():
    """CIO-16, CIO-52: `late` is independent of the store."""
    text = [load("x0", "0:0"), add("y", "x0", "0:0"), store("s", "y"), add("late", "x0", "0:0")]
    assert ordered(*text) == "x0 y late s"


def test_a_store_does_not_wait_for_the_computations_of_later_stages():
    """CIO-52."""
    text = [load("x0", "0:0"), add("y0", "x0", "0:0"), add("z0", "x0", "0:1"), store("s0", "y0"), load("x1")]
    assert ordered(*text) == "x0 x1 y0 s0 z0"


def test_a_store_belongs_to_the_stage_of_the_tile_that_it_stores():
    """CIO-18: to stage 1, whatever is said of its own."""
    text = [load("x1", "0:1"), load("x0", "0:0"), store("s", "x1", "0:0"), add("y0", "x0", "0:0")]
    assert ordered(*text) == "x1 x0 y0 s"


def test_a_store_of_a_tile_without_a_stage_belongs_where_it_says():
    """CIO-18: to stage 1, so it waits for the computation of stage 0."""
    text = [load("x"), load("x0", "0:0"), store("s", "x", "0:1"), add("y0", "x0", "0:0")]
    assert ordered(*text) == "x x0 y0 s"


def test_a_store_whose_result_nobody_takes_has_no_stage_of_its_own():
    """CIO-18."""
    text = [load("x"), load("x0", "0:0"), store("", "x", "0:1"), add("y0", "x0", "0:0")]
    assert ordered(*text) == "x x0 eval y0"


def test_the_tensor_that_is_stored_into_has_no_say_in_the_stage():
    """CIO-18: `late` has no stage, so it comes before `u` although what it writes into was made in stage 1."""
    text = [load("x"), load("x1", "0:1"), store("s", "x1", "0:1"), store("u", "x1"), store("late", "x", into="s")]
    assert ordered(*text) == "x x1 s late u"


def test_the_stage_of_the_outer_loop_is_compared_first():
    """CIO-16 and CIO-49: stage 1 of the inner loop in stage 0 of the outer one, then stage 0 of it in stage 1."""
    text = [load("x"), add("b", "x", "0:0;1:1"), add("a", "x", "0:1;1:0")]
    assert ordered(*text) == "x a b"


def test_without_stages_all_computations_precede_all_stores():
    """CIO-20."""
    text = [load("a"), add("b", "a"), store("s", "b"), load("c"), add("d", "c"), store("t", "d"), "k = i + 1"]
    assert ordered(*text) == "k a c b d s t"


def test_addresses_come_before_the_loads_that_need_them():
    """CIO-21, CIO-22: all addresses first, so that no load waits behind another copy's arithmetic."""
    text = ["o = i * 8", load("a", where="o"), "p = o + 8", load("b", where="p")]
    assert ordered(*text) == "o p a b"


def test_a_scalar_that_is_read_from_a_tile_waits_for_it():
    """CIO-22: `k` is a scalar, but cannot be computed before `v` is read."""
    text = [load("a"), "v = pl.tile.read(a, [0, 0])", "k = v + 1.0", load("b")]
    assert ordered(*text) == "a v k b"


def test_a_load_that_needs_a_computation_waits_for_it():
    """CIO-22."""
    text = [load("a"), add("b", "a"), store("s", "b"), "c = pl.tile.load(s, [0, 0], [8, 64])", add("d", "a")]
    assert ordered(*text) == "a b d s c"


def test_independent_statements_of_one_kind_stay_in_order():
    """CIO-23."""
    text = [load("c"), load("a"), load("b"), add("f", "a"), add("d", "b"), add("e", "c"), "z = i + 1", "y = i + 2"]
    assert ordered(*text) == "z y c a b f d e"


def test_stores_into_one_tensor_that_use_each_other_s_result_stay_in_order():
    """CIO-46: `late` has no stage, so only the result of `s1` keeps it back."""
    text = [load("x1", "0:1"), load("x"), store("s1", "x1"), store("late", "x", into="s1")]
    assert ordered(*text) == "x1 x s1 late"


def test_stores_into_one_tensor_without_that_follow_their_stages():
    """CIO-46: nothing else orders them."""
    text = [load("x1", "0:1"), load("x"), store("s1", "x1"), store("late", "x")]
    assert ordered(*text) == "x1 x late s1"


def test_stores_of_one_stage_keep_their_order():
    """CIO-46."""
    text = [load("x"), load("y0"), store("s", "y0"), store("t", "x")]
    assert ordered(*text) == "x y0 s t"


def test_without_overlapping_stores_the_position_decides_in_a_stage():
    """CIO-47: the store stays before the computation that it stood before."""
    text = [load("x0", "0:0"), add("y", "x0", "0:0"), store("s", "y"), add("late", "x0", "0:0")]
    assert ordered(*text, attrs="'pipeline_overlap_stores': False") == "x0 y s late"


def test_without_overlapping_stores_stages_still_follow_each_other():
    """CIO-47."""
    assert ordered(*stages(1, 0), attrs="'pipeline_overlap_stores': False") == "x1 x0 y0 s0 y1 s1"


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("0:1", ((0, 1),)),
        ("2:1;0:3", ((2, 1), (0, 3))),
        ("2:1;;0:3", ((2, 1), (0, 3))),
        ("a:1;0:b;7;0:3", ((0, 3),)),
        ("", ()),
    ],
)
def test_a_membership_is_a_list_of_groups_and_stages(text: str, pairs: tuple[tuple[int, int], ...]):
    """CIO-49."""
    assert membership({"pipeline_membership": text}) == pairs


def test_the_innermost_group_is_written_first():
    """CIO-49: the inner loop is lowered first and is group 0."""
    inner = "for i in pl.pipeline(0, 2, stage=2):\n    for j in pl.pipeline(0, 2, stage=2):\n        " + load("a")
    text = str(apply_pass(LowerPipelineLoops(), kernel(inner)))
    assert [f'"{mark}"' in text for mark in ("0:0;1:0", "0:1;1:0", "0:0;1:1", "0:1;1:1")] == [True] * 4


def test_stages_are_compared_as_numbers():
    """CIO-50."""
    body = lowered(12, load("t"), add("u", "t"), store("s", "u"))
    computed = [call for call in collect(body, Call) if call.op.name == "tile.adds"]
    assert [membership(call.attrs) for call in computed] == [((0, number),) for number in range(12)]


def test_four_stages_give_four_addresses_four_loads_and_four_pairs():
    """CIO-53."""
    made = lowered(4, "o = i * 8", load("t", where="o"), add("u", "t"), store("s", "u"))
    assert names(made) == "o o o o t t t t u s u s u s u s"


def test_a_circle_is_our_error():
    """CIO-45."""
    nothing = (SeqStmts(()), SeqStmts(()))
    graph = DependencyGraph(nothing, (frozenset({1}), frozenset({0})))
    with pytest.raises(InternalError, match="depend on each other in a circle"):
        topological_order(graph, [(0,), (1,)])

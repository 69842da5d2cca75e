# SPDX-License-Identifier: Apache-2.0
"""NormalizeReturnOrder: its contract, and how the returns of kernels are sorted."""

import pytest
from pypto_passes.normalize_return_order import NormalizeReturnOrder

from pypto_build import ir
from pypto_build.ir import ReturnStmt
from pypto_build.passes import IRProperty
from tests.passes.programs import method
from tests.passes.return_order_programs import (
    KERNEL,
    assert_normalized,
    assert_unchanged,
    normalized,
    pair,
    program,
    returned,
    violations,
)

SWAPPED = """
    t = pl.tile.load(x, [0], [64])
    sb = pl.tile.store(t, [0], b)
    sa = pl.tile.store(t, [0], a)
    return sb, sa
"""
SORTED = SWAPPED.replace("return sb, sa", "return a, b")


def test_its_contract():
    """NRO-1 and NRO-7: nothing is invalidated."""
    assert NormalizeReturnOrder.name == "NormalizeReturnOrder"
    assert NormalizeReturnOrder.requires == {IRProperty.SplitIncoreOrch, IRProperty.IncoreTileOps}
    assert NormalizeReturnOrder.produces == {IRProperty.ReturnParamsExplicit}
    assert NormalizeReturnOrder.invalidates == frozenset()


def test_its_place_is_between_splitting_and_lowering_of_pipelines():
    """NRO-2."""
    assert {"SplitVectorKernel", "StampTfreeSplit"} <= set(NormalizeReturnOrder.after)
    assert {"SkewCrossCorePipeline", "LowerPipelineLoops"} <= set(NormalizeReturnOrder.before)


@pytest.mark.parametrize("kind", ["InCore", "AIC", "AIV"])
def test_kernels_return_in_the_order_of_their_outputs(kind):
    """NRO-3, NRO-39 and NRO-40: what belongs to a parameter is what was stored into it."""
    head = KERNEL.replace("InCore", kind)
    assert_normalized(program((head, SWAPPED)), program((head, SORTED)))


def test_kernel_and_caller_change_together():
    """NRO-1 and NRO-62: the program that comes out is what its author meant."""
    made = normalized(pair(SWAPPED, "u, v = self.kernel(x, p, q)\nreturn u, v"))
    assert violations(made) == []
    assert [item.index for item in ir.collect(method(made, "main"), ir.TupleGetItemExpr)] == [1, 0]


@pytest.mark.parametrize("kind", ["Orchestration", "Opaque"])
def test_a_program_without_kernels_is_the_same_object(kind):
    """NRO-4 and NRO-5."""
    assert_unchanged(program((KERNEL.replace("InCore", kind), "return b, a")))


def test_a_kernel_in_order_is_the_same_object():
    """NRO-5 and NRO-48."""
    assert_unchanged(program((KERNEL, "return a, b")))


def test_a_second_run_changes_nothing():
    """NRO-6."""
    once = normalized(pair(SWAPPED, "u, v = self.kernel(x, p, q)\nreturn u, v"))
    assert normalized(once) is once


@pytest.mark.parametrize("kind", ["Group", "Spmd", "Graph"])
def test_wrappers_keep_the_order_of_their_author(kind):
    """NRO-39."""
    assert_unchanged(program((KERNEL.replace("InCore", kind), "return b, a")))


ONE_STORE = "t = pl.tile.load(x, [0], [64])\n"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("s = pl.tile.store(t, [0], b)\n", "s"),
        ("s = pl.tile.store(t, [0], b)\nc = s\nd = c\n", "d"),
        ("for i, (s,) in pl.range(4, init_values=(b,)):\n    r = pl.yield_(pl.tile.store(t, [0], s))\n", "r"),
        ("", "b"),
    ],
    ids=["store", "copy", "carry", "parameter"],
)
def test_a_result_belongs_to_the_parameter_that_it_was_stored_into(text, result):
    """NRO-40."""
    before = program((KERNEL, f"{ONE_STORE}{text}return {result}, a"))
    assert_normalized(before, program((KERNEL, f"{ONE_STORE}{text}return a, b")))


def test_rank_and_offsets_of_the_store_do_not_matter():
    """NRO-41."""
    kind = "pl.Tensor[[64, 64], pl.FP32]"
    head = f"InCore kernel(x: {kind}, a: Out[{kind}], b: Out[{kind}]) -> {kind}, {kind}"
    text = """
        t = pl.tile.load(x, [32, 0], [16, 16])
        sb = pl.tile.store(t, [48, 16], b)
        sa = pl.tile.store(t, [0, 32], a)
        return {}
    """
    assert_normalized(program((head, text.format("sb, sa"))), program((head, text.format("a, b"))))


def test_three_results_each_go_to_the_place_of_their_parameter():
    """NRO-42."""
    head = "InCore kernel(a: Out[T32], b: Out[T32], c: Out[T32]) -> T32, T32, T32"
    assert_normalized(program((head, "return c, a, b")), program((head, "return a, b, c")))


def test_parameters_that_are_updated_count_as_outputs():
    """NRO-43."""
    head = "InCore kernel(a: Out[T32], x: T32, b: InOut[T32]) -> T32, T32"
    assert_normalized(program((head, "return b, a")), program((head, "return a, b")))


def test_a_result_of_no_parameter_stays_where_it_is():
    """NRO-44."""
    head = "InCore kernel(x: T32, a: Out[T32], b: Out[T32]) -> T32, T32, T32"
    text = "own = pl.tensor.adds(x, 1.0)\nreturn {}, own"
    assert_normalized(program((head, text.format("b, a"))), program((head, text.format("a, b"))))


@pytest.mark.parametrize("head", ["InCore kernel(x: T32, y: T32) -> T32, T32", "InCore kernel(x: T32, y: T32)"])
def test_without_an_output_nothing_is_sorted(head):
    """NRO-45."""
    assert_unchanged(program((head, "return y, x")))


def test_without_a_return_nothing_is_sorted():
    """NRO-45."""
    assert_unchanged(program(("InCore kernel(x: T32, a: Out[T32])", "t = pl.tile.load(x, [0], [64])")))


def test_with_more_outputs_than_results_nothing_is_sorted():
    """NRO-46."""
    head = "InCore kernel(a: Out[T32], b: Out[T32], c: Out[T32]) -> T32, T32"
    assert_unchanged(program((head, "return b, a")))


def test_with_more_outputs_than_results_the_verifier_still_finds_an_alias():
    """NRO-46."""
    before = program(("InCore kernel(a: Out[T32], b: Out[T32]) -> T32", "c = b\nreturn c"))
    message = "function 'kernel' returns an alias of parameter 'b' at position 0 instead of the parameter itself"
    assert violations(before) == [message]
    assert violations(normalized(before)) == []


@pytest.mark.parametrize("values", ["a, a", "b, b", "b, x"])
def test_positions_that_are_no_permutation_sort_nothing(values):
    """NRO-47: two results for one place, or a result that has no place where its position is taken."""
    assert_unchanged(program((KERNEL, f"return {values}")))


def test_declared_result_types_move_with_the_values():
    """NRO-49."""
    head = "InCore kernel(x: T32, a: Out[T16], b: Out[T32]) -> {}"
    before = program((head.format("T32, T16"), "return b, a"))
    assert_normalized(before, program((head.format("T16, T32"), "return a, b")))


def test_a_return_below_the_top_level_is_not_sorted_and_neither_are_its_callers():
    """NRO-50."""
    before = pair("with pl.cluster(name_hint='g'):\n    return b, a", "u, v = self.kernel(x, p, q)\nreturn u, v")
    assert len(ir.collect(method(before, "kernel").body, ReturnStmt)) == 1
    assert_unchanged(before)


def test_the_last_return_at_the_top_level_is_the_one_that_is_sorted():
    """NRO-50."""
    flag = KERNEL.replace("x: T32", "x: T32, flag: pl.Scalar[pl.BOOL]")
    text = "if flag:\n    return b, a\nreturn {}"
    made = normalized(program((flag, text.format("b, a"))))
    kernel = method(made, "kernel")
    assert [var.name_hint for var in returned(kernel)] == ["a", "b"]
    assert [var.name_hint for var in ir.collect(kernel, ReturnStmt)[0].value] == ["b", "a"]


def test_a_carry_that_is_another_parameter_on_the_way_is_not_sorted():
    """NRO-40: the yield must confirm what the initial value says."""
    text = "for i, (s,) in pl.range(4, init_values=(b,)):\n    r = pl.yield_(a)\nreturn r, a"
    before = program((KERNEL, text))
    assert_unchanged(before)

# SPDX-License-Identifier: Apache-2.0
"""How the front end reads an operation with several results: the call, its tuple variable, one variable per result."""

from __future__ import annotations

from textwrap import indent

import pytest

from pypto_build.dsl.constants import projected
from pypto_build.dsl.text import parse_program
from pypto_build.ir import (
    AssignStmt,
    Call,
    DataType,
    MakeTuple,
    Program,
    TupleGetItemExpr,
    TupleType,
    assert_structural_equal,
    collect,
)
from pypto_build.ops.build import tile as build
from tests.unit.ir.build import tensor, tile

HEAD = """
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INDEX]):
        a = pl.tile.load(x, [0, 0], [16, 64])
        t = pl.tile.create([16, 256], dtype=pl.UINT8)
"""
COMPARED = "pl.tile.gather_compare(a, 0.5, t, out_cols=8)"
COMPARED_TENSOR = "pl.tensor.gather_compare(x, 0.5, out_cols=8)"
FIRST = build.gather_compare(tile("a", 16, 64), 0.5, tile("t", 16, 256, dtype=DataType.UINT8), out_cols=8)
OTHER = build.gather_compare(tile("a", 16, 64), 0.5, tile("t", 16, 256, dtype=DataType.UINT8), out_cols=8)


def read(body: str) -> Program:
    return parse_program(HEAD + indent(body, "        ") + "\n        return n\n")


def assignments(program: Program) -> list[AssignStmt]:
    """The assignments of a tuple, or of an element of one, in order."""
    found = collect(program, AssignStmt)
    return [s for s in found if isinstance(s.var.type, TupleType) or isinstance(s.value, TupleGetItemExpr)]


@pytest.mark.parametrize("call", [COMPARED, COMPARED_TENSOR], ids=["tile", "tensor"])
def test_a_call_with_two_results_is_one_assignment_and_one_for_each_result(call: str):
    """MO-19."""
    whole, first, second = assignments(read(f"i, c = {call}"))
    assert isinstance(whole.value, Call)
    assert [first.var.name_hint, second.var.name_hint] == ["i", "c"]
    assert isinstance(whole.var.type, TupleType)
    assert (first.var.type, second.var.type) == whole.var.type.types
    for index, stmt in enumerate((first, second)):
        assert isinstance(stmt.value, TupleGetItemExpr)
        assert (stmt.value.tuple, stmt.value.index) == (whole.var, index)


def test_a_call_with_two_results_is_made_once():
    """MO-19: whether its results are taken apart or stay in one variable."""
    program = read(f"i, c = {COMPARED}\nboth = {COMPARED}")
    assert [call.op.name for call in collect(program, Call)].count("tile.gather_compare") == 2


def test_the_elements_of_one_call_in_order_are_the_call():
    """MO-19."""
    assert projected(FIRST) is FIRST[0].tuple


@pytest.mark.parametrize(
    "items",
    [(FIRST[1], FIRST[0]), FIRST[:1], FIRST[1:], (FIRST[0], OTHER[1]), (FIRST[0], FIRST[0]), (*FIRST, tensor("x", 4))],
    ids=["another order", "no second", "no first", "different calls", "a gap", "something else"],
)
def test_any_other_elements_are_no_call(items: tuple[TupleGetItemExpr, ...]):
    """MO-20."""
    assert projected(items) is None


def test_results_in_another_order_are_an_ordinary_tuple():
    """MO-20."""
    program = read(f"both = {COMPARED}\nc, i = both[1], both[0]")
    _, made, *taken = assignments(program)
    assert isinstance(made.value, MakeTuple)
    assert [stmt.var.name_hint for stmt in taken] == ["c", "i"]


PLACES = {
    "at the top": "i, c = {call}",
    "in a loop": "for k in pl.range(4):\n    i, c = {call}",
    "in branches": "if n > 2:\n    i, c = {call}\nelse:\n    j, d = {call}",
    "in a branch in a loop": "for k in pl.range(4):\n    if k > 2:\n        i, c = {call}",
}


@pytest.mark.parametrize("body", PLACES.values(), ids=PLACES.keys())
def test_the_tuple_variable_is_printed_and_read_again(body: str):
    """MO-39."""
    program = read(body.format(call=COMPARED))
    again = parse_program(str(program))
    assert "_tuple_tmp[1]" in str(program)
    assert_structural_equal(program, again, enable_auto_mapping=True)
    assert str(again) == str(program)

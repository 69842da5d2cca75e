# SPDX-License-Identifier: Apache-2.0
"""What is printed reads back as the same structure and prints as the same text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pypto_build import ir
from pypto_build.dsl.text import parse
from pypto_build.ir.equal import assert_structural_equal
from pypto_build.ir.printing import python_print
from tests.unit.ir.build import BOOL, FP16, FP32, INDEX, INT32, INT64, function, program, scalar
from tests.unit.ir.kernel_ops import SOURCE, TILE
from tests.unit.ir.random_programs import launching_program
from tests.unit.ir.random_types import types
from tests.unit.ir.strategies import SCALARS, Maker, Scope

PARAMS = tuple(scalar(f"p_{dtype}", dtype) for dtype in (INDEX, INT32, INT64, FP16, FP32, BOOL))


def reads_back(made: ir.Program) -> None:
    text = python_print(made)
    again = parse(text)
    assert_structural_equal(made, again)
    assert python_print(again) == text


@given(types())
@settings(max_examples=150)
def test_every_type_reads_back(kind: ir.Type):
    reads_back(program(function("f", (ir.Var("x", kind),)).replace(body=ir.ReturnStmt(()))))


@given(st.data())
@settings(max_examples=150)
def test_every_expression_reads_back(data: st.DataObject):
    maker, dtype = Maker(data.draw), data.draw(st.sampled_from(SCALARS))
    value = maker.expr(Scope(PARAMS), dtype, 4)
    made = ir.AssignStmt(scalar("r", dtype), value)
    reads_back(program(function("f", PARAMS).replace(body=made)))


def kernel(maker: Maker) -> ir.Function:
    params = (*PARAMS, SOURCE, TILE)
    body = maker.body(Scope(PARAMS), ir.ReturnStmt((maker.expr(Scope(PARAMS), FP32),)), most=6)
    return function("kernel", params, results=(ir.scalar_type(FP32),), func_type=ir.FunctionType.InCore).replace(
        body=body
    )


@given(st.data())
@settings(max_examples=60)
def test_every_kernel_reads_back(data: st.DataObject):
    reads_back(program(kernel(Maker(data.draw))))


def opaque(maker: Maker) -> ir.Function:
    params = (*PARAMS, SOURCE, TILE)
    body = maker.body(Scope(PARAMS, kernel=False), ir.ReturnStmt(()), most=4)
    return function("main", params).replace(body=body)


@given(st.data())
@settings(max_examples=60)
def test_every_scope_reads_back(data: st.DataObject):
    reads_back(program(opaque(Maker(data.draw))))


@given(st.data())
@settings(max_examples=60)
def test_every_launch_reads_back(data: st.DataObject):
    reads_back(launching_program(Maker(data.draw)))

# SPDX-License-Identifier: Apache-2.0
"""ConvertToSSA: what a loop starts with for a variable that it assigns first, where nothing of its type exists."""

import pytest

from pypto_build import ir
from pypto_build.errors import UserError
from tests.passes.ssa_programs import converted
from tests.unit.ir.build import BOOL, FP32, INT64, TASK_ID, assign, function, give, loop, number, op, program, scalar


def start(kind: ir.Type) -> ir.Expr:
    """The value that enters the first iteration for a variable of a type."""
    t = ir.Var("t", kind)
    over = loop(scalar("i"), number(4), assign(t, op("any.op", type=kind)))
    (made,) = ir.collect(converted(program(function("f", (), over, give(t)))), ir.ForStmt)
    return made.iter_args[0].init_value


ZEROS = [(INT64, "pl.const(0, pl.INT64)"), (FP32, "0.0"), (BOOL, "False"), (TASK_ID, "pl.system.task_invalid()")]


@pytest.mark.parametrize(("dtype", "zero"), ZEROS)
def test_a_scalar_starts_with_nothing_of_its_type(dtype: ir.DataType, zero: str):
    """SSA-46."""
    assert str(start(ir.scalar_type(dtype))) == zero


def test_a_tuple_starts_with_nothing_in_each_place():
    """SSA-46."""
    made = start(ir.TupleType((ir.scalar_type(INT64), ir.TupleType((ir.scalar_type(BOOL),)))))
    assert str(made) == "[pl.const(0, pl.INT64), [False]]"


def test_what_only_the_loop_knows_the_extent_of_cannot_be_made_in_front_of_it():
    """SSA-46."""
    n = scalar("n", INT64)
    t = ir.Var("t", ir.TensorType((n,), FP32))
    over = loop(scalar("i"), number(4), assign(n, number(8, INT64)), assign(t, op("any.op", type=t.type)))
    with pytest.raises(UserError, match="'n' may have no value here") as caught:
        converted(program(function("f", (), over, give(t))))
    assert caught.value.code == "SSA001"


def test_an_extent_that_a_parameter_brings_along_is_known_in_front_of_the_loop():
    """SSA-46."""
    m = scalar("m", INT64)
    x, t = ir.Var("x", ir.TensorType((m,), INT64)), ir.Var("t", ir.TensorType((m,), FP32))
    over = loop(scalar("i"), number(4), assign(t, op("any.op", x, type=t.type)))
    made = converted(program(function("f", (x,), over, give(t))))
    assert [call.op.name for call in ir.collect(made, ir.Call)] == ["tensor.create", "any.op"]

# SPDX-License-Identifier: Apache-2.0
"""`pl.add` and its like choose the level of their first operand and refuse what that level cannot honour."""

from __future__ import annotations

import pytest

from pypto_build.dsl.language import resolve
from pypto_build.dsl.unified import PROMOTED, UNIFIED
from pypto_build.ir import Add, Call, Cast, DataType, Expr, FloatDiv, Min, TensorType, TileType, Var, dims, scalar_type

TENSOR = Var("x", TensorType(dims([8, 8]), DataType.FP32))
TILE = Var("t", TileType(dims([8, 8]), DataType.FP32))
SCALAR = Var("s", scalar_type(DataType.FP32))


def made(name: str, *args: object, **kwargs: object) -> Expr:
    result = UNIFIED[name](*args, **kwargs)
    assert isinstance(result, Expr)
    return result


def op_of(expr: Expr) -> str:
    assert isinstance(expr, Call)
    return expr.op.name


@pytest.mark.parametrize(("operand", "level"), [(TENSOR, "tensor"), (TILE, "tile")])
def test_the_first_operand_chooses_the_level(operand: Var, level: str) -> None:
    assert op_of(made("add", operand, operand)) == f"{level}.add"
    assert op_of(made("exp", operand)) == f"{level}.exp"
    assert op_of(made("add", lhs=operand, rhs=operand)) == f"{level}.add"


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_a_scalar_on_the_right_selects_the_scalar_form(name: str) -> None:
    assert op_of(made(name, TILE, 2.0)) == f"tile.{name}s"
    assert op_of(made(name, TENSOR, SCALAR)) == f"tensor.{name}s"


def test_two_scalars_become_scalar_arithmetic() -> None:
    assert isinstance(made("add", SCALAR, SCALAR), Add)
    assert isinstance(made("div", SCALAR, 2.0), FloatDiv)
    assert isinstance(made("min", SCALAR, 1.0), Min)
    assert isinstance(made("cast", SCALAR, DataType.FP16), Cast)


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "message"),
    [
        ("add", ("text", 1), {}, "pl.add: expected Tensor or Tile operands, got str"),
        ("exp", (SCALAR,), {}, "pl.exp: expected Tensor or Tile, got Scalar.*Python operators"),
        ("add", (TENSOR, TILE), {}, "cannot mix Tensor and Tile"),
        ("matmul", (TILE, TILE), {"b_trans": True}, "'b_trans' is not supported for Tile operands.*transpose_view"),
        ("matmul", (TILE, TILE), {"c_matrix_nz": True}, "Acc tile type"),
        ("rsqrt", (TILE,), {"high_precision": True}, r"pl.tile.rsqrt\(tile, tmp\)"),
        ("div", (TENSOR, 2.0), {"high_precision": True}, "'high_precision'"),
        ("row_max", (TILE,), {}, "Tile inputs require tmp_tile"),
        ("row_max", (TENSOR, TILE), {}, "'tmp_tile' is not supported"),
        ("row_expand_add", (TENSOR, TENSOR, TILE), {}, "Tensor inputs must not pass tmp"),
        ("xor", (TILE, TILE), {}, "explicit scratch tile"),
        ("cast", (SCALAR, DataType.INT32), {"mode": "floor"}, "do not support non-default mode"),
    ],
)
def test_an_argument_that_the_level_cannot_honour_is_refused(
    name: str, args: tuple[object, ...], kwargs: dict[str, object], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        UNIFIED[name](*args, **kwargs)


def test_the_default_of_the_other_level_may_be_spelled_out() -> None:
    assert op_of(made("matmul", TILE, TILE, a_trans=False, b_trans=False)) == "tile.matmul"
    assert op_of(made("row_max", TENSOR, None)) == "tensor.row_max"


@pytest.mark.parametrize("name", sorted(PROMOTED))
def test_every_promoted_name_is_an_operation(name: str) -> None:
    assert resolve(("pl", name)) is not None


def test_an_operation_is_found_by_its_dotted_name() -> None:
    assert resolve(("pl", "tile", "load")) is resolve(("tile", "load")) is not None
    assert resolve(("pl", "nope")) is None
    assert resolve(("pl", "nowhere", "add")) is None

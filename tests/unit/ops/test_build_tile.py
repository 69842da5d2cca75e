# SPDX-License-Identifier: Apache-2.0
"""Builder functions: how Python values become operands, and which operation and attributes a call holds."""

import inspect
import types

import pytest

from pypto_build.errors import Span
from pypto_build.ir import Call, ConstFloat, ConstInt, MakeTuple, TupleGetItemExpr, const_index
from pypto_build.ops.build import tile as op
from tests.unit.ops.parts import BF16, FP16, FP32, INDEX, INT16, INT32, UINT8, N, scalar, tensor, tile

HERE = Span("kernel.py", 3, 7)
BUILDERS = {name: value for name, value in vars(op).items() if isinstance(value, types.FunctionType)}


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS.keys())
def test_every_builder_takes_its_place_by_name(build):
    assert inspect.signature(build).parameters["span"].kind is inspect.Parameter.KEYWORD_ONLY


def test_a_call_has_the_place_that_was_given_and_so_have_its_constants():
    made = op.load(tensor(64, 32), [0, 0], [16, 32], span=HERE)
    assert made.span == HERE
    assert {element.span for element in made.args[1].elements} == {HERE}


@pytest.mark.parametrize("given", [[4, N], (4, N), MakeTuple((const_index(4), N))])
def test_a_shape_is_a_tuple_of_indices(given):
    shape = op.create(given, FP32).args[0]
    assert [getattr(element, "value", element) for element in shape.elements] == [4, N]
    assert {element.type.dtype for element in shape.elements} == {INDEX}


@pytest.mark.parametrize(
    ("dtype", "given", "kind", "stored"),
    [
        (FP16, 2, ConstFloat, FP16),
        (BF16, 0.5, ConstFloat, BF16),
        (INT16, 2, ConstInt, INT16),
        (INT32, 0.5, ConstFloat, FP32),
        (INT16, const_index(2), ConstInt, INT16),
        (FP16, const_index(2), ConstFloat, FP16),
    ],
)
def test_a_number_beside_a_tile_takes_its_element_type(dtype, given, kind, stored):
    constant = op.add(tile(4, 8, dtype=dtype), given).args[1]
    assert (type(constant), constant.dtype) == (kind, stored)


def test_a_constant_that_states_its_type_keeps_it():
    constant = ConstFloat(0.5, FP32)
    assert op.mul(tile(4, 8, dtype=FP16), constant).args[1] is constant


def test_an_index_beside_a_tile_is_refused():
    with pytest.raises(TypeError, match=r"an index value is no operand .* convert with pl\.cast"):
        op.add(tile(4, 8, dtype=INT32), N)


@pytest.mark.parametrize("given", ["x", None, [1]])
def test_something_that_is_no_value_is_refused(given):
    with pytest.raises(TypeError, match="expected an IR value, got"):
        op.add(tile(4, 8), given)


@pytest.mark.parametrize(
    ("build", "with_tile", "with_scalar"),
    [
        (op.add, "tile.add", "tile.adds"),
        (op.sub, "tile.sub", "tile.subs"),
        (op.mul, "tile.mul", "tile.muls"),
        (op.maximum, "tile.maximum", "tile.maximums"),
        (op.minimum, "tile.minimum", "tile.minimums"),
        (op.fmod, "tile.fmod", "tile.fmods"),
        (op.and_, "tile.and", "tile.ands"),
        (op.or_, "tile.or", "tile.ors"),
        (op.shl, "tile.shl", "tile.shls"),
        (op.shr, "tile.shr", "tile.shrs"),
        (op.div, "tile.div", "tile.divs"),
        (op.cmp, "tile.cmp", "tile.cmps"),
    ],
)
def test_a_scalar_on_the_right_selects_the_scalar_form(build, with_tile, with_scalar):
    left = tile(4, 8, dtype=INT32)
    assert build(left, tile(4, 8, dtype=INT32)).op.name == with_tile
    assert build(left, 3).op.name == with_scalar
    assert build(left, scalar(INT32)).op.name == with_scalar


def test_a_precise_quotient_is_of_two_tiles():
    with pytest.raises(TypeError, match="high_precision requires a Tile rhs"):
        op.div(tile(4, 8), 2.0, high_precision=True)


@pytest.mark.parametrize(
    ("made", "kwargs"),
    [
        (op.log(tile(4, 8)), {}),
        (op.log(tile(4, 8), high_precision=True), {"high_precision": True}),
        (op.cast(tile(4, 8), FP16), {"target_type": FP16, "mode": 2}),
        (op.cast(tile(4, 8), FP16, "trunc"), {"target_type": FP16, "mode": 5}),
        (op.cast(tile(4, 8), FP16, 0), {"target_type": FP16, "mode": 0}),
        (op.matmul(tile(16, 16), tile(16, 16)), {}),
    ],
)
def test_attributes_that_say_nothing_are_left_out(made, kwargs):
    assert dict(made.kwargs) == kwargs


@pytest.mark.parametrize("mode", ["up", 7, -1, True, None])
def test_an_unknown_rounding_mode_is_refused(mode):
    with pytest.raises(ValueError, match="mode must be one of none, rint, round, floor, ceil, trunc, odd or 0 to 6"):
        op.cast(tile(4, 8), FP16, mode)


def test_a_slope_without_a_type_is_fp32():
    assert op.lrelu(tile(4, 8, dtype=FP16), 1).args[1].dtype is FP32


@pytest.mark.parametrize(
    ("options", "count"),
    [({}, 3), ({"valid_shape": [1, 4, 4]}, 4), ({"drop_dims": []}, 3), ({"drop_dims": [0]}, 5)],
)
def test_a_window_holds_only_what_was_stated(options, count):
    assert len(op.slice(tile(4, 16, 32), [1, 4, 4], [0, 0, 0], **options).args) == count


@pytest.mark.parametrize(
    ("made", "count"),
    [
        (op.rsqrt(tile(4, 8)), 1),
        (op.rsqrt(tile(4, 8), tile(4, 8)), 2),
        (op.col_sum(tile(4, 8)), 1),
        (op.col_sum(tile(4, 8), tile(4, 8)), 2),
        (op.transpose(tile(4, 8), 0, 1), 3),
        (op.transpose(tile(4, 8), 0, 1, tile(8, 4)), 4),
        (op.store(tile(4, 8), [0, 0], tensor(4, 8)), 3),
        (op.store(tile(4, 8), [0, 0], tensor(4, 8), [4, 8]), 4),
    ],
)
def test_an_operand_that_was_not_given_is_not_there(made, count):
    assert len(made.args) == count


def test_several_results_are_elements_of_one_call():
    """MO-18."""
    indices, counts = op.gather_compare(tile(8, 64), 0.5, tile(8, 64, dtype=UINT8), out_cols=8)
    assert isinstance(indices, TupleGetItemExpr)
    assert isinstance(indices.tuple, Call)
    assert (indices.tuple, indices.index, counts.index) == (counts.tuple, 0, 1)


def test_scalars_have_a_maximum_and_a_minimum():
    assert (str(op.max(N, 2)), str(op.min(3, N))) == ("pl.max(n, 2)", "pl.min(3, n)")

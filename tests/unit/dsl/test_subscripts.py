# SPDX-License-Identifier: Apache-2.0
"""Subscripts of tensors, tiles, tuples and arrays, read and written."""

import pytest

from pypto_build.dsl.diagnostics import ParserTypeError, UnsupportedFeatureError
from pypto_build.dsl.text import parse
from pypto_build.ir import AssignStmt, Call, Min, TupleGetItemExpr, as_int, collect

HEAD = """
@pl.function
def f(x: pl.Tensor[[64, 128], pl.FP32], y: pl.Tensor[[16, 128], pl.FP32], i: pl.Scalar[pl.INDEX]):
    t = pl.tile.load(x, [0, 0], [64, 128])
"""


def _value(expression):
    return parse(f"{HEAD}    return {expression}\n").body.stmts[-1].value[0]


def _numbers(expression):
    return [as_int(element) for element in expression.elements]


def test_a_full_index_reads_one_element():
    value = _value("x[i, 3]")
    assert value.op.name == "tensor.read"
    assert as_int(value.args[1].elements[1]) == 3


def test_slices_keep_their_axes_and_missing_ones_are_full():
    value = _value("x[8:24]")
    assert value.op.name == "tensor.slice"
    assert (_numbers(value.args[1]), _numbers(value.args[2])) == ([16, 128], [8, 0])


def test_the_extent_of_a_moving_window_is_a_number_when_that_can_be_proved():
    assert _numbers(_value("x[i * 16 : (i + 1) * 16, :]").args[1]) == [16, 128]


def test_a_single_index_drops_its_axis():
    assert [as_int(dim) for dim in _value("x[i]").type.shape] == [128]


def test_a_runtime_bound_narrows_what_is_valid_of_a_tile():
    value = _value("t[:, :i]")
    assert _numbers(value.args[1]) == [64, 128]
    assert isinstance(value.args[3].elements[1], Min)


def test_a_tile_stays_two_dimensional_and_says_so():
    with pytest.warns(UserWarning, match=r"auto-promoting to 2D shape \[1, 128\]"):
        assert [as_int(dim) for dim in _value("t[i]").type.shape] == [1, 128]


def test_elements_of_tuples_are_projections():
    value = _value("(x, y)[1]")
    assert value.name_hint == "y"
    function = parse(f"{HEAD}    both = (x, y)\n    return both[1]\n")
    assert isinstance(function.body.stmts[-1].value[0], TupleGetItemExpr)


def test_elements_of_arrays_are_read_and_written_by_operations():
    function = parse(f"{HEAD}    a = pl.array.create(4, pl.INT32)\n    a[1] = 7\n    return a[i]\n")
    names = [call.op.name for call in collect(function, Call)]
    assert names[-3:] == ["array.create", "array.update_element", "array.get_element"]


def test_writing_a_window_gives_the_name_the_written_tensor():
    function = parse(f"{HEAD}    x[i : i + 16, :] = y\n    return x\n")
    write = collect(function, AssignStmt)[-1]
    assert write.var is function.params[0]
    assert write.value.op.name == "tensor.assemble"


REFUSED = [
    ("a = x[0, 0, 0]", ParserTypeError, "3 indices but the tensor is 2D"),
    ("a = t[0, 0, 0]", ParserTypeError, "3 indices but the tile is 2D"),
    ("a = x[0:16:2]", UnsupportedFeatureError, "step"),
    ("a = t[i:, :]", UnsupportedFeatureError, "Dynamic lower bounds"),
    ("a = t[:, 10:5]", UnsupportedFeatureError, "positive static extent"),
    ("a = i[0]", ParserTypeError, "Subscript requires Tuple, Tensor, Tile, or Array"),
    ("x[0, 0] = 1.0", UnsupportedFeatureError, "Element-write"),
    ("x[0:8] = y", ParserTypeError, "shape mismatch on source axis 0"),
    ("x[0] = y", ParserTypeError, "must be 1D to match"),
    ("x[0][1] = y", UnsupportedFeatureError, "not a chain"),
]


@pytest.mark.parametrize(("statement", "kind", "message"), REFUSED)
def test_a_subscript_that_means_nothing_is_refused(statement, kind, message):
    with pytest.raises(kind, match=message):
        parse(f"{HEAD}    {statement}\n")

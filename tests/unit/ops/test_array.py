# SPDX-License-Identifier: Apache-2.0
"""Arrays on the stack of a core: types of their operations."""

import pytest

from pypto_build.ir import ConstFloat, ConstInt, DataType
from pypto_build.ops.build import array
from tests.unit.ops.parts import BOOL, FP32, INT32, N, scalar, shown, tensor


def small(dtype=INT32):
    return array.create(4, dtype)


@pytest.mark.parametrize("dtype", [INT32, DataType.UINT8, BOOL, DataType.TASK_ID])
def test_an_array_holds_integers_truth_values_or_tasks(dtype):
    assert small(dtype).type.dtype is dtype


@pytest.mark.parametrize(
    ("extent", "dtype", "message"),
    [
        (4, FP32, "element dtype must be an integer, BOOL or TASK_ID, but got fp32"),
        (0, INT32, "extent must be positive, but got 0"),
        (N, INT32, "extent must be a compile-time ConstInt"),
    ],
)
def test_another_array_is_refused(extent, dtype, message):
    with pytest.raises(ValueError, match=message):
        array.create(extent, dtype)


def test_an_element_has_the_element_type():
    assert shown(array.get_element(small(), N)) == "Scalar[INT32]"


def test_an_update_is_the_array_again():
    assert array.update_element(small(), N, 7).type == small().type


@pytest.mark.parametrize(("index", "message"), [(4, "index 4 is out of range for 4 elements"), (-1, "index -1")])
def test_an_index_is_inside(index, message):
    with pytest.raises(ValueError, match=message):
        array.get_element(small(), index)


def test_a_bare_number_takes_the_element_type():
    value = array.update_element(small(DataType.UINT8), 0, 7).args[2]
    assert isinstance(value, ConstInt)
    assert value.dtype is DataType.UINT8


@pytest.mark.parametrize("value", [scalar(DataType.INT64), ConstFloat(1.0, FP32)])
def test_a_value_of_another_type_is_refused(value):
    with pytest.raises(ValueError, match="must match array dtype int32"):
        array.update_element(small(), 0, value)


def test_a_tensor_is_no_array():
    with pytest.raises(ValueError, match="first argument must be ArrayType, but got TensorType"):
        array.get_element(tensor(4), 0)

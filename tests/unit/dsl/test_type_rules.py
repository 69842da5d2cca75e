# SPDX-License-Identifier: Apache-2.0
"""Types that no hardware can hold are refused, wherever they are made."""

from __future__ import annotations

import pytest

from pypto_build.dsl.type_rules import array_type, check_packed
from pypto_build.ir import ArrayType, ConstInt, DataType, Var, dims, scalar_type


def test_an_array_holds_a_known_number_of_integers() -> None:
    extent = ConstInt(4)
    assert array_type(DataType.INT32, extent) == ArrayType(DataType.INT32, extent)


@pytest.mark.parametrize(
    ("dtype", "extent", "message"),
    [
        (DataType.FP32, ConstInt(4), "element dtype"),
        (DataType.INT32, ConstInt(0), "positive"),
        (DataType.INT32, Var("n", scalar_type(DataType.INDEX)), "compile-time"),
    ],
)
def test_other_arrays_are_refused(dtype: DataType, extent: ConstInt | Var, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        array_type(dtype, extent)


@pytest.mark.parametrize("shape", [(), (8, 0), (8, 15)])
def test_packed_elements_fill_whole_bytes(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="fp4"):
        check_packed(dims(shape), DataType.FP4)


def test_an_even_or_unknown_last_dimension_of_packed_elements_is_accepted() -> None:
    check_packed(dims((8, 16)), DataType.FP4)
    check_packed((Var("n", scalar_type(DataType.INDEX)),), DataType.FP4)

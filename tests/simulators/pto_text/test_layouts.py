# SPDX-License-Identifier: Apache-2.0
"""Where the elements of a tile lie."""

from __future__ import annotations

import numpy as np
import pytest
from pypto_simulators.pto_text.layouts import box, places
from pypto_simulators.pto_text.types import TileBuffer

from pypto_build.ir import DataType

ORDERS = ("row_major", "col_major")
KINDS = [(blayout, slayout) for blayout in ORDERS for slayout in ("none_box", *ORDERS)]


def tile(
    shape: tuple[int, int], blayout: str, slayout: str, *, dtype: DataType = DataType.FP16, fractal: int = 512
) -> TileBuffer:
    """A tile of a layout."""
    return TileBuffer("mat", dtype, shape, (None, None), blayout, slayout, fractal, 0)


@pytest.mark.parametrize("dtype", [DataType.INT8, DataType.FP16, DataType.FP32])
@pytest.mark.parametrize(("blayout", "slayout"), KINDS)
def test_every_element_has_a_position_of_its_own(blayout: str, slayout: str, dtype: DataType):
    found = places(tile((32, 64), blayout, slayout, dtype=dtype))
    assert sorted(found.ravel()) == list(range(32 * 64))


def test_rows_and_columns_follow_each_other_without_boxes():
    assert places(tile((2, 3), "row_major", "none_box")).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert places(tile((2, 3), "col_major", "none_box")).tolist() == [[0, 2, 4], [1, 3, 5]]


@pytest.mark.parametrize(
    ("slayout", "dtype", "fractal", "wanted"),
    [
        ("row_major", DataType.FP16, 512, (16, 16)),
        ("row_major", DataType.FP32, 512, (16, 8)),
        ("col_major", DataType.INT8, 512, (32, 16)),
        ("row_major", DataType.FP32, 1024, (16, 16)),
        ("col_major", DataType.FP8E8M0, 32, (2, 16)),
    ],
)
def test_a_box_has_sixteen_elements_along_one_side(
    slayout: str, dtype: DataType, fractal: int, wanted: tuple[int, int]
):
    assert box(tile((32, 32), "row_major", slayout, dtype=dtype, fractal=fractal)) == wanted


def test_boxes_go_down_the_columns_first_in_the_layout_of_left_factors():
    found = places(tile((32, 32), "col_major", "row_major"))
    assert (found[0, 1], found[1, 0], found[16, 0], found[0, 16]) == (1, 16, 256, 512)


def test_boxes_go_along_the_rows_first_in_the_layout_of_right_factors():
    found = places(tile((32, 32), "row_major", "col_major"))
    assert (found[0, 1], found[1, 0], found[0, 16], found[16, 0]) == (16, 1, 256, 512)


def test_a_transposed_tile_is_the_same_bytes_in_the_other_layout():
    np.testing.assert_array_equal(
        places(tile((32, 64), "col_major", "row_major")).T, places(tile((64, 32), "row_major", "col_major"))
    )

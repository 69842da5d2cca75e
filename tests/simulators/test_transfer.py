# SPDX-License-Identifier: Apache-2.0
"""Loads, stores, assembles and single elements: which elements move, and where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.errors import UserError
from pypto_build.ir import ConstFloat, DataType, MemorySpace
from tests.simulators.arrays import matrices, parts
from tests.simulators.running import InTensor, Part, Scalar, result, run_op

VEC = MemorySpace.Vec


@st.composite
def windows(draw: st.DrawFn) -> tuple[Any, tuple[int, ...], tuple[int, ...]]:
    source = draw(matrices((np.float32,)))
    offsets = tuple(draw(st.integers(0, extent - 1)) for extent in source.shape)
    extents = tuple(draw(st.integers(1, extent - at)) for extent, at in zip(source.shape, offsets, strict=True))
    return source, offsets, extents


def load(source: Any, *args: Any, **kwargs: Any) -> Any:
    return run_op("tile.load", InTensor(source), *args, target_memory=VEC, **kwargs)


@given(windows())
def test_a_load_copies_a_window(found: Any) -> None:
    source, (row, column), (rows, columns) = found
    tile = load(source, (row, column), (rows, columns))
    assert np.array_equal(tile.data, source[row : row + rows, column : column + columns])
    assert not np.shares_memory(tile.data, source)


@given(windows(), st.data())
def test_a_load_reads_only_what_is_valid(found: Any, data: Any) -> None:
    source, offsets, extents = found
    valid = tuple(data.draw(st.integers(1, extent)) for extent in extents)
    tile = load(source, offsets, extents, valid)
    assert tile.valid == valid
    assert np.isnan(tile.data).sum() == np.prod(extents) - np.prod(valid)


def test_a_window_may_be_cut_where_the_tensor_ends() -> None:
    tile = load(np.arange(12, dtype=np.float32).reshape(3, 4), (2, 2), (2, 4), clamp=True)
    assert tile.valid == (1, 2)
    assert tile.data[0, :2].tolist() == [10, 11]


def test_a_load_of_a_partly_valid_tensor_is_valid_where_the_tensor_is() -> None:
    part = Part(np.arange(12, dtype=np.float32).reshape(3, 4), (2, 3))
    tile = load(part, (1, 0), (2, 4))
    assert tile.valid == (1, 3)
    assert tile.data[0, :3].tolist() == [4, 5, 6]


@given(windows())
def test_a_store_writes_a_window_of_the_tensor_in_place(found: Any) -> None:
    target, (row, column), (rows, columns) = found
    tile = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns) + 100
    wanted = target.copy()
    wanted[row : row + rows, column : column + columns] = tile
    run_op("tile.store", tile, (row, column), InTensor(target))
    assert np.array_equal(target, wanted)


@given(matrices((np.float32,)), st.data())
def test_a_store_writes_only_what_is_valid(tile: Any, data: Any) -> None:
    valid = data.draw(parts(tile))
    target = np.zeros_like(tile)
    run_op("tile.store", Part(tile, valid), (0, 0), InTensor(target))
    wanted = np.zeros_like(tile)
    wanted[: valid[0], : valid[1]] = tile[: valid[0], : valid[1]]
    assert np.array_equal(target, wanted)


def test_an_atomic_store_adds() -> None:
    target = np.full((2, 3), 10, np.float32)
    run_op("tile.store", np.ones((1, 2), np.float32), (1, 1), InTensor(target), atomic=1)
    assert target.tolist() == [[10, 10, 10], [10, 11, 11]]


def test_a_store_converts_to_the_type_of_the_tensor() -> None:
    target = np.zeros((1, 2), np.float16)
    run_op("tile.store", np.array([[1.0, 1 + 2**-12]], np.float32), (0, 0), InTensor(target))
    assert target.tolist() == [[1, 1]]


def test_a_flattened_tile_is_stored_as_the_box_that_it_was() -> None:
    tile, target = np.arange(24, dtype=np.float32).reshape(6, 4), np.zeros((4, 3, 4), np.float32)
    run_op("tile.store", tile, (1, 0, 0), InTensor(target), (2, 3, 4))
    assert np.array_equal(target[1:3].reshape(6, 4), tile)
    assert not target[0].any()


def test_a_box_with_units_in_front_is_stored_in_a_matrix() -> None:
    tile, target = np.arange(6, dtype=np.float32).reshape(1, 2, 3), np.zeros((4, 3), np.float32)
    run_op("tile.store", tile, (0, 1, 0), InTensor(target))
    assert np.array_equal(target[1:3], tile[0])


@pytest.mark.parametrize("offsets", [(1, 0), (0, 2), (0, -1)])
def test_writing_beyond_the_tensor_is_an_error(offsets: tuple[int, int]) -> None:
    tile, target = np.ones((2, 3), np.float32), np.zeros((2, 4), np.float32)
    with pytest.raises((UserError, ValueError), match="writes"):
        run_op("tile.store", tile, offsets, InTensor(target))


@given(matrices((np.float32,)), st.data())
def test_assembling_a_tensor_writes_it_in_place(target: Any, data: Any) -> None:
    source = np.full(data.draw(parts(target)), 77, np.float32)
    made = run_op("tensor.assemble", target, source, (0, 0))
    assert (target[: source.shape[0], : source.shape[1]] == 77).all()
    assert made.data is target


def test_assembling_a_tile_makes_another_tile() -> None:
    target = np.zeros((2, 3), np.float32)
    assert result("tile.assemble", target, np.ones((1, 2), np.float32), (1, 1)).tolist() == [[0, 0, 0], [0, 1, 1]]
    assert not target.any()


def test_a_source_of_fewer_dimensions_is_assembled_at_the_last_ones() -> None:
    target = np.zeros((2, 2, 3), np.float32)
    run_op("tensor.assemble", target, np.ones((2, 3), np.float32), (1, 0, 0))
    assert target.sum(axis=(1, 2)).tolist() == [0, 6]


def test_single_elements() -> None:
    tile = np.array([[1, 2], [3, 4]], np.float32)
    assert run_op("tile.read", tile, (1, 0)) == 3.0
    assert result("tile.write", tile, (0, 1), Scalar(9, DataType.FP32)).tolist() == [[1, 9], [3, 4]]
    run_op("tensor.write", tile, (1, 1), ConstFloat(8.0, DataType.FP32))
    assert tile.tolist() == [[1, 2], [3, 8]]


def test_an_element_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UserError, match=r"tensor\.read is given index 2 for dimension 0 of 2"):
        run_op("tensor.read", np.zeros((2, 2), np.float32), (2, 0))

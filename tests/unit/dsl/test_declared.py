# SPDX-License-Identifier: Apache-2.0
"""The type of an annotated variable."""

import pytest

from pypto_build.dsl.declared import declared_type
from pypto_build.ir import (
    UNKNOWN_TYPE,
    ConstInt,
    DataType,
    MemorySpace,
    MemRef,
    PadValue,
    ScalarType,
    TensorType,
    TileType,
    TileView,
    dims,
)


def _refuse(message):
    raise ValueError(message)


def _merged(declared, actual):
    return declared_type(declared, actual, name="x", refuse=_refuse)


def test_what_the_annotation_leaves_open_comes_from_the_value():
    actual = TileType(dims([8, 8]), DataType.FP32, None, TileView(pad=PadValue.zero), MemorySpace.Vec)
    assert _merged(TileType(dims([8, 8]), DataType.FP32), actual) == actual


def test_the_place_that_an_annotation_states_is_taken():
    ref = MemRef("m", byte_offset=ConstInt(0), size=256)
    declared = TileType(dims([8, 8]), DataType.FP32, ref, None, MemorySpace.Mat)
    merged = _merged(declared, TileType(dims([8, 8]), DataType.FP32, None, None, MemorySpace.Vec))
    assert merged.memory_space is MemorySpace.Mat
    assert merged.memref is ref


def test_an_annotation_with_a_memory_space_is_trusted_even_on_the_rank():
    declared = TileType(dims([6, 4]), DataType.FP32, None, None, MemorySpace.Vec)
    assert _merged(declared, TileType(dims([2, 3, 4]), DataType.FP32, None, None, MemorySpace.Vec)) is declared


def test_a_value_of_unknown_type_is_what_the_annotation_says():
    declared = TensorType(dims([8]), DataType.FP32)
    assert _merged(declared, UNKNOWN_TYPE) is declared


def test_an_index_may_be_declared_as_any_integer():
    assert _merged(ScalarType(DataType.INT32), ScalarType(DataType.INDEX)).dtype is DataType.INT32


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (TensorType(dims([8]), DataType.FP32), "has rank 1 but expression has rank 2"),
        (TensorType(dims([8, 4]), DataType.FP32), "has shape dimension 1 = 4 but expression has 8"),
        (TensorType(dims([8, 8]), DataType.FP16), "has dtype fp16 but expression has dtype fp32"),
        (TileType(dims([8, 8]), DataType.FP32), "is Tile but expression has type Tensor"),
    ],
)
def test_an_annotation_that_contradicts_the_value_is_refused(declared, message):
    with pytest.raises(ValueError, match=f"Type annotation for 'x' {message}"):
        _merged(declared, TensorType(dims([8, 8]), DataType.FP32))

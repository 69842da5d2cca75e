# SPDX-License-Identifier: Apache-2.0
"""The operation with two results: its registration, its types, its builder."""

import pytest

from pypto_build.ir import (
    ArgEffect,
    DataType,
    MemorySpace,
    TensorType,
    TileType,
    TileView,
    TupleGetItemExpr,
    Var,
    dims,
    scalar_type,
)
from pypto_build.ops import builtin_registry
from pypto_build.ops.build import tensor, tile
from pypto_build.ops.validation import validate_multi_output

OP = "tile.gather_compare"
SOURCE_TENSOR = Var("x", TensorType(dims([32, 64]), DataType.FP32))
INDEX_TENSOR = Var("i", TensorType(dims([32, 8]), DataType.INT32))


def operands(dtype=DataType.FP32, *, threshold=None, scratch=DataType.UINT8):
    source = Var("src", TileType(dims([32, 64]), dtype))
    value = Var("k", scalar_type(threshold or dtype))
    return source, value, Var("tmp", TileType(dims([32, 64]), scratch))


def types(**kwargs):
    return [element.type for element in tile.gather_compare(*operands(), out_cols=8, **kwargs)]


def test_it_is_registered_with_inputs_only():
    """MO-9."""
    definition = builtin_registry().get(OP)
    assert [arg.name for arg in definition.args] == ["src", "kvalue", "tmp"]
    assert definition.output_arity == 2
    assert [definition.effect_on(i, {}) for i in range(3)] == [ArgEffect.Read, ArgEffect.Read, ArgEffect.Write]
    assert definition.workspace_args == (2,)
    validate_multi_output([definition])


def test_its_results_must_not_share_a_buffer_with_its_inputs():
    """MO-37."""
    assert builtin_registry().get(OP).not_inplace_safe


def test_the_builder_returns_the_elements_of_one_call():
    """MO-18."""
    first, second = tile.gather_compare(*operands(), out_cols=8)
    assert isinstance(first, TupleGetItemExpr)
    assert first.tuple is second.tuple
    assert (first.index, second.index) == (0, 1)


@pytest.mark.parametrize("dtype", [DataType.FP16, DataType.FP32, DataType.INT16, DataType.INT32])
def test_the_types_it_compares(dtype):
    """MO-31."""
    assert len(tile.gather_compare(*operands(dtype), out_cols=8)) == 2


@pytest.mark.parametrize("dtype", [DataType.UINT16, DataType.UINT32, DataType.UINT8, DataType.INT64, DataType.BF16])
def test_the_types_it_does_not_compare(dtype):
    """MO-31."""
    with pytest.raises(ValueError, match=r"requires src dtype in \{FP16, FP32, INT16, INT32\}"):
        tile.gather_compare(*operands(dtype), out_cols=8)


def test_the_threshold_has_the_type_of_the_source():
    """MO-32."""
    with pytest.raises(ValueError, match="requires kvalue dtype fp32 as that of src, but got fp16"):
        tile.gather_compare(*operands(threshold=DataType.FP16), out_cols=8)


def test_a_bare_threshold_takes_the_type_of_the_source():
    """MO-32."""
    source, _, scratch = operands(DataType.FP16)
    call = tile.gather_compare(source, 1, scratch, out_cols=8)[0].tuple
    assert call.args[1].type is scalar_type(DataType.FP16)


def test_the_scratch_tile_holds_bytes():
    """MO-33."""
    with pytest.raises(ValueError, match="requires tmp dtype UINT8, but got int32"):
        tile.gather_compare(*operands(scratch=DataType.INT32), out_cols=8)


def test_the_results_are_indices_and_a_count_per_row():
    """MO-33."""
    assert types() == [
        TileType(dims([32, 8]), DataType.INT32, None, None, MemorySpace.Vec),
        TileType(dims([1, 32]), DataType.INT32, None, None, MemorySpace.Vec),
    ]


def test_the_results_are_valid_for_the_valid_rows():
    view = TileView(valid_shape=dims([20, 64]))
    source = Var("src", TileType(dims([32, 64]), DataType.FP32, None, view))
    _, value, scratch = operands()
    found = [element.type.tile_view.valid_shape for element in tile.gather_compare(source, value, scratch, out_cols=8)]
    assert [[dim.value for dim in region] for region in found] == [[20, 8], [1, 20]]


@pytest.mark.parametrize(("mode", "number"), [("eq", 0), ("ne", 1), ("lt", 2), ("le", 3), ("gt", 4), ("ge", 5), (2, 2)])
def test_a_comparison_is_given_by_name_or_number(mode, number):
    """MO-34."""
    call = tile.gather_compare(*operands(), cmp_mode=mode, out_cols=8)[0].tuple
    assert call.kwargs["cmp_mode"] == number


@pytest.mark.parametrize("mode", ["bogus", 99, -1, True])
def test_another_comparison_is_refused(mode):
    """MO-34."""
    with pytest.raises(ValueError, match="cmp_mode"):
        tile.gather_compare(*operands(), cmp_mode=mode, out_cols=8)


def test_the_comparison_is_equality_and_the_offset_nothing_unless_stated():
    """MO-34, MO-35."""
    kwargs = tile.gather_compare(*operands(), out_cols=8)[0].tuple.kwargs
    assert (kwargs["cmp_mode"], kwargs["offset"]) == (0, 0)


def test_an_offset_is_kept():
    """MO-35."""
    assert tile.gather_compare(*operands(), offset=4, out_cols=8)[0].tuple.kwargs["offset"] == 4


def test_the_type_of_the_count_can_be_chosen():
    assert types(count_dtype=DataType.UINT32)[1].dtype is DataType.UINT32


def test_the_number_of_columns_is_positive():
    with pytest.raises(ValueError, match="requires a positive out_cols, but got 0"):
        tile.gather_compare(*operands(), out_cols=0)


@pytest.mark.parametrize("other", [{"dim": -1, "index": INDEX_TENSOR}, {"mask_pattern": 1}])
def test_a_tensor_is_gathered_by_comparison_or_in_another_way(other):
    """MO-36."""
    with pytest.raises(ValueError, match="mutually exclusive"):
        tensor.gather(SOURCE_TENSOR, kvalue=0.5, out_cols=8, **other)

# SPDX-License-Identifier: Apache-2.0
"""Arguments of kernels: tensors first, bits of scalars, and extents computed back from shapes."""

from __future__ import annotations

import pytest
from pypto_targets.pto.entry_arguments import Arguments, unpacked_arguments

from pypto_build.errors import UserError
from pypto_build.ir import Add, DataType, Expr, FloorDiv, Mul, Neg, Sub, TensorType, Var, const_index
from tests.targets.pto.emitting import program
from tests.unit.ir.build import function, scalar, tensor, tile

N = scalar("N")
INDEX = DataType.INDEX


def unpacked(*params: Var) -> Arguments:
    """How a kernel with these parameters gets them."""
    return unpacked_arguments(function("k", params))


def of_extent(extent: Expr, name: str = "x", dtype: DataType = DataType.FP32) -> Var:
    """A tensor with an extent."""
    return Var(name, TensorType((extent,), dtype))


def test_tensors_come_first_and_scalars_as_bits():
    made = unpacked(tensor("a", 4), scalar("s", DataType.FP32), tensor("b", 4))
    assert made.names == ("a", "b", "s")
    assert "b_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);" in made.code
    assert "s_conv.u64 = args[2];" in made.code
    assert "float s = s_conv.val;" in made.code


def test_a_tensor_starts_where_its_descriptor_says():
    wanted = "__gm__ float* a = reinterpret_cast<__gm__ float*>(a_tensor->buffer.addr) + a_tensor->start_offset;"
    assert wanted in unpacked(tensor("a", 4)).code


@pytest.mark.parametrize(
    ("extent", "made"),
    [
        (N, "{}"),
        (Add(N, const_index(2), INDEX), "({} - 2)"),
        (Add(const_index(2), N, INDEX), "({} - 2)"),
        (Sub(N, const_index(3), INDEX), "({} + 3)"),
        (Sub(const_index(9), N, INDEX), "(9 - {})"),
        (Mul(const_index(4), N, INDEX), "({} / 4)"),
        (FloorDiv(N, const_index(5), INDEX), "({} * 5)"),
    ],
)
def test_an_extent_is_computed_back_from_a_shape(extent: Expr, made: str):
    found = unpacked(of_extent(extent))
    assert f"int64_t N = {made.format('static_cast<int64_t>(x_tensor->shapes[0])')};" in found.code
    assert found.names == ("x", "N")


def test_the_first_shape_that_tells_an_extent_is_asked():
    found = unpacked(of_extent(Mul(N, N, INDEX)), of_extent(N, "y"))
    assert "int64_t N = static_cast<int64_t>(y_tensor->shapes[0]);" in found.code


@pytest.mark.parametrize("extent", [Mul(N, N, INDEX), Neg(N, INDEX), FloorDiv(const_index(8), N, INDEX)])
def test_an_extent_that_no_shape_tells_is_refused(extent: Expr):
    with pytest.raises(UserError, match="non-invertible") as caught:
        unpacked(of_extent(extent))
    assert caught.value.code == "PTO021"


def test_the_last_extent_of_packed_elements_counts_pairs():
    assert "(static_cast<int64_t>(x_tensor->shapes[0]) * 2)" in unpacked(of_extent(N, dtype=DataType.FP4)).code


def test_each_block_has_its_own_part_of_the_workspace():
    setup = "pl.system.aiv_initialize_pipe(0, 0, dir_mask=1, slot_size=512, slot_num=2)"
    params = "__gm_pipe_buffer: pl.Out[pl.Tensor[[1], pl.FP32]]"
    kernel = program(setup, params=params, kind="AIV").get_function("main")
    assert kernel is not None
    shared, own = unpacked_arguments(kernel), unpacked_arguments(kernel, per_block=True)
    assert "start_offset;" in shared.code
    assert "start_offset + __pypto_spmd_block_idx * 256;" in own.code


def test_a_tile_cannot_be_handed_over():
    with pytest.raises(UserError, match="nothing that the runtime can hand over"):
        unpacked(tile("t", 16, 16))

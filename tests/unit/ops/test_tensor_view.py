# SPDX-License-Identifier: Apache-2.0
"""Types of tensors seen in another way: windows, shapes, layouts, element types, valid regions."""

import pytest

from pypto_build.ir import DataType, DistributedTensorType, PadValue, TensorLayout
from pypto_build.ops.build import tensor as op
from tests.unit.ops.parts import FP16, INT8, INT32, M, N, shown, tensor, window

DN, NZ, ND = TensorLayout.DN, TensorLayout.NZ, TensorLayout.ND


@pytest.mark.parametrize(
    ("source", "offset", "asked", "result"),
    [
        (tensor(16, 32), [0, 0], None, "Tensor[[8, 16], FP32]"),
        (tensor(16, 32), [N, 0], None, "Tensor[[8, 16], FP32]"),
        (tensor(16, 32), [0, 0], [M, 16], "Tensor[[8, 16], FP32, TensorView(valid_shape=[m, 16])]"),
        (tensor(16, 32, valid=[4, 32]), [0, 0], None, "Tensor[[8, 16], FP32, TensorView(valid_shape=[4, 16])]"),
        (tensor(16, 32, valid=[4, 32]), [0, 0], [2, 16], "Tensor[[8, 16], FP32, TensorView(valid_shape=[2, 16])]"),
    ],
)
def test_a_window_is_valid_where_the_tensor_is_and_where_asked(source, offset, asked, result):
    assert shown(op.slice(source, [8, 16], offset, asked)) == result


def test_a_window_of_a_window_buffer_is_one():
    assert isinstance(op.slice(window(16, 32), [8, 16], [0, 0]).type, DistributedTensorType)


@pytest.mark.parametrize(
    ("shape", "offset", "message"),
    [
        ([8, 16], [0], "requires 2 offsets and a shape of at most 2 dimensions, got 1 and 2"),
        ([8, 16], [12, 0], "pass clamp=True to cut the window at the end of its source"),
    ],
)
def test_a_window_that_cannot_be_read_is_refused(shape, offset, message):
    with pytest.raises(ValueError, match=message):
        op.slice(tensor(16, 32), shape, offset)


def test_a_clamped_window_ends_with_its_source():
    made = op.slice(tensor(16, 32), [8, 16], [12, 0], clamp=True)
    assert shown(made) == "Tensor[[8, 16], FP32, TensorView(valid_shape=[4, 16])]"


def test_dropped_axes_leave_the_others():
    made = op.slice(tensor(4, 16, 32), [1, 16, 32], [N, 0, 0], drop_dims=[0])
    assert shown(made) == "Tensor[[16, 32], FP32]"


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ([1], "can only drop a static unit dimension, but dimension 1"),
        ([5], "drop_dims axis 5 is out of range"),
        ([0, 0], "drop_dims names axis 0 twice"),
    ],
)
def test_axes_that_cannot_be_dropped_are_refused(axes, message):
    with pytest.raises(ValueError, match=message):
        op.slice(tensor(4, 16, 32), [1, 16, 32], [0, 0, 0], drop_dims=axes)


def test_a_pad_value_is_kept_with_the_part_it_pads():
    made = op.slice(tensor(16, 32), [8, 16], [0, 0], [4, 16], pad_value=PadValue.max)
    assert made.type.tensor_view.pad is PadValue.max


@pytest.mark.parametrize(
    ("source", "shape", "result"),
    [
        (tensor(16, 32), [8, 64], "Tensor[[8, 64], FP32]"),
        (tensor(16, 32), [512], "Tensor[[512], FP32]"),
        (tensor(N, 32), [M, 64], "Tensor[[m, 64], FP32]"),
        (tensor(16, 32, valid=[4, 32]), [512], "Tensor[[512], FP32, TensorView(valid_shape=[128])]"),
    ],
)
def test_a_reshape_keeps_elements_and_the_region_that_is_valid(source, shape, result):
    assert shown(op.reshape(source, shape)) == result


def test_a_reshape_to_another_number_of_elements_is_refused():
    with pytest.raises(ValueError, match="requires the same number of elements"):
        op.reshape(tensor(16, 32), [8, 32])


def test_a_reshape_may_narrow_the_region_but_not_widen_it():
    source = tensor(16, 32, valid=[4, 32])
    assert shown(op.reshape(source, [512], [100])) == "Tensor[[512], FP32, TensorView(valid_shape=[100])]"
    with pytest.raises(ValueError, match="is not provably within the source-derived extent"):
        op.reshape(source, [512], [200])


@pytest.mark.parametrize(
    ("source", "axes", "result"),
    [
        (tensor(16, 32), (0, 1), "Tensor[[32, 16], FP32, TensorView(stride=[1, 32], layout=DN)]"),
        (tensor(16, 32), (-2, -1), "Tensor[[32, 16], FP32, TensorView(stride=[1, 32], layout=DN)]"),
        (tensor(32, 16, layout=DN, stride=[1, 32]), (0, 1), "Tensor[[16, 32], FP32]"),
        (tensor(4, 16, 32), (0, 1), "Tensor[[16, 4, 32], FP32, TensorView(stride=[32, 512, 1])]"),
        (tensor(16, 32), (1, 1), "Tensor[[16, 32], FP32]"),
    ],
)
def test_a_transposition_swaps_strides(source, axes, result):
    assert shown(op.transpose(source, *axes)) == result


@pytest.mark.parametrize(
    ("source", "axes", "message"),
    [
        (tensor(16, 32), (0, N), "requires compile-time ConstInt axes"),
        (tensor(16, 32), (0, 2), "out of range"),
        (tensor(16, 32, layout=NZ), (0, 1), "does not support NZ layout"),
    ],
)
def test_a_transposition_needs_axes_that_have_strides(source, axes, message):
    with pytest.raises(ValueError, match=message):
        op.transpose(source, *axes)


def test_a_layout_view_keeps_the_elements_where_they_are():
    made = op.view(tensor(16, 32), layout=DN)
    assert shown(made) == "Tensor[[32, 16], FP32, TensorView(stride=[1, 32], layout=DN)]"


def test_a_view_in_another_shape_spells_strides_out():
    assert shown(op.view(tensor(16, 32), [8, 64])) == "Tensor[[8, 64], FP32, TensorView(stride=[64, 1])]"


def test_a_partial_region_goes_where_it_stays_a_box():
    source = tensor(2, 16, 32, valid=[1, 4, 32])
    made = op.view(source, [1, 1024], [1, 128])
    assert made.type.tensor_view.valid_shape[1].value == 128
    with pytest.raises(ValueError, match="maps a partial valid_shape only through"):
        op.view(source, [1, 1024], [1, 64])


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (tensor(16, 32), {}, "requires a shape or a layout"),
        (tensor(16, 32), {"layout": DN, "valid_shape": [4, 4]}, "takes valid_shape only together with shape"),
        (tensor(16, 32), {"layout": NZ}, "NZ layout is not allowed"),
        (tensor(16, 32), {"shape": [8, 32]}, "other element count"),
        (tensor(16, 32, stride=[64, 1]), {"shape": [512]}, "requires a packed source to change the shape"),
        (tensor(16, 32, valid=[4, 32]), {"shape": [512]}, "state the valid_shape of the target"),
        (tensor(16), {"layout": DN}, "requires rank >= 2 to flip the layout"),
    ],
)
def test_a_view_that_has_no_meaning_is_refused(source, options, message):
    with pytest.raises(ValueError, match=message):
        op.view(source, **options)


@pytest.mark.parametrize(
    ("source", "dtype", "result"),
    [
        (tensor(16, 32), FP16, "Tensor[[16, 64], FP16]"),
        (tensor(16, 32, dtype=INT8), INT32, "Tensor[[16, 8], INT32]"),
        (tensor(16, 32), INT32, "Tensor[[16, 32], INT32]"),
        (
            tensor(16, 32, layout=DN, stride=[1, 16]),
            FP16,
            "Tensor[[32, 32], FP16, TensorView(stride=[1, 32], layout=DN)]",
        ),
    ],
)
def test_other_elements_scale_the_axis_that_is_contiguous(source, dtype, result):
    assert shown(op.reinterpret_view(source, dtype)) == result


def test_bytes_that_fill_no_element_are_refused():
    with pytest.raises(ValueError, match="reinterpret_view"):
        op.reinterpret_view(tensor(16, 30, dtype=INT8), INT32)


@pytest.mark.parametrize(
    ("rows", "columns", "result"),
    [
        (4, N, "Tensor[[16, 32], FP32, TensorView(valid_shape=[4, n])]"),
        (16, 32, "Tensor[[16, 32], FP32]"),
    ],
)
def test_a_valid_region_can_be_stated(rows, columns, result):
    assert shown(op.set_validshape(tensor(16, 32), rows, columns)) == result


@pytest.mark.parametrize(
    ("source", "rows", "message"),
    [
        (tensor(16, 32), 17, "valid_rows 17 exceeds tensor bound 16"),
        (tensor(16, 32), -1, "valid_rows must be >= 0, but got -1"),
        (tensor(4, 16, 32), 4, "requires a 2D tensor"),
    ],
)
def test_a_region_outside_the_tensor_is_refused(source, rows, message):
    with pytest.raises(ValueError, match=message):
        op.set_validshape(source, rows, 1)


@pytest.mark.parametrize(
    ("target", "source", "offset", "result"),
    [
        (tensor(16, 32), tensor(4, 32), [N, 0], "Tensor[[16, 32], FP32]"),
        (tensor(16, 32), tensor(1, 4, 32), [0, N, 0], "Tensor[[16, 32], FP32]"),
        (
            tensor(16, 32, valid=[4, 32]),
            tensor(4, 32),
            [4, 0],
            "Tensor[[16, 32], FP32, TensorView(valid_shape=[8, 32])]",
        ),
        (
            tensor(16, 32, valid=[4, 32]),
            tensor(2, 32),
            [0, 0],
            "Tensor[[16, 32], FP32, TensorView(valid_shape=[4, 32])]",
        ),
    ],
)
def test_a_target_grows_by_what_is_written_next_to_it(target, source, offset, result):
    assert shown(op.assemble(target, source, offset)) == result


@pytest.mark.parametrize(
    ("target", "offset", "atomic", "message"),
    [
        (tensor(16, 32), [0], 0, "requires 2 offsets for the target, but got 1"),
        (tensor(16, 32), [0, 0], 7, "atomic must be AtomicType.None_ or AtomicType.Add, but got 7"),
        (tensor(16, 32, dtype=DataType.INT64), [0, 0], 1, "can add atomically only the hardware atomic-add dtypes"),
    ],
)
def test_an_assembly_that_cannot_be_written_is_refused(target, offset, atomic, message):
    with pytest.raises(ValueError, match=message):
        op.assemble(target, tensor(4, 32, dtype=target.type.dtype), offset, atomic=atomic)


def test_tensors_side_by_side_have_the_same_rows():
    assert shown(op.concat(tensor(16, 32), tensor(16, N))) == "Tensor[[16, 32 + n], FP32]"
    with pytest.raises(ValueError, match="row count must match"):
        op.concat(tensor(16, 32), tensor(8, 32))


def test_a_filled_tensor_is_valid_everywhere():
    assert shown(op.fillpad(tensor(16, 32, valid=[4, N]))) == "Tensor[[16, 32], FP32]"


def test_a_tensor_grows_by_filling_but_does_not_shrink():
    made = op.fillpad_expand(tensor(16, 32), [32, 32], PadValue.min)
    assert shown(made) == "Tensor[[32, 32], FP32, TensorView(pad=min)]"
    with pytest.raises(ValueError, match=r"shape dimension 0 must be >= source dimension, got 8 for 16"):
        op.fillpad_expand(tensor(16, 32), [8, 32])


@pytest.mark.parametrize(("split", "result"), [(1, "[8, 32]"), (2, "[16, 16]"), (0, "[16, 32]")])
def test_a_shard_is_half_of_an_axis(split, result):
    assert shown(op.aiv_shard(tensor(16, 32), split=split)) == f"Tensor[{result}, FP32]"


def test_the_halves_together_are_the_whole():
    assert shown(op.aic_gather(op.aiv_shard(tensor(16, 32), split=1), split=1)) == "Tensor[[16, 32], FP32]"


@pytest.mark.parametrize(
    ("source", "split", "message"),
    [
        (tensor(16, 32), 3, "split must be 0 .* but got 3"),
        (tensor(4, 16, 32), 1, "requires a 2D tensor to split"),
        (window(16, 32), 1, "requires a non-distributed TensorType"),
    ],
)
def test_what_cannot_be_split_is_refused(source, split, message):
    with pytest.raises(ValueError, match=message):
        op.aiv_shard(source, split=split)


def test_the_layouts_of_scaled_products_are_never_looked_into():
    source = tensor(16, 32, layout=TensorLayout.MX_A_ZZ)
    for look in (lambda: op.slice(source, [8, 32], [0, 0]), lambda: op.view(source, layout=ND)):
        with pytest.raises(ValueError, match="MX"):
            look()

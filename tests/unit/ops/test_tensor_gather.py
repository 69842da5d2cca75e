# SPDX-License-Identifier: Apache-2.0
"""Types of tensor operations that pick, place and sort elements, and which form of them a builder chooses."""

import pytest

from pypto_build.ir import DataType, TupleGetItemExpr
from pypto_build.ops import builtin_registry
from pypto_build.ops.build import tensor as op
from pypto_build.ops.build.tile import MaskPattern
from tests.unit.ops.parts import BF16, FP16, FP32, INT16, INT32, INT64, UINT16, UINT32, M, Mat, N, scalar, shown, tensor


def compared(source=None, kvalue=0.5, **options):
    return op.gather(source or tensor(16, 64), kvalue=kvalue, **{"out_cols": 8, **options})


def test_a_comparison_needs_no_workspace():
    """MO-28."""
    definition = builtin_registry().get("tensor.gather_compare")
    assert [arg.name for arg in definition.args] == ["input", "kvalue"]
    assert definition.output_arity == 2
    assert not definition.workspace_args


def test_a_comparison_is_one_call_with_two_results():
    """MO-28."""
    columns, count = compared()
    assert isinstance(columns, TupleGetItemExpr)
    assert columns.tuple is count.tuple
    assert columns.tuple.op.name == "tensor.gather_compare"


@pytest.mark.parametrize(
    ("options", "results"),
    [
        ({}, ["Tensor[[16, 8], INT32]", "Tensor[[1, 16], INT32]"]),
        ({"count_dtype": UINT32}, ["Tensor[[16, 8], INT32]", "Tensor[[1, 16], UINT32]"]),
    ],
)
def test_the_results_are_columns_and_their_count_per_row(options, results):
    """MO-33."""
    assert [shown(value) for value in compared(**options)] == results


@pytest.mark.parametrize("dtype", [FP16, FP32, INT16, INT32])
def test_the_types_it_compares(dtype):
    """MO-31."""
    assert len(compared(tensor(16, 64, dtype=dtype), 1)) == 2


@pytest.mark.parametrize("dtype", [UINT16, INT64, BF16])
def test_the_types_it_does_not_compare(dtype):
    """MO-31."""
    with pytest.raises(ValueError, match="requires input dtype"):
        compared(tensor(16, 64, dtype=dtype), 1)


def test_the_threshold_has_the_type_of_the_source():
    """MO-32."""
    with pytest.raises(ValueError, match="requires kvalue dtype fp32, but got fp16"):
        compared(kvalue=scalar(FP16))


@pytest.mark.parametrize(("mode", "number"), [("eq", 0), ("ge", 5), (3, 3), (None, 0)])
def test_a_comparison_is_given_by_name_or_number(mode, number):
    """MO-34."""
    assert compared(cmp_mode=mode)[0].tuple.kwargs["cmp_mode"] == number


@pytest.mark.parametrize("mode", ["bogus", 9])
def test_another_comparison_is_refused(mode):
    """MO-34."""
    with pytest.raises(ValueError, match="cmp_mode"):
        compared(cmp_mode=mode)


def test_a_comparison_needs_the_number_of_columns():
    with pytest.raises(ValueError, match="requires out_cols"):
        compared(out_cols=None)
    with pytest.raises(ValueError, match="requires a positive out_cols, but got 0"):
        compared(out_cols=0)


@pytest.mark.parametrize(
    "options",
    [
        {"dim": -1, "index": tensor(16, 8, dtype=INT32), "kvalue": 1},
        {"mask_pattern": 1, "kvalue": 1},
        {"mask_pattern": 1, "dim": -1, "index": tensor(16, 8, dtype=INT32)},
    ],
)
def test_the_forms_of_a_gather_exclude_each_other(options):
    """MO-36."""
    with pytest.raises(ValueError, match="mutually exclusive"):
        op.gather(tensor(16, 64), **options)


def test_a_gather_needs_a_form():
    """MO-36."""
    with pytest.raises(ValueError, match="requires dim and index, or mask_pattern, or kvalue"):
        op.gather(tensor(16, 64))


@pytest.mark.parametrize(
    ("made", "name", "result"),
    [
        (op.gather(tensor(16, 64), -1, tensor(16, 8, dtype=INT32)), "tensor.gather", "[16, 8], FP32"),
        (op.gather(tensor(16, 64), 0, tensor(4, 64, dtype=INT32)), "tensor.gather", "[4, 64], FP32"),
        (op.gather(tensor(16, 64), mask_pattern=MaskPattern.P0101), "tensor.gather_mask", "[16, 32], FP32"),
        (op.gather(tensor(16, 64), mask_pattern=3, output_dtype=INT32), "tensor.gather_mask", "[16, 16], INT32"),
        (op.scatter(tensor(16, 64), -1, tensor(16, 8, dtype=INT32), tensor(16, 8)), "tensor.scatter", "[16, 64], FP32"),
        (op.scatter(tensor(16, 32), mask_pattern=1, dst=tensor(16, 64)), "tensor.scatter_mask", "[16, 64], FP32"),
        (op.scatter_update(tensor(16, 64), tensor(2, 4, dtype=INT32), tensor(8, 64)), "tensor.scatter_update", None),
        (op.mrgsort(tensor(1, 256), block_len=64), "tensor.mrgsort_format1", "[1, 256], FP32"),
        (op.mrgsort(tensor(1, 128), tensor(1, 64)), "tensor.mrgsort_format2", "[1, 192], FP32"),
        (op.sort32(tensor(1, 64), tensor(1, 64, dtype=UINT32)), "tensor.sort32", "[1, 128], FP32"),
    ],
)
def test_the_arguments_choose_the_form(made, name, result):
    assert made.op.name == name
    assert shown(made) == f"Tensor[{result or '[16, 64], FP32'}]"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: op.gather(tensor(16, 64), -1, tensor(8, 8, dtype=INT32)), "agree on non-gather axes"),
        (lambda: op.gather(tensor(16, 64), -1, tensor(16, 8)), "requires index dtype INT32 or INT16, but got fp32"),
        (lambda: op.gather(tensor(16, 64), mask_pattern=1, output_dtype=INT16), "of the same bit width"),
        (lambda: op.scatter(tensor(16, 64), 0, tensor(16, 8, dtype=INT32), tensor(16, 8)), "supports dim=-1"),
        (
            lambda: op.scatter(tensor(16, 64), -1, tensor(16, 8, dtype=INT16), tensor(16, 8)),
            "requires index dtype int32",
        ),
        (lambda: op.scatter(tensor(16, 64), mask_pattern=9, dst=tensor(16, 64)), r"requires mask_pattern in \[1, 7\]"),
        (lambda: op.scatter(tensor(16, 64), -1, mask_pattern=1), "the index form and the mask form"),
        (lambda: op.scatter(tensor(16, 64)), "requires dim, index and src, or mask_pattern and dst"),
        (lambda: op.mrgsort(tensor(1, 256)), "requires block_len or further sources"),
        (lambda: op.mrgsort(tensor(1, 256), tensor(1, 64), block_len=64), "mutually exclusive"),
        (lambda: op.mrgsort(tensor(1, 256), block_len=65), "multiple of 64, but got 65"),
        (lambda: op.mrgsort(tensor(1, 256, dtype=INT32), block_len=64), "requires src dtype FP16 or FP32"),
    ],
)
def test_what_cannot_be_picked_placed_or_sorted_is_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_rows_are_replaced_with_or_without_the_axis():
    rows, source = tensor(2, 4, dtype=INT32), tensor(8, 64)
    for made in (
        op.scatter_update(tensor(16, 64), -2, rows, source),
        op.scatter_update(tensor(16, 64), rows, source),
        op.scatter_update(tensor(16, 64), index=rows, src=source),
    ):
        assert (made.args[1:], made.kwargs) == ((rows, source), {"dim": -2})


def test_rows_cannot_be_replaced_without_an_index():
    with pytest.raises(TypeError, match="requires index and src"):
        op.scatter_update(tensor(16, 64), -2)


def test_the_axis_of_a_gather_is_known():
    with pytest.raises(TypeError, match="dim must be a compile-time int"):
        op.gather(tensor(16, 64), N, tensor(16, 8, dtype=INT32))


def test_rows_are_gathered_into_an_accumulator():
    acc, source = tensor(16, 64), tensor(128, 64)
    assert op.gather_row(acc, source, [N, 0], [M, 0], [1, 64]).type is acc.type
    with pytest.raises(ValueError, match=r"requires shapes\[0\] to be a positive compile-time ConstInt"):
        op.gather_row(acc, source, [N, 0], [M, 0], [N, 64])


def test_pages_are_gathered_on_chip():
    indices, table = tensor(64, dtype=INT32), tensor(8, dtype=INT32)
    made = op.paged_gather(tensor(128, 64), indices, table, block_size=16, size=32, max_indices=64)
    assert made.kwargs["space"] is Mat
    with pytest.raises(ValueError, match="requires a positive block_size, but got 0"):
        op.paged_gather(tensor(128, 64), indices, table, block_size=0, size=32, max_indices=64)
    with pytest.raises(ValueError, match="requires indices dtype INT32, but got fp32"):
        op.paged_gather(tensor(128, 64), tensor(64), table, block_size=16, size=32, max_indices=64)


def test_an_index_type_follows_the_width_of_the_elements():
    wide = tensor(16, 8, dtype=DataType.INT16)
    made = op.scatter(tensor(16, 64, dtype=FP16), -1, wide, tensor(16, 8, dtype=FP16))
    assert shown(made) == "Tensor[[16, 64], FP16]"

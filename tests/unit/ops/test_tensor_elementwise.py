# SPDX-License-Identifier: Apache-2.0
"""Types of tensor operations element by element, and along rows and columns."""

import pytest

from pypto_build.ir import TensorLayout
from pypto_build.ops.build import tensor as op
from tests.unit.ops.parts import BF16, FP16, FP32, INT8, INT16, INT32, INT64, M, N, scalar, shown, tensor, window


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        (tensor(16, 32), tensor(16, 32), "Tensor[[16, 32], FP32]"),
        (tensor(16, 32), tensor(1, 32), "Tensor[[16, 32], FP32]"),
        (tensor(4, 16, 32), tensor(16, 1), "Tensor[[4, 16, 32], FP32]"),
        (tensor(N, 32), tensor(N, 32), "Tensor[[n, 32], FP32]"),
        (tensor(16, 32, dtype=FP16), tensor(16, 32), "Tensor[[16, 32], FP32]"),
        (tensor(16, 32, dtype=INT8), tensor(16, 32, dtype=INT32), "Tensor[[16, 32], INT32]"),
    ],
)
def test_two_tensors_broadcast_and_promote(left, right, result):
    assert shown(op.add(left, right)) == result


def test_extents_that_do_not_broadcast_are_refused():
    with pytest.raises(ValueError, match="broadcast"):
        op.mul(tensor(16, 32), tensor(8, 32))


@pytest.mark.parametrize(
    ("right", "result"),
    [
        (tensor(16, 32, valid=[4, N]), "Tensor[[16, 32], FP32, TensorView(valid_shape=[4, n])]"),
        (tensor(16, 32), "Tensor[[16, 32], FP32]"),
    ],
)
def test_a_region_that_both_operands_share_is_kept(right, result):
    assert shown(op.add(tensor(16, 32, valid=[4, N]), right)) == result


def test_a_result_has_memory_of_its_own():
    source = tensor(32, 16, layout=TensorLayout.DN, stride=[1, 32])
    assert shown(op.exp(source)) == "Tensor[[32, 16], FP32]"
    assert shown(op.add(window(16, 32), window(16, 32))) == "Tensor[[16, 32], FP32]"


@pytest.mark.parametrize(
    ("made", "result"),
    [
        (op.adds(tensor(16, 32, dtype=FP16), scalar(FP32)), "FP32"),
        (op.subs(tensor(16, 32, dtype=FP16), scalar(FP32)), "FP16"),
        (op.muls(tensor(16, 32, dtype=FP16), True), "FP16"),
        (op.muls(tensor(16, 32, valid=[4, 32]), scalar(FP32)), "FP32, TensorView(valid_shape=[4, 32])"),
        (op.maximum(tensor(16, 32), scalar(FP32)), "FP32"),
        (op.ands(tensor(16, 32, dtype=INT16), scalar(INT32)), "INT16"),
    ],
)
def test_the_type_beside_a_scalar(made, result):
    assert shown(made) == f"Tensor[[16, 32], {result}]"


@pytest.mark.parametrize(
    ("made", "result"),
    [
        (op.neg(tensor(16, 32, dtype=INT32)), "INT32"),
        (op.exp(tensor(16, 32, dtype=INT32)), "FP32"),
        (op.sqrt(tensor(16, 32, dtype=BF16)), "BF16"),
        (op.cast(tensor(16, 32, valid=[4, 32]), INT8), "INT8, TensorView(valid_shape=[4, 32])"),
        (op.not_(tensor(16, 32, dtype=INT16)), "INT16"),
    ],
)
def test_the_type_of_a_function_of_one_tensor(made, result):
    assert shown(made) == f"Tensor[[16, 32], {result}]"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: op.cast(tensor(16, 32), FP32), "same-dtype cast is not a valid operation"),
        (lambda: op.sin(tensor(16, 32, dtype=FP16)), "requires an FP32 tensor, but got fp16"),
        (lambda: op.log(tensor(16, 32, dtype=INT32)), "requires an FP16 or FP32 tensor dtype, but got int32"),
        (lambda: op.recip(tensor(16, 32, dtype=BF16), True), "supports high_precision only for FP16 or FP32"),
        (lambda: op.not_(tensor(16, 32, dtype=INT32)), "requires an int16 or uint16 tensor dtype, but got int32"),
        (lambda: op.div(tensor(16, 32, dtype=INT8), tensor(16, 32, dtype=INT8)), "lhs"),
        (lambda: op.and_(tensor(16, 32), tensor(16, 32)), "requires an integer tensor dtype, but got fp32"),
        (lambda: op.or_(tensor(16, 32, dtype=INT8), tensor(1, 32, dtype=INT8)), "same shape"),
        (lambda: op.shl(tensor(16, 32, dtype=INT8), -1), "requires a non-negative shift count, but got -1"),
        (lambda: op.shls(tensor(16, 32, dtype=INT8), 1.5), "scalar to be an integer, but got fp32"),
        (lambda: op.subs(tensor(16, 32, dtype=INT64), 1), "requires tensor dtype"),
    ],
)
def test_element_types_without_an_instruction_are_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize(
    ("made", "result"),
    [
        (op.row_expand_add(tensor(16, 32), tensor(16, 1)), "[16, 32], FP32"),
        (op.row_expand(tensor(4, N, 32), tensor(4, N, 1)), "[4, n, 32], FP32"),
        (op.col_expand_mul(tensor(16, 32, dtype=FP16), tensor(1, 32)), "[16, 32], FP32"),
        (op.expands(tensor(16, 32, dtype=INT8), 3), "[16, 32], INT8"),
        (op.expand_clone(tensor(1, 32), tensor(N, 32)), "[n, 32], FP32"),
    ],
)
def test_a_thin_tensor_spreads_over_a_whole_one(made, result):
    assert shown(made) == f"Tensor[{result}]"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: op.row_expand_mul(tensor(16, 32), tensor(16, 2)), "requires a row vector with an extent of 1"),
        (
            lambda: op.row_expand_mul(tensor(16, 32), tensor(8, 1)),
            "requires a row vector that is as long as the tensor",
        ),
        (lambda: op.col_expand(tensor(16, 32), tensor(16, 1)), "requires a column vector"),
        (lambda: op.row_expand_add(tensor(16, 32), tensor(16, 1, dtype=FP16)), "to have the same dtype"),
        (lambda: op.expand_clone(tensor(2, 32), tensor(16, 32)), "can only expand extents of 1"),
        (lambda: op.expand_clone(tensor(32), tensor(16, 32)), "requires input and target of one rank"),
    ],
)
def test_a_vector_that_does_not_fit_is_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize(
    ("made", "result"),
    [
        (op.row_sum(tensor(16, 32)), "Tensor[[16, 1], FP32]"),
        (op.row_max(tensor(4, N, 32)), "Tensor[[4, n, 1], FP32]"),
        (op.col_sum(tensor(16, 32)), "Tensor[[1, 32], FP32]"),
        (op.row_argmax(tensor(16, 32)), "Tensor[[16, 1], INT32]"),
        (op.row_sum(tensor(16, 32, valid=[4, 32])), "Tensor[[16, 1], FP32, TensorView(valid_shape=[4, 1])]"),
    ],
)
def test_a_fold_leaves_an_extent_of_one(made, result):
    assert shown(made) == result


def test_nothing_cannot_be_folded():
    with pytest.raises(ValueError, match="the valid extent on axis 1 is 0"):
        op.row_max(tensor(16, 32, valid=[16, 0]))


@pytest.mark.parametrize(
    ("made", "result"),
    [
        (op.matmul(tensor(16, 32), tensor(32, 64)), "[16, 64], FP32"),
        (op.matmul(tensor(32, 16), tensor(64, 32), a_trans=True, b_trans=True), "[16, 64], FP32"),
        (op.matmul(tensor(16, 32, dtype=BF16), tensor(32, N, dtype=BF16), FP32), "[16, n], FP32"),
        (op.matmul(tensor(4, 16, 32), tensor(32, 64)), "[4, 16, 64], FP32"),
        (op.matmul(tensor(4, 1, 16, 32), tensor(3, 32, 64)), "[4, 3, 16, 64], FP32"),
        (op.matmul(tensor(32), tensor(32, 64)), "[64], FP32"),
        (op.matmul(tensor(32), tensor(32)), "[], FP32"),
        (op.matmul_acc(tensor(16, 64), tensor(16, 32, dtype=BF16), tensor(32, 64, dtype=BF16)), "[16, 64], FP32"),
    ],
)
def test_the_type_of_a_product(made, result):
    assert shown(made) == f"Tensor[{result}]"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: op.matmul(tensor(16, 32), tensor(16, 32)), "requires matching inner extents, but got lhs K=32"),
        (lambda: op.matmul(tensor(32), tensor(32, 64), a_trans=True), "a_trans does not apply to a 1D lhs"),
        (lambda: op.matmul_acc(tensor(16, 32), tensor(16, 32), tensor(32, 64)), "to match the product"),
        (lambda: op.matmul_acc(tensor(16, 64), tensor(16, 32), tensor(32, 64), init_cond=M), "to have dtype BOOL"),
    ],
)
def test_factors_that_do_not_match_are_refused(build, message):
    with pytest.raises(ValueError, match=message):
        build()

# SPDX-License-Identifier: Apache-2.0
"""TensorViewCanonical: strides that are there, and belong to the layout."""

import pytest
from pypto_passes.verifiers.tensor_view_canonical import STRIDES_MISSING, STRIDES_WRONG, verify_tensor_view_canonical

from pypto_build.ir import DataType, TensorLayout, TensorType, TensorView, TupleType, Var, dims
from pypto_build.passes import PassContext
from tests.passes.verifiers.findings import codes
from tests.unit.ir.build import assign, function, op, program, scalar

ND, DN, NZ, MX = TensorLayout.ND, TensorLayout.DN, TensorLayout.NZ, TensorLayout.MX_A_ZZ


def viewed(layout, *strides, shape=(4, 8)):
    return TensorType(dims(shape), DataType.FP32, None, TensorView(dims(strides), layout))


def found(kind):
    of = program(function("f", (Var("x", kind),)))
    return [one.message.partition(", for ")[0] for one in verify_tensor_view_canonical(of, PassContext())]


@pytest.mark.parametrize(
    "kind",
    [
        TensorType(dims((4, 8)), DataType.FP32),
        viewed(ND, 8, 1),
        viewed(ND, 16, 1),
        viewed(DN, 1, 4),
        viewed(ND, scalar("n"), 1),
        viewed(MX),
    ],
)
def test_packed_and_strided_tensors_pass(kind):
    assert found(kind) == []


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (viewed(ND), "stride is empty: MaterializeTensorStrides writes it down"),
        (viewed(ND, 1, 4), "ND layout requires an innermost stride of 1"),
        (viewed(ND, 4, 1), "stride[0] is smaller than packed (by 4)"),
        (viewed(NZ), "NZ is a tile-only layout: a tensor in global memory has no order of boxes"),
        (TupleType((viewed(ND),)), "stride is empty: MaterializeTensorStrides writes it down"),
    ],
)
def test_other_strides_are_found(kind, problem):
    assert found(kind) == [problem]


@pytest.mark.parametrize(("kind", "code"), [(viewed(DN), STRIDES_MISSING), (viewed(ND, 1, 4), STRIDES_WRONG)])
def test_missing_strides_are_told_from_wrong_ones(kind, code):
    assert codes(verify_tensor_view_canonical, program(function("f", (Var("x", kind),)))) == [code]


def test_results_and_local_variables_are_looked_at_and_a_type_once():
    kind = viewed(ND)
    of = program(function("f", (), assign(Var("x", kind), op("tensor.create", type=kind)), results=(viewed(ND),)))
    expected = "stride is empty: MaterializeTensorStrides writes it down, for pl.Tensor[[4, 8], pl.FP32"
    assert [one.message.startswith(expected) for one in verify_tensor_view_canonical(of, PassContext())] == [True] * 2

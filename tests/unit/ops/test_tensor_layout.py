# SPDX-License-Identifier: Apache-2.0
"""Layout tags and strides of tensors."""

import pytest

from pypto_build.ir import DataType, ScalarType, TensorLayout, Var, as_int, dims
from pypto_build.ops.tensor_layout import canonical_problem, layout_of_strides, packed_strides, shape_product

ND, DN, NZ = TensorLayout.ND, TensorLayout.DN, TensorLayout.NZ


def numbers(values: tuple[object, ...]) -> list[object]:
    """Constants as numbers."""
    return [as_int(value) for value in values]  # type: ignore[arg-type]  # shapes hold expressions


@pytest.mark.parametrize(
    ("shape", "layout", "stride"),
    [
        ([8, 16], ND, [16, 1]),
        ([2, 4, 8], ND, [32, 8, 1]),
        ([4, 8], DN, [1, 4]),
        ([2, 4, 8], DN, [32, 1, 4]),
        ([2, 3, 4, 8], DN, [96, 32, 1, 4]),
        ([], ND, []),
    ],
)
def test_packed_strides_follow_the_layout(shape, layout, stride):
    assert numbers(packed_strides(dims(shape), layout)) == stride


def test_packed_strides_keep_a_symbolic_extent_as_the_same_object():
    n = Var("n", ScalarType(DataType.INDEX))
    assert packed_strides(dims([4, n]), ND)[0] is n


@pytest.mark.parametrize(("shape", "layout", "words"), [([8, 16], NZ, "NZ"), ([8], DN, "rank >= 2")])
def test_a_layout_without_strides_is_refused(shape, layout, words):
    with pytest.raises(ValueError, match=words):
        packed_strides(dims(shape), layout)


@pytest.mark.parametrize(
    ("shape", "stride", "layout"),
    [([4, 8], [16, 1], ND), ([2, 4], [1, 8], DN), ([8, 16], [2, 4], None), ([8, 16], [1], None), ([], [], None)],
)
def test_strides_imply_a_layout(shape, stride, layout):
    assert layout_of_strides(dims(shape), dims(stride)) is layout


@pytest.mark.parametrize(
    ("shape", "stride", "layout", "words"),
    [
        ([8, 16], [16, 1], ND, None),
        ([2, 4], [1, 8], DN, None),
        ([], [], ND, None),
        ([8, 16], [16, 1], NZ, "NZ"),
        ([8, 16], [], ND, "stride is empty"),
        ([8, 16], [1], ND, "rank"),
        ([4, 8], [1, 4], ND, "innermost"),
        ([8, 16], [16, 1], DN, r"stride\[-2\]"),
        ([4, 8], [4, 1], ND, "smaller than packed"),
        ([4, 8], [1, 2], DN, r"shape\[-2\]"),
        ([2, 4, 8], [16, 1, 4], DN, "smaller than packed"),
    ],
)
def test_strides_are_checked_against_the_layout(shape, stride, layout, words):
    problem = canonical_problem(dims(shape), dims(stride), layout)
    assert problem is None if words is None else problem is not None and words.replace("\\", "") in problem


def test_a_symbolic_stride_is_trusted_only_when_relaxed():
    k, n = (Var(name, ScalarType(DataType.INDEX)) for name in "kn")
    assert canonical_problem((k, n), dims([1, n]), DN) is None
    assert "symbolic" in (canonical_problem((k, n), dims([1, n]), DN, relaxed_symbolic=False) or "")


def test_the_product_of_a_dynamic_shape_is_unknown():
    n = Var("n", ScalarType(DataType.INDEX))
    assert (shape_product(dims([2, 3, 5])), shape_product(()), shape_product(dims([n, 8]))) == (30, 1, -1)

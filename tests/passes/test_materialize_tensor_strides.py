# SPDX-License-Identifier: Apache-2.0
"""MaterializeTensorStrides: which strides are written down, and which layouts have none."""

import pytest
from pypto_passes.materialize_tensor_strides import MaterializeTensorStrides

from pypto_build.errors import UserError
from pypto_build.ir import Program
from pypto_build.passes import apply_pass
from tests.passes.programs import assert_becomes, assert_unchanged, body

PASS = MaterializeTensorStrides()


def with_parameter(shape: str, view: str, text: str = "return x", results: str | None = None) -> Program:
    kind = f"pl.Tensor[{shape}, pl.FP32, pl.TensorView({view})]"
    signature = "" if results is None else f" -> {results or kind}"
    head = f"@pl.function\ndef f(self, n: pl.Scalar[pl.INDEX], x: {kind}){signature}:"
    return body(head, text.replace("KIND", kind))


@pytest.mark.parametrize(
    ("shape", "layout", "stride"),
    [
        ("[4, 8]", "DN", "[1, 4]"),
        ("[2, 4, 8]", "DN", "[32, 1, 4]"),
        ("[3, 2, 4, 8]", "DN", "[64, 32, 1, 4]"),
        ("[2, 4, 8]", "ND", "[32, 8, 1]"),
        ("[n, 4, 8]", "DN", "[32, 1, 4]"),
        ("[2, n, 8]", "ND", "[8 * n, 8, 1]"),
    ],
)
def test_a_view_without_strides_gets_the_packed_ones(shape, layout, stride):
    rest = "layout=pl.TensorLayout." + layout + ", pad=pl.PadValue.zero"
    before = with_parameter(shape, f"stride=[], {rest}")
    assert_becomes(PASS, before, with_parameter(shape, f"stride={stride}, {rest}"))


def test_the_strides_reach_results_of_calls_carries_and_signatures():
    text = """
        y: KIND = self.f(n, x)
        for i, (z,) in pl.range(n, init_values=(y,)):
            w: KIND = self.f(n, z)
            last = pl.yield_(w)
        return last
    """
    rest = "layout=pl.TensorLayout.DN"
    before = with_parameter("[4, 8]", f"stride=[], {rest}", text, "")
    assert_becomes(PASS, before, with_parameter("[4, 8]", f"stride=[1, 4], {rest}", text, ""))


@pytest.mark.parametrize("stride", ["[16, 1]", "[32, 1]"])
def test_strides_that_are_there_stay(stride):
    assert_unchanged(PASS, with_parameter("[8, 16]", f"stride={stride}, layout=pl.TensorLayout.ND"))


def test_a_tensor_without_a_view_stays():
    assert_unchanged(PASS, body("@pl.function\ndef f(self, x: pl.Tensor[[8, 16], pl.FP32]):", "return x"))


@pytest.mark.parametrize("stride", ["[]", "[16, 1]"])
def test_a_tensor_in_a_layout_of_tiles_is_refused_at_its_line(stride):
    with pytest.raises(UserError, match="NZ layout") as caught:
        apply_pass(PASS, with_parameter("[8, 16]", f"stride={stride}, layout=pl.TensorLayout.NZ"))
    assert (caught.value.code, caught.value.span.begin_line) == ("STRIDE001", 4)


def test_one_dimension_has_no_second_layout():
    with pytest.raises(UserError, match="two dimensions or more") as caught:
        apply_pass(PASS, with_parameter("[8]", "stride=[], layout=pl.TensorLayout.DN"))
    assert caught.value.code == "STRIDE002"

# SPDX-License-Identifier: Apache-2.0
"""Tensors: allocation, windows, other shapes, single elements, extents."""

from __future__ import annotations

import pytest

from pypto_build.errors import UserError
from tests.targets.orchestration.generating import T, body, source, text

WIDE = f"x: pl.Tensor[[64, 16], pl.FP32], out: pl.Out[{T}]"
CREATED = "a = pl.create_tensor([16, 16], dtype=pl.FP32{})\na = self.copy(x, a)\nout = self.copy(a, out)\nreturn out"


def test_the_tensors_of_a_scope_are_allocated_in_one_call_at_its_head():
    found = body("""
        a = pl.create_tensor([16, 16], dtype=pl.FP32)
        a = self.copy(x, a)
        b = pl.create_tensor([16, 16], dtype=pl.FP32)
        b = self.copy(a, b)
        out = self.copy(b, out)
        return out
    """)
    expected = """
    PTO2_SCOPE() {
        uint32_t a_ci_shapes[2] = {16, 16};
        TensorCreateInfo a_ci(a_ci_shapes, 2, DataType::FLOAT32);
        uint32_t b_ci_shapes[2] = {16, 16};
        TensorCreateInfo b_ci(b_ci_shapes, 2, DataType::FLOAT32);
        TaskOutputTensors alloc_0 = alloc_tensors(a_ci, b_ci);
        const ChipTensor& a = alloc_0.get_ref(0);
        const ChipTensor& b = alloc_0.get_ref(1);

        // Task 0: copy
    """
    assert text(expected) in found


def test_more_than_sixteen_tensors_take_two_calls():
    names = [f"t{i}" for i in range(17)]
    lines = [f"{name} = pl.create_tensor([16, 16], dtype=pl.FP32)" for name in names]
    lines += [f"{name} = self.copy(x, {name})" for name in names]
    found = body("\n".join([*lines, "out = self.copy(t0, out)", "return out"]))
    assert "alloc_1 = alloc_tensors(t16_ci);" in found


def test_a_tensor_whose_shape_is_computed_in_its_scope_waits_for_it():
    found = body(
        """
        n: pl.Scalar[pl.INT64] = pl.tensor.read(sizes, [0])
        a = pl.create_tensor([n, 16], dtype=pl.FP32)
        pl.tensor.write(a, [0, 0], 1.0)
        return out
    """,
        params=f"sizes: pl.Tensor[[4], pl.INT64], out: pl.Out[{T}]",
    )
    assert found.index("int64_t n = ") < found.index("uint32_t a_ci_shapes[2] = {static_cast<uint32_t>(n), 16};")


def test_a_tensor_may_be_left_to_manual_dependencies():
    assert "DataType::FLOAT32, /*manual_dep=*/true);" in body(CREATED.format(", manual_dep=True"))


@pytest.mark.parametrize(("value", "written"), [("0", "0"), ("2.5", "static_cast<float>(2.500000)")])
def test_a_tensor_may_begin_with_a_value(value: str, written: str):
    assert f"a_ci.set_initial_value({written});" in body(CREATED.format(f", init_value={value}"))


def test_a_fraction_cannot_fill_integers():
    main = "a = pl.create_tensor([16], dtype=pl.INT32, init_value=2.5)\npl.tensor.write(a, [0], 1)\nreturn out"
    with pytest.raises(UserError, match=r"2\.5 is not an integer"):
        source(main)


def test_a_window_is_cut_at_the_end_of_its_source():
    found = body(
        """
        for i in pl.range(4):
            part = pl.slice(x, [16, 16], [i * 16, 0])
            out = self.copy(part, out)
        return out
    """,
        params=WIDE,
    )
    rows = "(part_offsets[0] >= ext_x.shapes[0] ? 0u : std::min<uint32_t>(16, ext_x.shapes[0] - part_offsets[0]))"
    assert "uint32_t part_offsets[2] = {static_cast<uint32_t>((i * 16)), 0};" in found
    assert f"uint32_t part_shapes[2] = {{{rows}, " in found
    assert "ChipTensor part = ext_x.view(part_shapes, part_offsets);" in found


def test_a_window_may_lose_axes_of_extent_one():
    found = body(
        """
        part = x[1]
        out = self.copy(part, out)
        return out
    """,
        params=f"x: pl.Tensor[[4, 16, 16], pl.FP32], out: pl.Out[{T}]",
    )
    assert "part.ndims = 2;" in found
    assert "part.shapes[1] = part_view.shapes[2];" in found


def test_another_shape_is_another_descriptor_of_the_same_memory():
    found = body(
        "flat = pl.reshape(x, [16, 16])\nout = self.copy(flat, out)\nreturn out",
        params=(f"x: pl.Tensor[[256], pl.FP32], out: pl.Out[{T}]"),
    )
    assert "uint32_t flat_shapes[2] = {16, 16};\n    ChipTensor flat = ext_x.reshape(flat_shapes, 2);" in found


def test_axes_are_exchanged_by_descriptor():
    found = body("turned = pl.transpose(x, 0, -1)\nout = self.copy(turned, out)\nreturn out")
    assert "ChipTensor turned = ext_x.transpose(0, 1);" in found


def test_another_layout_exchanges_the_last_two_axes():
    found = body("other = pl.tensor.view(x, layout=pl.TensorLayout.DN)\nout = self.copy(x, out)\nreturn out")
    assert "ChipTensor other = ext_x.transpose(0, 1);" in found


def test_a_kernel_may_write_into_a_window_that_is_put_back_where_it_lies():
    found = body(
        """
        for i in pl.range(4):
            part = pl.slice(x, [16, 16], [i * 16, 0])
            part = self.copy(y, part)
            x = pl.assemble(x, part, [i * 16, 0])
        return x
    """,
        params=f"x: pl.InOut[pl.Tensor[[64, 16], pl.FP32]], y: {T}",
        result="pl.Tensor[[64, 16], pl.FP32]",
    )
    assert "params_t0.add_inout(part);" in found
    assert "memcpy" not in found


def test_putting_a_tensor_of_its_own_into_another_would_be_a_copy():
    main = """
        part = pl.create_tensor([16, 16], dtype=pl.FP32)
        part = self.copy(y, part)
        x = pl.assemble(x, part, [16, 0])
        return x
    """
    with pytest.raises(UserError, match="would have to copy"):
        source(main, params=f"x: pl.InOut[pl.Tensor[[64, 16], pl.FP32]], y: {T}", result="pl.Tensor[[64, 16], pl.FP32]")


def test_one_element_is_read_through_the_runtime():
    found = body("by = pl.tensor.read(x, [1, 3])\nout = self.scale(x, by, out)\nreturn out")
    assert "uint32_t indices_by[2] = {1, 3};" in found
    assert "float by = get_tensor_data<float>(ext_x, 2, indices_by);" in found
    assert "params_t0.add_scalar(to_u64(by));" in found


def test_one_element_is_written_through_the_runtime():
    found = body("pl.tensor.write(out, [1, 3], 2.0)\nreturn out")
    assert "set_tensor_data<float>(ext_out, 2, indices_out, 2.000000f);" in found


def test_a_symbol_of_a_shape_is_the_extent_of_the_tensor_that_has_it():
    params = f'x: pl.Tensor[[pl.dynamic("M"), 16], pl.FP32], y: {T}, out: pl.Out[{T}]'
    found = source(
        """
        for i in pl.range(pl.tensor.dim(x, 0)):
            out = self.copy(y, out)
        return out
    """,
        params=params,
    )
    assert "int64_t M = (int64_t)orch_args.tensor(0).ref().shapes[0];" in found
    assert "i < M;" in found


def test_an_operation_on_values_belongs_into_a_kernel():
    with pytest.raises(UserError, match=r"tensor.full is not supported .* it belongs into an InCore function"):
        source("a = pl.tensor.full([16, 16], pl.FP32, 1.0)\nout = self.copy(a, out)\nreturn out")


def test_division_rounds_downwards_as_in_python():
    found = source(
        """
        for i in pl.range(n // 4):
            out = self.copy(x, out)
        return out
    """,
        params=f"x: {T}, n: pl.Scalar[pl.INDEX], out: pl.Out[{T}]",
    )
    assert "i < floor_div(n, 4);" in found
    assert "static inline int64_t floor_div(int64_t a, int64_t b) {" in found


def test_division_of_what_cannot_be_negative_is_plain_division():
    found = source("""
        for i in pl.range(8):
            for j in pl.range(i // 4):
                out = self.copy(x, out)
        return out
    """)
    assert "j < (i / 4);" in found


FP4 = "x: pl.Tensor[[8, 16], pl.FP4], at: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[1, 8], pl.FP4]]"
WINDOW = "part = pl.slice(x, [1, 8], [0, {}])\nreturn out"


def test_a_window_of_packed_elements_is_counted_in_bytes():
    found = body(WINDOW.format(8), params=FP4, result="pl.Tensor[[1, 8], pl.FP4]")
    assert "uint32_t part_offsets[2] = {0, 4};" in found
    assert "std::min<uint32_t>(4, ext_x.shapes[1] - part_offsets[1])" in found


def test_a_window_of_packed_elements_begins_at_a_byte():
    with pytest.raises(UserError, match="last-axis offset must be byte-aligned, but it is 7"):
        source(WINDOW.format(7), params=FP4, result="pl.Tensor[[1, 8], pl.FP4]")


def test_where_a_window_of_packed_elements_begins_is_checked_at_run_time_if_it_is_known_then_only():
    found = body(WINDOW.format("at"), params=FP4, result="pl.Tensor[[1, 8], pl.FP4]")
    assert "always_assert((part_logical_fp4_offset & 1u) == 0u);" in found
    assert "uint32_t part_offsets[2] = {0, (part_logical_fp4_offset / 2)};" in found


def test_the_axis_along_which_elements_are_packed_stays_where_it_is():
    with pytest.raises(UserError, match="cannot move the packed FP4 last axis"):
        source("turned = pl.transpose(x, 0, 1)\nreturn out", params=FP4, result="pl.Tensor[[1, 8], pl.FP4]")

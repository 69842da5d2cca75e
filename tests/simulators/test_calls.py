# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels, launches of several blocks, tasks, and what reaches the caller's arrays."""

from __future__ import annotations

import numpy as np
import pytest

from pypto_build.errors import UserError
from tests.simulators.running import program, run_op, simulate

X = np.arange(16, dtype=np.float32).reshape(4, 4)

KERNEL = """
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[4, 4], pl.FP32], out: pl.Out[pl.Tensor[[4, 4], pl.FP32]]
    ) -> pl.Tensor[[4, 4], pl.FP32]:
        t = pl.load(x, [0, 0], [4, 4])
        out = pl.store(pl.add(t, 1.0), [0, 0], out)
        return out
"""


def run(main: str, kernel: str = KERNEL, **inputs: object) -> dict[str, object]:
    text = f"@pl.program\nclass P:{kernel}\n    @pl.function(type=pl.FunctionType.Orchestration)\n{main}"
    return dict(simulate(program(text), {"x": X, **inputs}).outputs)


TENSOR = "pl.Tensor[[4, 4], pl.FP32]"
SIGNATURE = f"    def main(self, x: {TENSOR}, out: pl.Out[{TENSOR}]) -> {TENSOR}:\n"


def test_a_kernel_writes_into_the_array_of_the_caller() -> None:
    found = run(SIGNATURE + "        out = self.kernel(x, out)\n        return out")
    assert list(found) == ["out"]
    assert np.array_equal(found["out"], X + 1)


def test_the_arrays_of_the_request_are_left_alone() -> None:
    given = np.zeros((4, 4), np.float32)
    run(SIGNATURE + "        out = self.kernel(x, out)\n        return out", out=given)
    assert not given.any()


def test_a_window_of_a_tensor_is_written_through() -> None:
    body = (
        "        for i in pl.parallel(2):\n"
        "            rows = pl.slice(out, [2, 4], [i * 2, 0])\n"
        "            source = pl.slice(x, [2, 4], [i * 2, 0])\n"
        "            rows = self.half(source, rows)\n"
        "        return out"
    )
    kernel = KERNEL.replace("[4, 4]", "[2, 4]").replace("kernel", "half")
    assert np.array_equal(run(SIGNATURE + body, kernel)["out"], X + 1)


def test_what_was_never_written_is_seen() -> None:
    body = "        part = pl.slice(out, [2, 4], [0, 0])\n        part = self.half(pl.slice(x, [2, 4], [0, 0]), part)\n"
    kernel = KERNEL.replace("[4, 4]", "[2, 4]").replace("kernel", "half")
    found = run(SIGNATURE + body + "        return out", kernel)["out"]
    assert np.array_equal(found[:2], X[:2] + 1)
    assert np.isnan(found[2:]).all()


def test_a_task_yields_its_results_and_a_handle_that_is_valid() -> None:
    body = (
        "        out, tid = pl.submit(self.kernel, x, out)\n"
        "        again, other = pl.submit(self.kernel, out, out, deps=[tid])\n"
        "        return again"
    )
    assert np.array_equal(run(SIGNATURE + body)["out"], X + 2)


def test_symbolic_extents_take_the_extents_of_the_arguments() -> None:
    main = (
        '    def main(self, x: pl.Tensor[["N", 4], pl.FP32]) -> pl.Tensor[["N", 4], pl.FP32]:\n'
        "        return pl.add(x, x)"
    ).replace('"N"', "N")
    assert np.array_equal(run(main, "")["result"], X + X)


def test_a_function_that_is_not_there_is_named() -> None:
    with pytest.raises(UserError, match="there is no function 'other'"):
        simulate(program(f"@pl.program\nclass P:{KERNEL}"), {"x": X}, entry="other")


def test_a_missing_input_is_named() -> None:
    with pytest.raises(UserError, match="no value is given for parameter 'x' of kernel"):
        simulate(program(f"@pl.program\nclass P:{KERNEL}"), {}, entry="kernel")


def test_an_input_that_no_parameter_takes_is_named() -> None:
    with pytest.raises(UserError, match="kernel has no parameter 'y'"):
        simulate(program(f"@pl.program\nclass P:{KERNEL}"), {"x": X, "y": X}, entry="kernel")


def test_an_input_of_another_shape_is_refused() -> None:
    with pytest.raises(UserError, match=r"dimension 0 of x of kernel is 4, but is given 3"):
        simulate(program(f"@pl.program\nclass P:{KERNEL}"), {"x": X[:3]}, entry="kernel")


def test_an_endless_loop_ends() -> None:
    text = "@pl.program\nclass P:\n    @pl.function\n    def main(self, n: pl.Scalar[pl.INDEX]):\n"
    text += "        s = 0\n        while s < 1:\n            s = s * 1\n        return s"
    with pytest.raises(UserError, match="has run 100 loop iterations"):
        simulate(program(text), {"n": 1}, max_iterations=100)


def test_an_operation_across_devices_is_named_in_the_error() -> None:
    with pytest.raises(UserError, match=r"pld\.system.world_size cannot be simulated: it works across devices"):
        run_op("pld.system.world_size")


def test_an_operation_without_semantics_is_named_in_the_error() -> None:
    with pytest.raises(UserError, match=r"prefetch\.make_context cannot be simulated: it has no semantics here"):
        run_op("prefetch.make_context")


def test_a_window_with_a_leading_extent_of_1_fits_a_parameter_without_it() -> None:
    main = (
        f"    def main(self, x: {TENSOR}, out: pl.Out[pl.Tensor[[2, 4, 4], pl.FP32]]):\n"
        "        page = pl.slice(out, [1, 4, 4], [1, 0, 0])\n"
        "        written = self.kernel(x, page)\n"
        "        return out"
    )
    found = run(main)["out"]
    assert np.array_equal(found[1], X + 1)
    assert np.isnan(found[0]).all()

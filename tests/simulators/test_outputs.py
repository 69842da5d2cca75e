# SPDX-License-Identifier: Apache-2.0
"""What a simulation hands back: the written parameters, and results that are no parameters."""

from __future__ import annotations

import numpy as np

from tests.simulators.running import program, simulate

X = np.arange(8, dtype=np.float32).reshape(2, 4)
TENSOR = "pl.Tensor[[2, 4], pl.FP32]"


def run(params: str, *lines: str, **inputs: object) -> tuple[dict[str, object], object]:
    body = "".join(f"        {line}\n" for line in lines)
    text = f"@pl.program\nclass P:\n    @pl.function\n    def main(self, {params}):\n{body}"
    found = simulate(program(text), inputs)
    return dict(found.outputs), found.report["returned"]


def test_a_fresh_tensor_is_the_result() -> None:
    outputs, returned = run(f"x: {TENSOR}", "return pl.add(x, 1.0)", x=X)
    assert list(outputs) == returned == ["result"]


def test_several_results_are_numbered() -> None:
    outputs, returned = run(f"x: {TENSOR}", "a = pl.add(x, 1.0)", "b = pl.mul(x, 2.0)", "return a, b", x=X)
    assert list(outputs) == returned == ["result0", "result1"]
    assert np.array_equal(outputs["result1"], X * 2)


def test_a_returned_parameter_keeps_its_name() -> None:
    params = f"x: {TENSOR}, out: pl.Out[{TENSOR}]"
    outputs, returned = run(params, "out = pl.assemble(out, x, [0, 0])", "return out", x=X)
    assert list(outputs) == returned == ["out"]


def test_a_part_of_a_parameter_is_a_result_of_its_own() -> None:
    outputs, returned = run(f"x: {TENSOR}", "return pl.set_validshape(x, 1, 4)", x=X)
    assert returned == ["result"]
    assert np.isnan(outputs["result"][1]).all()  # type: ignore[index]  # an array


def test_a_parameter_that_is_written_although_it_is_an_input_is_an_output() -> None:
    outputs, _ = run(f"x: {TENSOR}, y: {TENSOR}", "z = pl.assemble(y, x, [0, 0])", "return z", x=X, y=X * 0)
    assert list(outputs) == ["y"]


def test_a_number_is_a_result() -> None:
    outputs, returned = run("n: pl.Scalar[pl.INDEX]", "return n * 3", n=4)
    assert returned == ["result"]
    assert outputs["result"] == 12


def test_versions_that_passes_append_to_names_do_not_show() -> None:
    outputs, _ = run(f"x__ssa_v0: {TENSOR}, out__ssa_v3: pl.Out[{TENSOR}]", "return out__ssa_v3", x=X)
    assert list(outputs) == ["out"]

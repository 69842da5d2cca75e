# SPDX-License-Identifier: Apache-2.0
"""What goes wrong while a program runs is an error at the line that does it."""

from __future__ import annotations

import numpy as np
import pytest

from pypto_build.errors import UserError
from tests.simulators.running import program, simulate

X = np.arange(32, dtype=np.float32).reshape(4, 8)


def failure(*lines: str, x: object = X, n: int = 0) -> UserError:
    """The error of a function of these lines; the first of them is line 6."""
    head = "@pl.program\nclass P:\n    @pl.function(type=pl.FunctionType.InCore)\n    def main(\n"
    head += "        self, x: pl.Tensor[[R, 8], pl.FP32], n: pl.Scalar[pl.INDEX]):\n"
    text = head + "".join(f"        {line}\n" for line in lines)
    with pytest.raises(UserError) as caught:
        simulate(program(text), {"x": x, "n": n})
    return caught.value


def test_reading_beyond_a_tensor() -> None:
    found = failure("t = pl.load(x, [n, 0], [2, 8])", "return pl.add(t, t)", n=3)
    assert found.message == "tile.load reads elements 3 to 5 of dimension 0, which has 4"
    assert found.span.begin_line == 6


def test_writing_beyond_a_tensor() -> None:
    found = failure("t = pl.load(x, [0, 0], [2, 8])", "y = pl.store(t, [0, n], x)", "return y", n=4)
    assert found.message == "tile.store writes elements 4 to 12 of dimension 1, which has 8"
    assert found.span.begin_line == 7


def test_writing_before_the_beginning_of_a_tensor() -> None:
    found = failure("y = pl.store(pl.load(x, [0, 0], [2, 8]), [n, 0], x)", "return y", n=-1)
    assert found.message == "tile.store writes elements -1 to 1 of dimension 0, which has 4"


def test_shapes_that_do_not_fit_at_run_time() -> None:
    found = failure("y = pl.slice(x, [n, 8], [0, 0])", "z = pl.add(pl.reshape(y, [8, 2]), 1.0)", "return z", n=3)
    assert found.span.begin_line == 7
    assert "makes [8, 2] of [3, 8]" in found.message


def test_dividing_an_integer_by_zero() -> None:
    found = failure("t = pl.load(x, [8 // n, 0], [2, 8])", "return pl.add(t, t)")
    assert "cannot compute 8 FloorDiv 0" in found.message
    assert found.span.begin_line == 6


def test_a_variable_that_only_another_branch_assigns() -> None:
    lines = "if n > 0:", "    y = pl.add(x, 1.0)", "else:", "    z = pl.add(x, 2.0)", "return pl.mul(y, 2.0)"
    assert failure(*lines).message == "y is read before it has a value"


def test_an_extent_that_differs_from_the_one_of_another_parameter() -> None:
    text = "@pl.program\nclass P:\n    @pl.function\n    def main(\n        self, x: pl.Tensor[[R, 8], pl.FP32],"
    text += " y: pl.Tensor[[R, 4], pl.FP32]):\n        return x\n"
    with pytest.raises(UserError, match=r"dimension 0 of y of main is 4 \(R\), but is given 3"):
        simulate(program(text), {"x": X, "y": X[:3, :4]})

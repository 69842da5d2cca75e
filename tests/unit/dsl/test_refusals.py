# SPDX-License-Identifier: Apache-2.0
"""Bodies that once broke the front end: each is refused with one sentence at its place, and with help."""

from __future__ import annotations

import pytest

from pypto_build.dsl.diagnostics import ParserError
from pypto_build.dsl.text import parse

HEAD = """\
import pypto.language as pl

@pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
def f(x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX], a: pl.Array[4, pl.INT32]):
    """

REFUSED = {
    "y = a[15]": "'a[15]': The operator array.get_element index 15 is out of range for 4 elements",
    "buffer = pld.alloc_window_buffer(x)": "'pld.alloc_window_buffer(x)': The operator",
    "y = {[]: 1}": "A key of a dictionary must be a string or a number, got list",
    "y = pl.tensor.col_sum()": "pl.tensor operation 'col_sum': col_sum() missing 1 required positional argument",
    "pl.yield_(n)": "pl.yield_() outside a loop or branch",
    "y = pl.matmul(x, x, None, None)": "pl operation 'matmul': tensor.matmul: a_trans must be True or False, got None",
    "y = pl.add(x, x, span=None)": "An operation takes no span=: its place is that of the call",
}


TOO_LARGE = {
    "y = 10**10**10": "Failed to evaluate expression '10 ** 10 ** 10': the power is too large",
    "y = 1 << 10**9": "Failed to evaluate expression '1 << 10 ** 9': the shift is too large",
    "y = pow(10, 10**9)": "Failed to evaluate expression 'pow(10, 10 ** 9)': the power is too large",
    "y = [0] * 10**9": "Failed to evaluate expression '[0] * 10 ** 9': more than 65536 items",
    "y = 'a' * 10**9": "Failed to evaluate expression ''a' * 10 ** 9': more than 65536 items",
    "y = sum(range(10**12))": "Failed to evaluate expression 'sum(range(10 ** 12))': a range of more than 65536",
    "y = 10**60 * 10**60": "'10 ** 60 * 10 ** 60' is larger than any integer of the language",
    "y = 10**400 / 3": "Failed to evaluate expression '10 ** 400': the power is too large",
    "y = '%999999999d' % 3": "Failed to evaluate expression ''%999999999d' % 3': text is formatted with an f-string",
    "y = f'{3:999999999}'": "Unsupported expression type: JoinedStr with a format",
    "y = n + 10**30": "An integer constant has at most 64 bits, got 0xc9f2c9cd04674edea40000000",
    "y = pl.tensor.slice(x, [10**30, 1], [0, 0])": "An integer constant has at most 64 bits",
}


@pytest.mark.parametrize("statement", TOO_LARGE)
def test_what_would_take_the_machine_with_it_is_refused(statement: str) -> None:
    with pytest.raises(ParserError) as caught:
        parse(f"{HEAD}{statement}\n")
    assert caught.value.message.startswith(TOO_LARGE[statement])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("*n", "Parameter 'n' has no position of its own"),
        ("**n", "Parameter 'n' has no position of its own"),
        ("*, n: pl.Scalar[pl.INT32]", "Parameter 'n' has no position of its own"),
        ("n: pl.Scalar[pl.INT32] = 3", "A parameter of a kernel has no default value"),
    ],
)
def test_parameters_that_no_call_fills_are_refused(parameters: str, message: str) -> None:
    with pytest.raises(ParserError) as caught:
        parse(f"@pl.function\ndef f({parameters}):\n    return\n")
    assert caught.value.message == message


@pytest.mark.parametrize("statement", REFUSED)
def test_a_wrong_statement_is_refused_at_its_place(statement: str) -> None:
    with pytest.raises(ParserError) as caught:
        parse(f"{HEAD}{statement}\n", filename="kernel.py")
    error = caught.value
    assert error.message.startswith(REFUSED[statement])
    assert (error.span.filename, error.span.begin_line) == ("kernel.py", HEAD.count("\n") + 1)
    assert error.help

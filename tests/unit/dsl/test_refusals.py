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


@pytest.mark.parametrize("statement", REFUSED)
def test_a_wrong_statement_is_refused_at_its_place(statement: str) -> None:
    with pytest.raises(ParserError) as caught:
        parse(f"{HEAD}{statement}\n", filename="kernel.py")
    error = caught.value
    assert error.message.startswith(REFUSED[statement])
    assert (error.span.filename, error.span.begin_line) == ("kernel.py", HEAD.count("\n") + 1)
    assert error.help

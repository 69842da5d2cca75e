# SPDX-License-Identifier: Apache-2.0
"""What the front end warns about, and that it says so at the line of the source."""

from __future__ import annotations

import pytest

from pypto_build.dsl.text import parse

HEAD = "@pl.function(type=pl.FunctionType.InCore)\ndef f(x: pl.Tensor[[64, 64], pl.FP32]):\n"
SPLIT = "with pl.at(level=pl.Level.CORE_GROUP, optimizations=[pl.split(pl.SplitMode.NONE, slot_num=2)]):\n        pass"


@pytest.mark.parametrize(
    ("body", "line", "category", "message"),
    [
        ("y = pl.load(x, [0, 0], [16, 16])\n    z = y[3]", 4, UserWarning, "auto-promoting to 2D"),
        ("y = x\n    # the end", 4, UserWarning, "tail-of-block comment"),
        (SPLIT, 3, DeprecationWarning, "is deprecated"),
    ],
    ids=["promoted", "comment", "deprecated"],
)
def test_a_warning_names_the_line_that_it_is_about(body: str, line: int, category: type[Warning], message: str) -> None:
    with pytest.warns(category, match=message) as caught:
        parse(f"{HEAD}    {body}\n", filename="kernel.py")
    assert [(one.filename, one.lineno) for one in caught] == [("kernel.py", line)]

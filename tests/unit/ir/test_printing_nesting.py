# SPDX-License-Identifier: Apache-2.0
"""Nested branches and nested tuples: text that Python and the language can read again."""

from __future__ import annotations

from pypto_build.deep_stack import on_deep_stack
from pypto_build.dsl.text import parse
from pypto_build.ir.equal import assert_structural_equal

HEAD = "@pl.function\ndef f(n: pl.Scalar[pl.INDEX]):\n"


def test_a_chain_of_branches_is_not_indented_deeper_and_deeper() -> None:
    chain = "".join(f"    elif n > {number}:\n        y = n\n" for number in range(200))
    function = on_deep_stack(lambda: parse(f"{HEAD}    if n < 0:\n        y = n\n{chain}"))
    text = on_deep_stack(lambda: str(function))
    assert "    elif n > 199:\n" in text
    again = on_deep_stack(lambda: parse(text))
    on_deep_stack(lambda: assert_structural_equal(function, again, enable_auto_mapping=True))


def test_a_branch_with_something_beside_it_stays_below_else() -> None:
    text = f"{HEAD}    if n < 0:\n        y = n\n    else:\n        z = n\n        if n > 3:\n            y = n\n"
    assert "    else:\n        z: pl.Scalar[pl.INDEX] = n\n        if n > 3:\n" in str(parse(text))


def test_a_tuple_of_tuples_has_no_annotation() -> None:
    function = parse(f"{HEAD}    y = ((n, 1), 2)\n    return y\n")
    assert "    y = [[n, 1], 2]\n" in str(function)
    assert_structural_equal(function, parse(str(function)), enable_auto_mapping=True)

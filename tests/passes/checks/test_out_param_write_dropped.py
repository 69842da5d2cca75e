# SPDX-License-Identifier: Apache-2.0
"""Warnings where an output gets another value instead of being written into."""

from __future__ import annotations

import pytest
from pypto_passes.checks.out_param_write_dropped import OUT_PARAM_WRITE_DROPPED

from pypto_build.ir import Program
from tests.passes import programs
from tests.passes.checks.looking import seen

T = "pl.Tensor[[8, 8], pl.FP32]"


def body(text: str, way: str = "Out") -> Program:
    head = f"@pl.function\ndef f(self, a: {T}, out: pl.{way}[{T}], n: pl.Scalar[pl.INDEX]) -> {T}:"
    return programs.body(head, text)


@pytest.mark.parametrize("way", ["Out", "InOut"])
def test_another_value_is_found_and_what_to_write_is_said(way: str) -> None:
    found = seen(OUT_PARAM_WRITE_DROPPED, body("out = pl.exp(a)\nreturn out", way))
    sentence = "only gives the name another value: the caller's buffer is not written"
    assert found == [(3, f"Assigning to {way} parameter 'out' in function 'f' {sentence}")]


DROPPED = ["t = pl.exp(a)\nout = t", "out = a", "if n > 0:\n    out = pl.exp(a)"]
WRITTEN = [
    "out[:] = pl.exp(a)",
    "out = pl.assemble(out, a, [0, 0])",
    "out = pl.exp(out)",
    "t = pl.assemble(out, a, [0, 0])\nout = t",
    "for i, (o,) in pl.range(2, init_values=(out,)):\n    r = pl.yield_(pl.assemble(o, a, [0, 0]))\nout = r",
    "if n > 0:\n    r = pl.yield_(out)\nelse:\n    r = pl.yield_(a)\nout = r",
    "a = pl.exp(a)",
]


@pytest.mark.parametrize("text", DROPPED)
def test_every_value_that_was_not_made_of_the_parameter_is_found(text: str) -> None:
    assert len(seen(OUT_PARAM_WRITE_DROPPED, body(f"{text}\nreturn a"))) == 1


@pytest.mark.parametrize("text", WRITTEN)
def test_what_may_have_been_written_through_the_parameter_is_not_reported(text: str) -> None:
    assert seen(OUT_PARAM_WRITE_DROPPED, body(f"{text}\nreturn a")) == []


def test_each_parameter_counts_for_itself() -> None:
    head = f"@pl.function\ndef f(self, a: {T}, p: pl.Out[{T}], q: pl.Out[{T}]) -> {T}:"
    found = seen(OUT_PARAM_WRITE_DROPPED, programs.body(head, "p = pl.assemble(p, a, [0, 0])\nq = p\nreturn p"))
    assert [message.split("'")[1] for _, message in found] == ["q"]

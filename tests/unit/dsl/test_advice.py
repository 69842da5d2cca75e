# SPDX-License-Identifier: Apache-2.0
"""Every refusal says what to do: the form that it names, the operation that it names, or what its kind allows."""

from __future__ import annotations

import operator

import pytest

import pypto_build.dsl.language as pl
import pypto_build.dsl.language.distributed as pld
from pypto_build.dsl.advice import FORMS
from pypto_build.dsl.diagnostics import ParserError
from pypto_build.dsl.text import parse

HEAD = "@pl.function\ndef f(x: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INT32]):\n    "


@pytest.mark.parametrize(
    ("statement", "advice"),
    [
        ("for i in pl.pipeline(4):\n        pass", "Write for i in pl.pipeline(start, stop, step, stage=2)"),
        ("y = pl.const(n)", "Write pl.const(3, pl.INT32)"),
        ("y = pl.slice(x, [4])", "It is called pl.slice(input, shape, offset, valid_shape=None, "),
        ("y = pl.tile.store(x)", "It is called pl.tile.store(tile, offsets, output_tensor, shapes=None, *, atomic="),
        ("y = [n for i in (1, 2)]", "A kernel has assignments, for, while, if, with, return and calls"),
        ("y = x[1, 2]", "Make the value, or the annotation, of the type that is asked for"),
    ],
)
def test_a_refusal_has_a_help_line(statement: str, advice: str) -> None:
    with pytest.raises(ParserError) as caught:
        parse(HEAD + statement + "\n")
    assert caught.value.help.startswith(advice)
    assert caught.value.hint is None


@pytest.mark.parametrize("name", [name for name in FORMS if name not in ("pl.Op", "pld.comm_domain")])
def test_a_form_that_is_advised_is_one_of_the_language(name: str) -> None:
    module, _, path = name.partition(".")
    assert operator.attrgetter(path)({"pl": pl, "pld": pld}[module]) is not None

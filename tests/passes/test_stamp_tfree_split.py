# SPDX-License-Identifier: Apache-2.0
"""StampTfreeSplit: releases carry the split and the pipe of the tiles that they give back."""

from __future__ import annotations

from textwrap import indent

import pytest
from pypto_passes.stamp_tfree_split import StampTfreeSplit

from pypto_build.errors import UserError
from pypto_build.ir import Program
from pypto_build.passes import apply_pass
from tests.passes import programs

POP = "t: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic({})\n"


def kernel(release: str, pop: str = "split=1", *, other: str = "") -> Program:
    """A kernel that pops a tile and gives it back."""
    body = indent(f"{POP.format(pop)}{other}pl.system.{release}", "    ")
    return programs.program(f"@pl.function(type=pl.FunctionType.AIV)\ndef kernel(self):\n{body}")


@pytest.mark.parametrize(
    ("pop", "release"),
    [("split=2", "tfree_to_aic(t, split=2)"), ("split=1, id=3", "tfree_to_aic(t, split=1, id=3)")],
)
def test_a_release_says_what_the_pop_says(pop: str, release: str):
    made = programs.assert_becomes(StampTfreeSplit(), kernel("tfree_to_aic(t)", pop), kernel(release, pop))
    programs.assert_unchanged(StampTfreeSplit(), made)


def test_another_name_of_the_tile_is_followed():
    before = kernel("tfree_to_aic(w)", other="w = t\n")
    programs.assert_becomes(StampTfreeSplit(), before, kernel("tfree_to_aic(w, split=1)", other="w = t\n"))


@pytest.mark.parametrize(
    ("release", "said"),
    [
        ("tfree_to_aiv(t)", "requires its tile argument to come from tile.tpop_from_aiv, got tile.tpop_from_aic"),
        ("tfree_to_aic(c)", "requires its tile argument to come from tile.tpop_from_aic, got something that was not"),
        ("tfree_to_aic(t, id=2)", "pipe id 2 does not match originating tile.tpop_from_aic pipe id 0"),
    ],
)
def test_a_release_of_another_tile_is_refused(release: str, said: str):
    other = "c = pl.tile.create([16, 16], dtype=pl.FP32)\n"
    with pytest.raises(UserError, match=said) as caught:
        apply_pass(StampTfreeSplit(), kernel(release, other=other))
    assert caught.value.code == "CORE005"


def test_a_kernel_without_messages_stays_as_it_is():
    text = "@pl.function(type=pl.FunctionType.AIV)\ndef kernel(self):\n    pl.system.bar_all()"
    programs.assert_unchanged(StampTfreeSplit(), programs.program(text))

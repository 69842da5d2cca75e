# SPDX-License-Identifier: Apache-2.0
"""Names that passes give, and taking them apart again."""

from __future__ import annotations

import pytest

from pypto_build.analysis.names import AutoName, NameCounter, base_name


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("x__ssa_v3", AutoName("x", "ssa", 3)),
        ("x__tile", AutoName("x", "tile")),
        ("x__ssa_v3__window", AutoName("x__ssa_v3", "window")),
        ("x__assembled_1", AutoName("x", "assembled_1")),
        ("x", AutoName("x")),
        ("x__y", AutoName("x__y")),
        ("__tile", AutoName("__tile")),
    ],
)
def test_a_name_is_taken_apart_and_put_together_again(name: str, parts: AutoName):
    assert AutoName.parse(name) == parts
    assert str(parts) == name


def test_the_base_is_what_is_left_without_all_roles():
    assert base_name("x__ssa_v3__window") == "x"


def test_a_role_that_no_pass_gives_without_a_version_is_refused():
    with pytest.raises(ValueError, match="reserved delimiter"):
        base_name("x__y")


def test_only_the_first_name_of_a_role_goes_without_a_version():
    names = NameCounter()
    assert [names.only_one("x", "tile") for _ in range(3)] == ["x__tile", "x__tile_v0", "x__tile_v1"]


def test_a_name_that_is_there_already_is_not_given_again():
    names = NameCounter()
    names.seen("x__out")
    names.seen("x__out_v4")
    assert names.only_one("x", "out") == "x__out_v5"

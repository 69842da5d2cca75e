# SPDX-License-Identifier: Apache-2.0
"""The first difference between two keys: where it is and what stood there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.store.difference import ABSENT, Difference, first_difference
from pypto_build.store.key import Key

scalars = st.sampled_from([None, False, 0, 1, 1.0, "", "a", b"a"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)

BASE = (("pass", "fold"), ("options", {"level": 3, "tiles": [1, 2]}), ("function", "f" * 64))


def differ(old: object, new: object) -> Difference | None:
    return first_difference(Key("k", (("value", old),)).components, Key("k", (("value", new),)).components)


def test_equal_components_have_no_difference():
    assert first_difference(Key("k", BASE).components, Key("k", BASE).components) is None


@given(values, values)
def test_there_is_a_difference_exactly_when_the_keys_differ(old: object, new: object):
    assert (differ(old, new) is None) == (Key("k", (("value", old),)) == Key("k", (("value", new),)))


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (3, 4, "value: 3 -> 4"),
        (1, True, "value: 1 -> True"),
        ({"level": 3}, {"level": 4}, "value.level: 3 -> 4"),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 5]}}, "value.a.b[1]: 2 -> 5"),
        ({"a": 1}, {"a": 1, "b": 2}, "value.b: absent -> 2"),
        ({"a": 1, "b": 2}, {"a": 1}, "value.b: 2 -> absent"),
        ([1, 2], [1], "value[1]: 2 -> absent"),
        ("a" * 64, "b" * 64, "value: aaaaaaaaaaaa -> bbbbbbbbbbbb"),
        ("x" * 200, "", "value: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... -> ''"),
    ],
)
def test_the_place_and_both_values_are_shown(old: object, new: object, text: str):
    assert str(differ(old, new)) == text


def test_the_first_of_several_differences_in_the_order_of_the_components_is_named():
    new = (("pass", "fold"), ("options", {"level": 4, "tiles": [9]}), ("function", "e" * 64))
    found = first_difference(Key("k", BASE).components, Key("k", new).components)
    assert found == Difference("options", ("level",), 3, 4)


def test_a_new_component_and_a_lost_one_are_absent_on_the_other_side():
    old, new = Key("k", (("a", 1), ("b", 2))).components, Key("k", (("a", 1),)).components
    assert first_difference(old, new) == Difference("b", (), 2, ABSENT)
    assert first_difference(new, old) == Difference("b", (), ABSENT, 2)


def test_another_order_of_the_same_components_is_a_difference():
    old, new = Key("k", (("a", 1), ("b", 2))).components, Key("k", (("b", 2), ("a", 1))).components
    assert "order of components" in str(first_difference(old, new))

# SPDX-License-Identifier: Apache-2.0
"""Keys: everything that may change a result changes the key, nothing else does."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Mapping
from enum import IntEnum
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.errors import InternalError, UserError
from pypto_build.store.encoding import components_from_json, encode
from pypto_build.store.key import Key, KeyPrefix, is_digest

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=6)
    | st.binary(max_size=6)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)


def typed(value: object) -> object:
    """A form in which Python's equality is equality of component values."""
    if isinstance(value, Mapping):
        return ("mapping", frozenset((name, typed(item)) for name, item in value.items()))
    if isinstance(value, (list, tuple)):
        return ("sequence", tuple(typed(item) for item in value))
    if isinstance(value, float):
        return ("float", value.hex() if not math.isnan(value) else encode(value))
    return (type(value).__name__, value)


def shuffled(value: object) -> object:
    """The same value from other containers: tuples for lists, mappings filled in the opposite order."""
    if isinstance(value, Mapping):
        return MappingProxyType({name: shuffled(value[name]) for name in reversed(value)})
    return tuple(shuffled(item) for item in value) if isinstance(value, list) else value


def key(value: object, name: str = "options") -> Key:
    return Key("pass", ((name, value),))


@given(values, values)
def test_two_keys_are_equal_exactly_when_their_components_are(left: object, right: object):
    assert (key(left) == key(right)) == (typed(left) == typed(right))


@given(values)
def test_the_kind_of_container_and_the_order_of_a_mapping_do_not_matter(value: object):
    assert key(value) == key(shuffled(value))


@given(values, values)
def test_one_encoding_is_never_the_beginning_of_another(left: object, right: object):
    one, other = encode(left), encode(right)
    assert one == other or not other.startswith(one)


@given(values)
def test_a_key_made_again_from_its_json_is_the_same_key(value: object):
    first = key(value)
    assert Key("pass", components_from_json(first.components_json())) == first


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, True), (1, 1.0), (0.0, -0.0), (0, None), ("1", 1), ("a", b"a"), ((), None), ((), {}), ("", ()),
        (("ab", "c"), ("a", "bc")), (("a", ("b",)), ("a", "b")), ({"a": None}, {}), ({"a": 1}, {"b": 1}),
        (("as", "b"), ("a", "sb")), ((b"ab", b"b"), (b"a", b"bb")), ((1, 11), (11, 1)), (("i1:1",), (1,)),
    ],
)  # fmt: skip
def test_values_that_look_alike_give_different_keys(left: object, right: object):
    assert key(left) != key(right)


def test_the_kind_the_names_and_their_order_are_part_of_the_key():
    made = [
        Key("pass", (("a", 1), ("b", 1))),
        Key("object", (("a", 1), ("b", 1))),
        Key("pass", (("b", 1), ("a", 1))),
        Key("pass", (("a", 1),)),
        Key("pass", (("a", 1), ("c", 1))),
    ]
    assert len({one.digest for one in made}) == len(made)


def test_a_prefix_gives_the_same_key_as_its_components_spelled_out():
    prefix = KeyPrefix((("pass", "fold"), ("options", {"b": [1], "a": 2})))
    spelled_out = Key("pass", (*prefix.components, ("function", "f")))
    assert Key("pass", (("function", "f"),), prefix=prefix) == spelled_out


def test_later_changes_to_what_was_passed_do_not_reach_the_key():
    options = {"tiles": [1, 2]}
    made = key(options)
    options["tiles"].append(3)
    assert made.components == (("options", {"tiles": (1, 2)}),)


@pytest.mark.parametrize("value", [{1, 2}, object(), 1 + 2j, bytearray(b"x"), Path("x"), IntEnum("Color", "RED").RED])
def test_a_value_of_an_unknown_type_is_refused_by_name(value: object):
    with pytest.raises(UserError, match=rf"options\.inner holds .*{type(value).__qualname__}"):
        key({"inner": [value]})


def test_a_mapping_whose_keys_are_not_strings_is_refused():
    with pytest.raises(UserError, match="options has the key 1"):
        key({1: 2})


def test_a_value_that_contains_itself_is_refused():
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(UserError, match="nested"):
        key(loop)


def test_a_component_named_twice_is_our_mistake():
    with pytest.raises(InternalError, match="twice"):
        Key("pass", (("a", 1), ("a", 2)))


def test_neither_hash_seed_nor_directory_nor_locale_reaches_the_key(tmp_path: Path):
    script = (
        "from pypto_build.store.key import Key\nprint(Key('k', (('o', {c: (c, 1.5, b'x') for c in 'qwerty'}),)).digest)"
    )
    ours = Key("k", (("o", {c: (c, 1.5, b"x") for c in "ytrewq"}),)).digest
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "LC_ALL": "C"}
    theirs = subprocess.check_output([sys.executable, "-c", script], cwd=tmp_path, env=environment, text=True)
    assert theirs.strip() == ours


@pytest.mark.parametrize("text", ["", "a" * 63, "A" * 64, "g" * 64, "a" * 65, "../" + "a" * 61, "٣" * 64])
def test_only_a_lower_case_sha256_is_a_digest(text: str):
    assert not is_digest(text)
    assert is_digest("0123456789abcdef" * 4)

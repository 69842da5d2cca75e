# SPDX-License-Identifier: Apache-2.0
"""Where the store is and how large it may be, from what people write."""

from __future__ import annotations

from pathlib import Path

import pytest

from pypto_build.errors import UserError
from pypto_build.store.limits import Limits, parse_age, parse_size, show_size, store_limits
from pypto_build.store.location import store_location

HOME = Path.home()


@pytest.mark.parametrize(
    ("environ", "argument", "place"),
    [
        ({}, None, HOME / ".cache/pypto-build"),
        ({"XDG_CACHE_HOME": "/c"}, None, Path("/c/pypto-build")),
        ({"XDG_CACHE_HOME": "relative"}, None, HOME / ".cache/pypto-build"),
        ({"XDG_CACHE_HOME": "/c", "PYPTO_BUILD_STORE": "/s"}, None, Path("/s")),
        ({"PYPTO_BUILD_STORE": ""}, None, HOME / ".cache/pypto-build"),
        ({"PYPTO_BUILD_STORE": "/s"}, "/a", Path("/a")),
        ({"PYPTO_BUILD_STORE": "~/s"}, None, HOME / "s"),
        ({"PYPTO_BUILD_STORE": "s"}, None, Path.cwd() / "s"),
    ],
)
def test_the_nearest_word_about_the_place_counts(environ: dict[str, str], argument: str | None, place: Path):
    assert store_location(environ, argument) == place


@pytest.mark.parametrize(
    ("text", "count"),
    [("0", 0), ("1048576", 2**20), ("500M", 500 * 2**20), ("5GiB", 5 * 2**30), ("1.5 kb", 1536), ("2 T", 2**41)],
)
def test_a_size_is_read_as_people_write_it(text: str, count: int):
    assert parse_size(text) == count


@pytest.mark.parametrize(
    ("text", "seconds"), [("30d", 2592000), ("12h", 43200), ("2w", 1209600), ("1", 86400), ("9s", 9)]
)
def test_an_age_is_read_as_people_write_it(text: str, seconds: int):
    assert parse_age(text) == seconds


@pytest.mark.parametrize("text", ["", "-1", "5 parsecs", "GiB", "1e9"])
def test_anything_else_is_refused(text: str):
    with pytest.raises(UserError, match="is not a size"):
        parse_size(text)
    with pytest.raises(UserError, match="is not an age"):
        parse_age(text)


def test_arguments_come_before_the_environment_before_the_defaults():
    environ = {"PYPTO_BUILD_STORE_SIZE": "1G", "PYPTO_BUILD_STORE_AGE": "7d"}
    assert store_limits({}) == Limits(5 * 2**30, 30 * 86400)
    assert store_limits(environ) == Limits(2**30, 7 * 86400)
    assert store_limits(environ, size="2G", age="1d") == Limits(2**31, 86400)


@pytest.mark.parametrize(("count", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 * 2**30, "5.0 GiB")])
def test_a_size_is_shown_with_its_unit(count: int, text: str):
    assert show_size(count) == text

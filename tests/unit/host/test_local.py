# SPDX-License-Identifier: Apache-2.0
"""Local plugins: imported under a name of their own, and known by a digest of their text."""

from __future__ import annotations

import sys

import pytest

from pypto_build.host.local import import_local, plugin_digest, source_digest
from pypto_build.host.plugin import Candidate, Source


def test_two_plugins_of_one_name_are_two_modules(write):
    first = import_local(write("a/mine.py", "value = 1\n"))
    second = import_local(write("b/mine.py", "value = 2\n"))
    assert (first.value, second.value) == (1, 2)
    assert "mine" not in sys.modules


def test_the_same_text_is_imported_once(write):
    path = write("mine.py", "value = object()\n")
    assert import_local(path) is import_local(path)


def test_an_edit_of_the_same_length_in_the_same_second_is_seen(write):
    assert import_local(write("mine.py", "value = 1\n")).value == 1
    assert import_local(write("mine.py", "value = 2\n")).value == 2


def test_a_plugin_that_raises_leaves_no_module_behind(write):
    before = set(sys.modules)
    with pytest.raises(ZeroDivisionError):
        import_local(write("mine.py", "1 / 0\n"))
    assert {name for name in set(sys.modules) - before if "mine" in name} == set()


def test_no_byte_code_is_written_beside_a_plugin(write, tmp_path):
    import_local(write("mine.py", "value = 1\n"))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_the_digest_is_of_text_and_names_and_not_of_the_place(write):
    first = source_digest(write("a/mine.py", "x = 1\n"))
    assert source_digest(write("b/mine.py", "x = 1\n")) == first
    assert source_digest(write("a/mine.py", "x = 2\n")) != first
    assert source_digest(write("a/other.py", "x = 1\n")) != first


def test_the_digest_of_a_package_sees_every_module(write):
    package = write("package/__init__.py", "").parent
    before = source_digest(package)
    write("package/more.py", "x = 1\n")
    assert source_digest(package) != before


def test_the_digest_of_an_installed_plugin_is_that_of_its_top_level_package():
    candidate = Candidate("it", Source.INSTALLED, "pluggy._hooks")
    assert plugin_digest(candidate) == plugin_digest(Candidate("it", Source.INSTALLED, "pluggy"))


def test_a_plugin_without_code_has_no_digest():
    assert plugin_digest(Candidate("it", Source.INSTALLED, "no_such_module_here")) is None

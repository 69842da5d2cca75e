# SPDX-License-Identifier: Apache-2.0
"""What a plugin's text says without being imported."""

from __future__ import annotations

from pathlib import Path

from pypto_build.host import Kind
from pypto_build.host.static import find_module_file, read_module

from .conftest import registering


def test_a_literal_dictionary_is_read(write):
    facts = read_module(write("p.py", "PYPTO_BUILD_API = 3\n" + registering("targets", {"a": "b:C"})))
    assert (facts.api, facts.contributions, facts.complete) == (3, ((Kind.TARGET, "a", "b:C"),), True)


def test_a_dictionary_may_have_a_name_and_the_hook_a_docstring(write):
    text = (
        "PASSES = {'a': 'b:C'}\n@hookimpl(trylast=True)\ndef pypto_register_passes():\n    'Doc.'\n    return PASSES\n"
    )
    assert read_module(write("p.py", text)).contributions == ((Kind.PASS, "a", "b:C"),)


def test_computed_names_are_left_open(write):
    facts = read_module(write("p.py", "@hookimpl\ndef pypto_register_passes():\n    return make()\n"))
    assert (facts.contributions, facts.complete) == ((), False)


def test_imported_hooks_are_left_open(write):
    assert not read_module(write("p.py", "from elsewhere import pypto_register_passes\n")).complete


def test_a_missing_marker_is_a_problem(write):
    facts = read_module(write("p.py", "def pypto_report(event): ...\n"))
    assert facts.problem == "line 2: `pypto_report` lacks `@hookimpl`"


def test_a_module_in_a_package_is_found_without_importing_the_package(tmp_path: Path, monkeypatch):
    package = tmp_path / "never_imported_package" / "inner"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("raise RuntimeError\n")
    (package / "__init__.py").write_text("raise RuntimeError\n")
    (package / "plugin.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find_module_file("never_imported_package.inner.plugin") == package / "plugin.py"
    assert find_module_file("never_imported_package.other.plugin") is None

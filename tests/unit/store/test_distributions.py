# SPDX-License-Identifier: Apache-2.0
"""Installed distributions are known by their RECORD, editable ones by their code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pypto_build.store.code_tree import tree_files
from pypto_build.store.fingerprint import Fingerprinter


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    site.mkdir()
    return site


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def parts(site: Path, name: str) -> list[str]:
    """The names of the parts of a distribution, looked at anew."""
    made = Fingerprinter(site.parent / "index", {}, search_path=[str(site)])
    return [part for part, _ in made.distribution(name).parts]


@pytest.mark.parametrize("name", ["my-plugin", "My_Plugin", "my.plugin"])
def test_a_wheel_is_found_under_any_spelling_of_its_name(site: Path, name: str):
    write(site / "my_plugin-1.0.dist-info/RECORD", "x")
    assert parts(site, name) == ["RECORD"]


def test_another_version_is_another_fingerprint(site: Path):
    write(site / "my_plugin-1.0.dist-info/RECORD", "my_plugin.py,sha256=aaa,1")
    before = Fingerprinter(site.parent / "i", {}, search_path=[str(site)]).distribution("my-plugin").digest
    write(site / "my_plugin-1.0.dist-info/RECORD", "my_plugin.py,sha256=bbb,1")
    assert Fingerprinter(site.parent / "j", {}, search_path=[str(site)]).distribution("my-plugin").digest != before


def test_without_a_record_the_metadata_counts(site: Path):
    write(site / "my_plugin-1.0.dist-info/METADATA", "Version: 1.0")
    assert parts(site, "my-plugin") == ["METADATA"]


def test_an_editable_installation_counts_by_its_code_and_its_package_data(site: Path, tmp_path: Path):
    project = tmp_path / "my project"
    origin = {"url": project.as_uri(), "dir_info": {"editable": True}}
    write(site / "my_plugin-1.0.dist-info/RECORD", "x")
    write(site / "my_plugin-1.0.dist-info/direct_url.json", json.dumps(origin))
    for name in ("src/plug/__init__.py", "src/plug/data/sizes.json", "src/plug/fast.so", "setup.py"):
        write(project / name, "")
    for name in ("README.md", "build/k.ptobj", "build/report.json", ".git/HEAD", "src/plug/__pycache__/x.pyc"):
        write(project / name, "")
    write(project / "venv/pyvenv.cfg", "")
    write(project / "venv/lib/module.py", "")
    assert parts(site, "my-plugin") == [
        "setup.py",
        "src/plug/__init__.py",
        "src/plug/data/sizes.json",
        "src/plug/fast.so",
    ]


@pytest.mark.parametrize(
    "origin", ["{", '{"url": "file:///x"}', '{"url": "https://x", "dir_info": {"editable": true}}']
)
def test_any_other_origin_is_not_editable(site: Path, origin: str):
    write(site / "my_plugin-1.0.dist-info/RECORD", "x")
    write(site / "my_plugin-1.0.dist-info/direct_url.json", origin)
    assert parts(site, "my-plugin") == ["RECORD"]


def test_a_link_to_a_directory_above_does_not_make_a_tree_endless(tmp_path: Path):
    write(tmp_path / "tree/a.txt", "")
    (tmp_path / "tree/up").symlink_to(tmp_path)
    assert [name for name, _ in tree_files(str(tmp_path / "tree"), only_code=False)] == ["a.txt"]

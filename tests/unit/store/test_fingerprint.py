# SPDX-License-Identifier: Apache-2.0
"""A fingerprint changes with the code that can influence a result, and with nothing else."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pypto_build.errors import UserError
from pypto_build.store.fingerprint import Fingerprint, Fingerprinter
from pypto_build.store.module_finder import package_roots

SOURCES = {
    "kit/__init__.py": "",
    "kit/fold.py": "from kit.ir import Node\nfrom . import tools\nimport json, numlib\n",
    "kit/tools.py": "from kit.deep.leaf import value\n",
    "kit/deep/__init__.py": "",
    "kit/deep/leaf.py": "value = 1\n",
    "kit/ir/__init__.py": "from kit.ir.node import Node\n",
    "kit/ir/node.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from kit.typed import T\n",
    "kit/typed.py": "T = int\n",
    "kit/split.py": "import kit.deep.leaf\n",
    "kit/loop_a.py": "from kit import loop_b\n",
    "kit/loop_b.py": "from kit import loop_a\n",
    "kit/star.py": "from kit.many import *\n",
    "kit/many/__init__.py": "",
    "kit/many/one.py": "",
    "kit/dynamic/__init__.py": "",
    "kit/dynamic/registry.py": "import importlib\ndef f(n): return importlib.import_module(n)\n",
    "kit/dynamic/family.py": "",
    "kit/dynamic/inner/member.py": "",
    "site/numlib/__init__.py": "",
    "site/numlib-2.1.dist-info/RECORD": "numlib/__init__.py,sha256=abc,0\n",
}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    write(root, SOURCES)
    return root


Make = Callable[[], Fingerprinter]


@pytest.fixture
def make(project: Path, tmp_path: Path) -> Make:
    """A new fingerprinter, as each build makes one; its clock is an hour ahead, so that all files are settled."""

    def fingerprinter() -> Fingerprinter:
        index = tmp_path / "index" / "files"
        later = time.time_ns() + 3_600_000_000_000
        if index.exists():
            os.utime(index, ns=(later, later))
        site = [str(project / "site")]
        return Fingerprinter(index, {"kit": project / "kit"}, search_path=site, now_ns=lambda: later)

    return fingerprinter


def labels(fingerprint: Fingerprint) -> list[str]:
    return [name for name, _ in fingerprint.parts]


def append(path: Path) -> None:
    with path.open("a") as stream:
        stream.write("\n# changed\n")


def test_a_module_counts_with_all_that_it_imports(make: Make):
    assert labels(make().module("kit.fold")) == [
        "python",
        "module kit",
        "module kit.deep",
        "module kit.deep.leaf",
        "module kit.fold",
        "module kit.ir",
        "module kit.ir.node",
        "module kit.tools",
        "import numlib",
    ]


FOLLOWED = ["kit/__init__.py", "kit/fold.py", "kit/tools.py", "kit/deep/leaf.py", "kit/ir/node.py"]


@pytest.mark.parametrize("name", [*FOLLOWED, "site/numlib-2.1.dist-info/RECORD"])
def test_a_change_in_what_is_imported_changes_the_fingerprint(make: Make, project: Path, name: str):
    before = make().module("kit.fold").digest
    append(project / name)
    assert make().module("kit.fold").digest != before


@pytest.mark.parametrize("name", ["kit/typed.py", "kit/split.py", "kit/new.py", "site/numlib/__init__.py"])
def test_a_change_elsewhere_does_not(make: Make, project: Path, name: str):
    before = make().module("kit.fold").digest
    append(project / name)
    assert make().module("kit.fold").digest == before


def test_neither_time_stamps_nor_the_place_matter(make: Make, project: Path, tmp_path: Path):
    moved = tmp_path / "moved to another place"
    shutil.copytree(project, moved)
    for path in moved.rglob("*.py"):
        os.utime(path, (1, 1))
    there = Fingerprinter(tmp_path / "other-index", {"kit": moved / "kit"}, search_path=[str(moved / "site")])
    assert there.module("kit.fold").digest == make().module("kit.fold").digest


def test_a_warm_start_reads_nothing(make: Make):
    cold = make()
    first = [cold.module("kit.fold"), cold.module("kit.split"), cold.distribution("numlib")]
    assert cold.save()
    warm = make()
    assert [warm.module("kit.fold"), warm.module("kit.split"), warm.distribution("numlib")] == first
    assert warm.index.reads == 0


def test_imports_in_a_circle_end(make: Make):
    assert labels(make().module("kit.loop_a"))[1:] == ["module kit", "module kit.loop_a", "module kit.loop_b"]


def test_a_star_import_counts_with_every_submodule(make: Make):
    assert "module kit.many.one" in labels(make().module("kit.star"))


def test_a_computed_import_counts_with_everything_beside_and_below(make: Make):
    found = labels(make().module("kit.dynamic.registry"))
    assert {"module kit.dynamic.family", "module kit.dynamic.inner.member"} <= set(found)
    assert "module kit.fold" not in found


def test_a_new_file_that_shadows_an_import_is_seen(make: Make, project: Path):
    write(project, {"kit/user.py": "from kit.ir import extra\n"})
    before = make().module("kit.user").digest
    write(project, {"kit/ir/extra.py": ""})
    assert make().module("kit.user").digest != before


def test_a_package_that_appears_is_seen(make: Make, project: Path):
    write(project, {"kit/user.py": "try:\n    import optional\nexcept ImportError:\n    pass\n"})
    before = make().module("kit.user")
    write(project, {"site/optional.py": "fast = True\n"})
    assert before.parts[-1] == ("import optional", "absent")
    assert make().module("kit.user").digest != before.digest


def test_a_local_file_counts_with_what_lies_beside_it(make: Make, tmp_path: Path):
    local = tmp_path / "local"
    write(local, {"my_pass.py": "from kit.ir import Node\nimport helper\nfrom lib.inner import x\n"})
    write(local, {"helper.py": "", "lib/inner.py": "", "other.py": ""})
    made = make().file(local / "my_pass.py")
    assert labels(made)[1:] == [
        "file my_pass.py",
        "module helper",
        "module kit",
        "module kit.ir",
        "module kit.ir.node",
        "module lib.inner",
    ]
    append(local / "helper.py")
    assert make().file(local / "my_pass.py").digest != made.digest


def test_a_long_lived_process_sees_edits_of_sources_and_local_plugins(make: Make, tmp_path: Path):
    local = tmp_path / "local"
    write(local, {"plugin.py": "import helper\n", "helper.py": "", "data/a.txt": ""})
    made = make()

    def look() -> tuple[str, str, str]:
        return made.content(local / "plugin.py"), made.file(local / "plugin.py").digest, made.tree(local).digest

    seen = [look()]
    for edited in ({"plugin.py": "import helper, x\n"}, {"x.py": ""}, {"helper.py": "y = 1\n"}, {"data/a.txt": "b"}):
        write(local, edited)
        seen.append(look())
    assert [len(set(digests)) for digests in zip(*seen, strict=True)] == [2, 4, 5]


def test_a_long_lived_process_keeps_to_the_modules_that_it_has_loaded(make: Make, project: Path, tmp_path: Path):
    write(tmp_path / "local", {"plugin.py": "import kit.split\n"})
    made = make()
    before = (made.module("kit.split"), made.file(tmp_path / "local/plugin.py"))
    append(project / "kit/split.py")
    assert (made.module("kit.split"), made.file(tmp_path / "local/plugin.py")) == before


def test_the_content_of_a_file_is_its_sha256_alone(make: Make, project: Path):
    same = project / "same.py"
    shutil.copy(project / "kit/fold.py", same)
    assert make().content(same) == make().content(project / "kit/fold.py")


def test_a_tree_counts_every_visible_file_by_its_name(make: Make, project: Path):
    write(project, {"data/a.txt": "1", "data/b/c.bin": "2", "data/.git/x": "3", "data/__pycache__/a.pyc": "4"})
    assert labels(make().tree(project / "data")) == ["a.txt", "b/c.bin"]
    before = make().tree(project / "data").digest
    os.rename(project / "data/a.txt", project / "data/z.txt")
    assert make().tree(project / "data").digest != before


def test_the_difference_of_two_fingerprints_names_the_file(make: Make, project: Path):
    old = make()
    before = old.module("kit.fold").digest
    old.save()
    append(project / "kit/deep/leaf.py")
    new = make()
    after = new.module("kit.fold").digest
    new.save()
    found = make().difference(before, after)
    assert found is not None
    assert found.component == "module kit.deep.leaf"


def test_fingerprints_that_are_not_on_record_have_no_known_difference(make: Make, tmp_path: Path):
    made = make()
    digest = made.module("kit.fold").digest
    made.save()
    (tmp_path / "index/manifests" / digest).write_bytes(b"damaged")
    assert made.difference(digest, digest) is None
    assert made.difference("0" * 64, "../x") is None


def test_files_written_after_a_moment_are_named(make: Make, project: Path):
    leaf = project / "kit/deep/leaf.py"
    early = make()
    early.module("kit.split")
    before = max(path.stat().st_ctime_ns for path in project.rglob("*.py"))
    while leaf.stat().st_ctime_ns <= before:  # the clock of the file system ticks every few milliseconds
        os.utime(leaf)
    late = make()
    late.module("kit.split")
    assert early.changed_since(before + 1) == ()
    assert late.changed_since(before + 1) == (str(leaf),)


def test_a_file_with_a_time_in_the_future_was_not_written_in_the_future(make: Make, project: Path):
    os.utime(project / "kit/deep/leaf.py", (4_000_000_000, 4_000_000_000))
    made = make()
    made.module("kit.split")
    assert made.changed_since(3_999_999_999 * 10**9) == ()


def test_an_index_that_cannot_be_written_costs_only_time(project: Path, tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    made = Fingerprinter(tmp_path / "file" / "index", {"kit": project / "kit"}, now_ns=lambda: 2**63)
    assert made.module("kit.split").digest
    assert not made.save()


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda made: made.module("kit.none"), "module kit.none is in none of the packages"),
        (lambda made: made.module("numpy"), "module numpy is in none of the packages"),
        (lambda made: made.distribution("none"), "distribution none is not installed"),
        (lambda made: made.content("none.py"), "cannot read none.py"),
        (lambda made: made.file("none.py"), "cannot read"),
    ],
)
def test_what_is_not_there_is_said(make: Make, ask: Callable[[Fingerprinter], object], words: str):
    with pytest.raises(UserError, match=words):
        ask(make())


def test_the_roots_of_packages_are_found_without_importing_them():
    roots = package_roots("pypto_build", "this")
    assert roots["pypto_build"].name == "pypto_build"
    assert roots["this"].name == "this.py"
    with pytest.raises(UserError, match="no package named 'no_such_package'"):
        package_roots("no_such_package")


def test_a_root_may_be_a_single_file(tmp_path: Path):
    write(tmp_path, {"alone.py": "x = 1\n"})
    made = Fingerprinter(tmp_path / "index", {"alone": tmp_path / "alone.py"})
    assert labels(made.module("alone"))[1:] == ["module alone"]


def test_our_own_code_has_fingerprints(tmp_path: Path):
    made = Fingerprinter(tmp_path / "index", package_roots("pypto_build"))
    assert "module pypto_build.store.key" in labels(made.module("pypto_build.store"))

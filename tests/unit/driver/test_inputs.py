# SPDX-License-Identifier: Apache-2.0
"""What reaches the keys of a build and what does not: each declared input does, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pypto_build.driver import services
from pypto_build.driver.compile import compile_source
from pypto_build.driver.request import CompileRequest
from pypto_build.pipeline.cache import CHECKS_STEP, OLDER
from pypto_build.pipeline.relatives import BODIES_STEP
from pypto_build.store.local import LocalStore
from tests.model.project import Project

Change = Callable[[Path, CompileRequest], CompileRequest | None]
NO_PASSES = (BODIES_STEP, CHECKS_STEP)
SWAPPED = "simplify\n  - {use: mark, options: {level: 0}}"


def rewrite(name: str, old: str, new: str) -> Change:
    """Replace a text in a file."""

    def change(place: Path, _: CompileRequest) -> None:
        text = (place / name).read_text()
        assert old in text
        (place / name).write_text(text.replace(old, new, 1))

    return change


def renamed(place: Path, _: CompileRequest) -> None:
    """A local variable has another name."""
    (place / "kernel.py").write_text(Project(local="rows").files()["kernel.py"])


def moved(place: Path, request: CompileRequest) -> CompileRequest:
    """The project lies elsewhere."""
    there = place.with_name("elsewhere")
    place.rename(there)
    return replace(request, source=str(there / "kernel.py"), pipeline=str(there / "model.yaml"))


def aged(place: Path, _: CompileRequest) -> None:
    """Every file has another time."""
    for path in place.iterdir():
        os.utime(path, (1_000_000_000, 1_000_000_000))


COUNT: dict[str, Change] = {
    "function": rewrite("kernel.py", "2.0", "3.0"),
    "name of a variable": renamed,
    "import": rewrite("sizes.py", "32", "16"),
    "option": rewrite("model.yaml", "level: 0", "level: 1"),
    "hardware": rewrite("model.yaml", "ascend910b", "ascend950"),
    "code of a pass": rewrite("mark.py", "0 // 3", "1 // 3"),
    "a pass less": rewrite("model.yaml", "  - flatten_call_expr\n", ""),
    "order of passes": rewrite("model.yaml", "{use: mark, options: {level: 0}}\n  - simplify", SWAPPED),
}
HEAD = "schema: 1\nname: model\nhardware: ascend910b"
DO_NOT_COUNT: dict[str, Change] = {
    "comment": rewrite("kernel.py", "import pypto", "# a remark\nimport pypto"),
    "blanks": rewrite("kernel.py", "tile = pl", "tile  =   pl"),
    "an import that means the same": rewrite("sizes.py", "32", "16 + 16"),
    "comment in the pipeline": rewrite("model.yaml", "# ", "# a remark "),
    "order in the pipeline": rewrite("model.yaml", HEAD, "\n".join(reversed(HEAD.splitlines()))),
    "the way of writing": rewrite("model.yaml", "{level: 0}", '{"level": 0x0}'),
    "place": moved,
    "time": aged,
    "working directory": lambda place, _: os.chdir(place),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project on disk."""
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "project"
    made.mkdir()
    for name, text in Project().files().items():
        (made / name).write_text(text, encoding="utf-8")
    return made


@pytest.fixture
def request_(place: Path) -> CompileRequest:
    """The build of that project."""
    source, pipeline = place / "kernel.py", place / "model.yaml"
    output, store = place.parent / "kernel.ptobj", place.parent / "store"
    return CompileRequest(str(source), str(output), str(pipeline), store=str(store), store_mode="write", verify_rate=0)


def keys(request: CompileRequest) -> set[tuple[str, str, str]]:
    """Pass, function and key of every result that the build of a process that has just started used."""
    services._kept_services.cache_clear()
    compile_source(request)
    chain_id = json.loads(Path(request.map_output).read_text())["id"]
    chain = LocalStore(Path(request.store)).get_chain(chain_id)
    assert chain is not None
    return {(e.pass_id, e.function, e.key) for e in chain.entries if e.reason != OLDER and e.pass_id not in NO_PASSES}


@pytest.mark.parametrize("name", COUNT)
def test_a_declared_input_changes_a_key(name: str, place: Path, request_: CompileRequest) -> None:
    before = keys(request_)
    changed = COUNT[name](place, request_)
    assert keys(changed or request_) != before


@pytest.mark.parametrize("name", DO_NOT_COUNT)
def test_nothing_else_changes_a_key(name: str, place: Path, request_: CompileRequest) -> None:
    before = keys(request_)
    changed = DO_NOT_COUNT[name](place, request_)
    assert keys(changed or request_) == before


def test_an_object_whose_bytes_were_evicted_is_made_again(request_: CompileRequest) -> None:
    compile_source(request_)
    before = Path(request_.output).read_bytes()
    shutil.rmtree(LocalStore(Path(request_.store)).layout.bodies)
    again = compile_source(request_)
    assert (again.found, again.passes_run, Path(request_.output).read_bytes()) == (False, 0, before)
    assert compile_source(request_).found

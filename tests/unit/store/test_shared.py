# SPDX-License-Identifier: Apache-2.0
"""A store behind the local one: asked for what is not here, believed only when it proves right, given what is new."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from pypto_build.driver.compile import compile_source
from pypto_build.errors import UserError
from pypto_build.host import HostOptions
from pypto_build.store.interface import Mode, Put
from pypto_build.store.local import LocalStore
from pypto_build.store.record import BodyRef
from pypto_build.store.shared import SharedStore, shared_store
from tests.unit.driver.plugin_tree import PluginTree, plugin_tree

PLUGIN = """
from pathlib import Path

from pypto_build.host import hookimpl
from pypto_build.store import LocalStore


def mounted(location):
    if location == "gone":
        raise ConnectionError("no route")
    return LocalStore(Path(location))


@hookimpl
def pypto_register_stores():
    return {"mounted": ":mounted"}
"""


@pytest.fixture
def far(tmp_path):
    return LocalStore(tmp_path / "far")


def shared(tmp_path, far, mode=Mode.WRITE, name="near"):
    return SharedStore(LocalStore(tmp_path / name, mode=mode), far, nullcontext)


def test_what_is_put_is_in_both(tmp_path, far, record, store):
    both = shared(tmp_path, far)
    both.put_body(store.get_body(record.bodies()[0]))
    assert both.put_record(record) is Put.STORED
    assert far.get_record(record.key) == record
    assert far.get_body(record.bodies()[0]) is not None


def test_what_is_there_is_found_and_kept_here(tmp_path, store, record, body):
    assert shared(tmp_path, store).get_record(record.key) == record
    assert shared(tmp_path, store).get_body(body) == b"body " * 100
    here = LocalStore(tmp_path / "near")
    assert (here.get_record(record.key), here.get_body(body)) == (record, b"body " * 100)


def test_it_is_asked_only_for_what_is_not_here(tmp_path, record, store):
    both = SharedStore(store, LocalStore(tmp_path / "far"), lambda: pytest.fail("asked"))
    assert both.get_record(record.key) == record
    assert both.missing(record.bodies()) == ()


@pytest.mark.parametrize(("mode", "found"), [(Mode.READ, True), (Mode.REFRESH, False), (Mode.OFF, False)])
def test_the_mode_holds_for_both(tmp_path, store, record, mode, found):
    both = shared(tmp_path, store, mode)
    assert (both.get_record(record.key) is not None) is found
    far = LocalStore(tmp_path / "empty")
    shared(tmp_path, far, mode, "other").put_record(record)
    assert (far.get_record(record.key) is not None) is mode.writes


class Liar:
    """A store that answers everything with the same thing."""

    def __init__(self, record):
        self._record = record

    def get_record(self, key):
        return self._record if key else None

    def get_body(self, ref):
        return b"something else" * ref.size

    def missing(self, refs):
        return refs[1:]


def test_a_wrong_answer_is_none(tmp_path, record, body):
    both = shared(tmp_path, Liar(record))
    assert both.get_record("0" * 64) is None
    assert both.get_body(body) is None


def test_a_body_is_missing_that_neither_has(tmp_path, record, body):
    other = BodyRef("1" * 64, 3)
    assert shared(tmp_path, Liar(record)).missing((body, other)) == (other,)


def test_the_argument_comes_before_the_environment():
    assert shared_store({"PYPTO_BUILD_SHARED_STORE": "a:b"}) == "a:b"
    assert shared_store({"PYPTO_BUILD_SHARED_STORE": "a:b"}, "c:d") == "c:d"
    assert shared_store({}) == ""


# -- builds ----------------------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> PluginTree:
    (tmp_path / "stores.py").write_text(PLUGIN)
    return plugin_tree(tmp_path)


def build(tree, machine, location):
    host = HostOptions(enable=(str(tree.root / "stores.py"),))
    request = replace(tree.request(), store=str(tree.root / machine), store_mode="write", host=host)
    return compile_source(replace(request, shared_store=f"mounted:{location}"))


def test_a_second_machine_finds_what_the_first_one_made(tree):
    place = tree.root / "share"
    assert build(tree, "first", place).passes_run > 0
    again = build(tree, "second", place)
    assert (again.passes_run, again.found) == (0, True)


def test_a_store_that_raises_is_named(tree):
    with pytest.raises(ConnectionError, match="no route") as caught:
        build(tree, "first", "gone")
    assert caught.value.__notes__ == ["raised in store `mounted` of plugin `stores`"]


@pytest.mark.parametrize(
    ("text", "says"), [("mounted", "is no shared store"), ("muonted:x", "there is no store `muonted`")]
)
def test_a_shared_store_that_cannot_be_is_wrong_input(tree, text, says):
    host = HostOptions(enable=(str(tree.root / "stores.py"),))
    request = replace(tree.request(), store=str(tree.root / "store"), store_mode="write", host=host, shared_store=text)
    with pytest.raises(UserError, match=says):
        compile_source(request)

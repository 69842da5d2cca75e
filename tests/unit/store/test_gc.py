# SPDX-License-Identifier: Apache-2.0
"""The collector keeps the bounds, drops the least recently used first, and only what nothing names."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pypto_build.store import gc
from pypto_build.store.chain import ChainEntry, ChainRecord, Status
from pypto_build.store.gc import Collection, collect, collect_if_due
from pypto_build.store.inspection import stats
from pypto_build.store.key import Key
from pypto_build.store.limits import Limits
from pypto_build.store.local import LocalStore
from pypto_build.store.record import BodyRef, Record, record_of

NOW = 2_000_000_000.0
DAY = 86_400
KEEP_ALL = Limits(max_bytes=10**12, max_age_s=30 * DAY)


def result(store: LocalStore, name: str, *, days: float, data: bytes = b"") -> Record:
    """A result with one body, both last used some days before NOW."""
    ref = store.put_body(data or os.urandom(3000))
    made = record_of(Key("pass", (("name", name),)), (("ir", ref),))
    store.put_record(made)
    for path in (store.layout.record(made.key), store.layout.body(ref.digest)):
        os.utime(path, (NOW - days * DAY,) * 2)
    return made


def found(store: LocalStore, *records: Record) -> list[bool]:
    """For each record: whether its file and all its bodies are there. Looking does not count as use."""
    return [os.path.exists(store.layout.record(one.key)) and not store.missing(one.bodies()) for one in records]


def test_what_is_young_and_small_stays(store: LocalStore):
    record = result(store, "young", days=29)
    assert collect(store.layout, KEEP_ALL, now=NOW).records == 0
    assert found(store, record) == [True]


def test_what_was_not_used_for_long_goes_with_its_body(store: LocalStore):
    old, young = result(store, "old", days=31), result(store, "young", days=1)
    done = collect(store.layout, KEEP_ALL, now=NOW)
    assert (done.records, done.bodies) == (1, 1)
    assert found(store, old, young) == [False, True]
    assert store.missing(old.bodies()) == old.bodies()


def test_above_the_size_the_least_recently_used_goes_first(store: LocalStore):
    records = [result(store, str(days), days=days) for days in (5, 1, 4, 2, 3)]
    size = stats(store.layout).disk_bytes
    done = collect(store.layout, Limits(max_bytes=int(size * 0.7), max_age_s=30 * DAY), now=NOW)
    assert found(store, *records) == [False, True, False, True, True]
    assert done.left_bytes == stats(store.layout).disk_bytes <= size * 0.7


def test_a_body_stays_while_any_record_names_it(store: LocalStore):
    shared = b"shared" * 1000
    old, young = result(store, "old", days=40, data=shared), result(store, "young", days=2, data=shared)
    collect(store.layout, KEEP_ALL, now=NOW)
    assert found(store, young) == [True]
    assert not os.path.exists(store.layout.record(old.key))


def test_a_body_stays_while_a_chain_names_it(store: LocalStore):
    ref = store.put_body(b"at the end of a chain" * 100)
    entry = ChainEntry("fold", "f", "0" * 64, (), "1" * 64, ref.digest, Status.RAN)
    store.put_chain(ChainRecord("a.py", (entry,) * 20))
    (path,) = Path(store.layout.chains).rglob("?" * 64)
    os.utime(path, (NOW, NOW))
    os.utime(store.layout.body(ref.digest), (NOW - 40 * DAY,) * 2)
    collect(store.layout, KEEP_ALL, now=NOW)
    assert store.missing((ref,)) == ()


def test_a_chain_that_was_not_used_for_long_goes(store: LocalStore, chain: ChainRecord):
    (path,) = Path(store.layout.chains).rglob("?" * 64)
    os.utime(path, (NOW - 40 * DAY,) * 2)
    assert collect(store.layout, KEEP_ALL, now=NOW).chains == 1
    assert store.get_chain(chain.source_id) is None


@pytest.mark.parametrize(("age", "stays"), [(1800, True), (7200, False)])
def test_a_body_that_nothing_names_yet_has_an_hour(store: LocalStore, *, age: int, stays: bool):
    ref = store.put_body(b"x" * 3000)
    os.utime(store.layout.body(ref.digest), (NOW - age,) * 2)
    collect(store.layout, Limits(max_bytes=0), now=NOW)
    assert (store.missing((ref,)) == ()) == stays


def test_what_was_used_since_the_scan_stays(store: LocalStore, monkeypatch: pytest.MonkeyPatch):
    old = result(store, "old", days=31)

    def use_then_unlink(file: gc.StoredFile, real: Callable[..., int] = gc.unlink_if_unused) -> int:
        os.utime(file.path, (NOW, NOW))
        return real(file)

    monkeypatch.setattr(gc, "unlink_if_unused", use_then_unlink)
    done = collect(store.layout, KEEP_ALL, now=NOW)
    assert (done.records, done.bodies, found(store, old)) == (0, 0, [True])


def test_files_of_others_in_the_root_are_left_alone(store: LocalStore):
    mine = store.layout.root / "notes.txt"
    mine.write_text("do not touch")
    os.utime(mine, (0, 0))
    collect(store.layout, Limits(max_bytes=0, max_age_s=0), now=NOW)
    assert mine.read_text() == "do not touch"


def test_damaged_and_vanished_files_do_not_stop_the_collector(store: LocalStore):
    bad, good = result(store, "bad", days=31), result(store, "good", days=31)
    Path(store.layout.record(bad.key)).write_bytes(b"garbage")
    os.utime(store.layout.record(bad.key), (0, 0))
    collect(store.layout, KEEP_ALL, now=NOW)
    assert found(store, bad, good) == [False, False]


def test_old_quarantine_and_surplus_manifests_go(store: LocalStore, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gc, "_MANIFESTS", 1)
    manifests = store.layout.index.parent / "manifests"
    for directory in (manifests, Path(store.layout.quarantine)):
        directory.mkdir(parents=True)
        for age, name in enumerate(("new", "old")):
            (directory / name).write_bytes(b"x")
            os.utime(directory / name, (NOW - age * 8 * DAY,) * 2)
    assert collect(store.layout, KEEP_ALL, now=NOW).others == 2
    assert [path.name for path in (*manifests.iterdir(), *Path(store.layout.quarantine).iterdir())] == ["new", "new"]


def test_a_collection_that_nobody_asked_for_comes_once_an_hour(store: LocalStore):
    times = [NOW, NOW + 60, NOW + 3599, NOW + 3601, NOW + 3700]
    done = [collect_if_due(store.layout, Limits(), now=now) is not None for now in times]
    assert done == [True, False, False, True, False]


def test_a_clock_that_was_set_back_does_not_stop_collections(store: LocalStore):
    collect_if_due(store.layout, Limits(), now=NOW + 90 * DAY)
    assert collect_if_due(store.layout, Limits(), now=NOW) is not None


def test_there_is_nothing_to_collect_where_no_store_is(tmp_path: Path):
    missing = LocalStore(tmp_path / "store").layout.__class__(tmp_path / "none")
    assert collect(missing, Limits(), now=NOW) == Collection()
    assert collect_if_due(missing, Limits(), now=NOW) is None
    assert not (tmp_path / "none").exists()


def wait_for_children() -> None:
    """Until every process that this one started has ended, those of earlier tests too."""
    with contextlib.suppress(ChildProcessError):
        while True:
            assert os.waitpid(-1, 0)[1] == 0


def test_a_build_does_not_wait_for_the_collector(store: LocalStore):
    body: BodyRef = store.put_body(b"x" * 3000)
    os.utime(store.layout.body(body.digest), (0, 0))
    assert gc.start_if_due(store.layout, Limits(max_bytes=0))
    wait_for_children()
    assert store.missing((body,)) == (body,)
    assert abs(os.stat(store.layout.last_collection).st_mtime - time.time()) < 60
    assert not gc.start_if_due(store.layout, Limits(max_bytes=0))

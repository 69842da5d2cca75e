# SPDX-License-Identifier: Apache-2.0
"""Counting, checking and emptying a whole store."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pypto_build.store.chain import ChainRecord
from pypto_build.store.inspection import clear, stats, verify_all
from pypto_build.store.layout import StoreLayout
from pypto_build.store.local import LocalStore
from pypto_build.store.record import BodyRef, Record, encode_record


@pytest.fixture
def full(store: LocalStore, record: Record, chain: ChainRecord) -> LocalStore:
    """A store with one record, one body and one chain."""
    assert record.key != chain.source_id
    return store


def test_each_kind_is_counted(full: LocalStore, record: Record):
    os.utime(full.layout.record(record.key), (1000, 1000))
    found = stats(full.layout)
    assert [amount.files for amount in (found.records, found.bodies, found.chains, found.quarantine)] == [1, 1, 1, 0]
    assert found.oldest == found.newest == 1000
    assert found.disk_bytes >= 3 * 100


def test_an_empty_place_has_nothing_to_count(tmp_path: Path):
    found = stats(StoreLayout(tmp_path / "none"))
    assert (found.disk_bytes, found.oldest) == (0, None)


def test_a_sound_store_passes(full: LocalStore):
    done = verify_all(full.layout)
    assert (done.checked, done.bad, done.without_body) == (3, (), 0)


def test_a_record_whose_body_is_not_stored_is_sound(full: LocalStore, body: BodyRef):
    os.unlink(full.layout.body(body.digest))
    done = verify_all(full.layout)
    assert (done.bad, done.without_body) == ((), 1)


@pytest.mark.parametrize("kind", ["ac", "cas", "chains"])
def test_a_bad_entry_is_named_and_put_aside(full: LocalStore, kind: str):
    (path,) = Path(full.layout.base, kind).rglob("?" * 64)
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert verify_all(full.layout).bad == (str(path),)
    assert [one.name for one in Path(full.layout.quarantine).iterdir()] == [f"{kind}-{path.name}"]
    assert verify_all(full.layout).bad == ()


def test_a_record_whose_components_give_another_key_is_bad(full: LocalStore, record: Record):
    forged = encode_record(Record(record.key, record.kind, '[["pass","other"]]', record.outputs))
    Path(full.layout.record(record.key)).write_bytes(forged)
    assert verify_all(full.layout).bad == (full.layout.record(record.key),)


def test_clearing_removes_every_entry_and_nothing_of_others(full: LocalStore):
    mine = full.layout.root / "notes.txt"
    mine.write_text("mine")
    staged = Path(full.layout.staging, "being-written")
    staged.write_bytes(b"by a running build")
    assert clear(full.layout).files == 3
    assert stats(full.layout).disk_bytes == 0
    assert mine.exists()
    assert staged.exists()


def test_a_store_is_usable_while_it_is_cleared(full: LocalStore, record: Record):
    clear(full.layout)
    assert full.get_record(record.key) is None
    full.put_record(record)
    assert full.get_record(record.key) == record

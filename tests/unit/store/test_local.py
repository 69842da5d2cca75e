# SPDX-License-Identifier: Apache-2.0
"""A local store gives back what was put into it, in the way that its mode says."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pypto_build.errors import InternalError, UserError
from pypto_build.store.body import body_ref
from pypto_build.store.chain import ChainRecord
from pypto_build.store.interface import Mode, Put, mode_named
from pypto_build.store.key import Key
from pypto_build.store.local import LocalStore
from pypto_build.store.record import BodyRef, Record, record_of

OLD = 1_000_000_000


def again(store: LocalStore, mode: Mode) -> LocalStore:
    """The same place in another mode."""
    return LocalStore(store.layout.root, mode=mode)


def other_result(record: Record) -> Record:
    return replace(record, outputs=(("ir", body_ref(b"something else")),))


def test_a_record_comes_back_as_it_was_put(store: LocalStore, record: Record):
    assert again(store, Mode.WRITE).get_record(record.key) == record


def test_a_chain_comes_back_as_it_was_put(store: LocalStore, chain: ChainRecord):
    assert again(store, Mode.WRITE).get_chain(chain.source_id) == chain


def test_the_components_of_a_chain_still_give_their_keys(store: LocalStore, chain: ChainRecord):
    found = store.get_chain(chain.source_id)
    assert found is not None
    assert [Key("pass", entry.components).digest for entry in found.entries] == [entry.key for entry in chain.entries]


@pytest.mark.parametrize("data", [b"", b"x", b"x" * 255, b"x" * 256, b"ab" * 50_000, os.urandom(4000)], ids=len)
def test_a_body_comes_back_as_it_was_put(store: LocalStore, data: bytes):
    assert again(store, Mode.WRITE).get_body(store.put_body(data)) == data


def test_what_was_never_put_is_a_miss(store: LocalStore, make_key: Callable[[object], Key]):
    assert store.get_record(make_key(1).digest) is None
    assert store.get_body(body_ref(b"never")) is None
    assert store.get_chain("never.py") is None


def test_the_missing_bodies_are_named(store: LocalStore):
    present, absent = store.put_body(b"present"), body_ref(b"absent")
    assert store.missing((present, absent)) == (absent,)
    assert again(store, Mode.OFF).missing((present, absent)) == (present, absent)


def test_a_body_of_another_size_than_its_reference_says_is_a_miss(store: LocalStore, body: BodyRef):
    assert store.get_body(BodyRef(body.digest, body.size + 1)) is None


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "A" * 64])
def test_a_name_that_is_no_digest_never_reaches_the_disk(store: LocalStore, name: str):
    with pytest.raises(InternalError):
        store.get_record(name)
    with pytest.raises(InternalError):
        store.get_body(BodyRef(name, 1))


def test_off_finds_nothing_and_touches_nothing(store: LocalStore, record: Record, tmp_path: Path):
    assert again(store, Mode.OFF).get_record(record.key) is None
    off = LocalStore(tmp_path / "elsewhere", mode=Mode.OFF)
    assert off.put_body(b"data") == body_ref(b"data")
    assert off.put_record(record) is Put.SKIPPED
    assert not (tmp_path / "elsewhere").exists()


def test_read_finds_but_neither_stores_nor_creates(store: LocalStore, record: Record, tmp_path: Path):
    reader = again(store, Mode.READ)
    assert reader.get_record(record.key) == record
    assert reader.put_record(other_result(record)) is Put.SKIPPED
    assert reader.get_body(reader.put_body(b"new")) is None
    assert LocalStore(tmp_path / "elsewhere", mode=Mode.READ).get_record(record.key) is None
    assert not (tmp_path / "elsewhere").exists()


def test_refresh_finds_no_record_and_replaces_it(store: LocalStore, record: Record):
    refreshing = again(store, Mode.REFRESH)
    assert refreshing.get_record(record.key) is None
    assert refreshing.put_record(other_result(record)) is Put.STORED
    assert store.get_record(record.key) == other_result(record)


def test_refresh_still_hands_out_bodies(store: LocalStore, body: BodyRef):
    assert again(store, Mode.REFRESH).get_body(body) == b"body " * 100


def test_verify_finds_and_keeps_an_equal_result(store: LocalStore, record: Record):
    verifying = again(store, Mode.VERIFY)
    assert verifying.get_record(record.key) == record
    assert verifying.put_record(replace(record, cost_ms=99.0, created=5, diagnostics=())) is Put.KEPT
    assert store.get_record(record.key) == record


def test_verify_reports_another_result_and_keeps_the_new_one(store: LocalStore, record: Record):
    assert again(store, Mode.VERIFY).put_record(other_result(record)) is Put.REPLACED
    assert store.get_record(record.key) == other_result(record)


def test_verify_reports_another_fact(store: LocalStore, record: Record):
    changed = replace(record, facts=(("summary", None),))
    assert again(store, Mode.VERIFY).put_record(changed) is Put.REPLACED


def test_verify_stores_what_was_not_there(store: LocalStore, make_key: Callable[[object], Key]):
    assert again(store, Mode.VERIFY).put_record(record_of(make_key(1), ())) is Put.STORED


def test_the_name_of_a_mode_gives_the_mode_and_another_name_the_list():
    assert [mode_named(name) for name in ("off", "read", "write", "refresh", "verify")] == list(Mode)
    with pytest.raises(UserError, match="no store mode 'rw'") as caught:
        mode_named("rw")
    assert caught.value.help == "the modes are off, read, write, refresh, verify"


def test_a_hit_renews_the_time_of_use_but_not_on_every_hit(store: LocalStore, record: Record):
    path = store.layout.record(record.key)
    os.utime(path, (OLD, OLD))
    store.get_record(record.key)
    renewed = os.stat(path).st_mtime_ns
    store.get_record(record.key)
    assert renewed > OLD * 10**9
    assert os.stat(path).st_mtime_ns == renewed


def test_reading_only_leaves_the_time_of_use_alone(store: LocalStore, record: Record):
    os.utime(store.layout.record(record.key), (OLD, OLD))
    again(store, Mode.READ).get_record(record.key)
    assert os.stat(store.layout.record(record.key)).st_mtime == OLD


def test_putting_a_body_again_only_renews_its_time(store: LocalStore, body: BodyRef):
    path = store.layout.body(body.digest)
    os.utime(path, (OLD, OLD))
    inode = os.stat(path).st_ino
    store.put_body(b"body " * 100)
    assert os.stat(path).st_mtime > OLD
    assert os.stat(path).st_ino == inode


def test_only_the_owner_may_look_into_a_store(store: LocalStore, record: Record):
    modes = {stat.S_IMODE(path.stat().st_mode) for path in store.layout.root.rglob("*") if path.is_dir()}
    assert modes == {0o700}
    assert stat.S_IMODE(os.stat(store.layout.record(record.key)).st_mode) == 0o600


def test_backup_programs_are_told_to_pass_by(store: LocalStore):
    tag = (store.layout.root / "CACHEDIR.TAG").read_text()
    assert tag.startswith("Signature: 8a477f597d28d172789f06886806bc55\n")


def test_reading_records_and_small_bodies_needs_no_decompressor(store: LocalStore, record: Record):
    small = store.put_body(b"small")
    script = (
        "import sys; from pathlib import Path; from pypto_build.store import *\n"
        "store = LocalStore(Path(sys.argv[1])); store.get_record(sys.argv[2])\n"
        "assert store.get_body(BodyRef(sys.argv[3], 5)) == b'small'\n"
        "print(sorted({'zstandard', 'numpy', 'pydantic', 'importlib.metadata'} & sys.modules.keys()))"
    )
    command = [sys.executable, "-c", script, str(store.layout.root), record.key, small.digest]
    assert subprocess.check_output(command, text=True).strip() == "[]"

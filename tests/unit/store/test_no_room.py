# SPDX-License-Identifier: Apache-2.0
"""A store that cannot be written costs hits, one warning and nothing else."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pypto_build.errors import Diagnostic
from pypto_build.store.chain import ChainRecord
from pypto_build.store.interface import Put
from pypto_build.store.local import LocalStore
from pypto_build.store.record import BodyRef, Record


@pytest.fixture
def warnings() -> list[Diagnostic]:
    return []


@pytest.fixture
def warned(store: LocalStore, record: Record, warnings: list[Diagnostic]) -> LocalStore:
    """The store again, with a result in it and somebody who listens to warnings."""
    assert store.get_record(record.key) == record
    return LocalStore(store.layout.root, on_warning=warnings.append)


def put_all(store: LocalStore, record: Record) -> tuple[Put, bytes | None]:
    """Put one of everything that is not there yet."""
    store.put_chain(ChainRecord("new.py", ()))
    ref = store.put_body(os.urandom(500))
    return store.put_record(record), store.get_body(ref)


def refuse(monkeypatch: pytest.MonkeyPatch, name: str, error: int) -> None:
    """Make one system call fail."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, name, fail)


REFUSALS = [
    ("write", errno.ENOSPC, "is full"),
    ("write", errno.EDQUOT, "is full"),
    ("write", errno.EIO, "cannot be written"),
    ("replace", errno.EROFS, "cannot be written"),
    ("replace", errno.EACCES, "cannot be written"),
    ("replace", errno.ENOSPC, "is full"),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSALS)
def test_a_refused_write_is_reported_once_and_hits_go_on(
    warned: LocalStore,
    record: Record,
    warnings: list[Diagnostic],
    monkeypatch: pytest.MonkeyPatch,
    *,
    call: str,
    error: int,
    words: str,
):
    refuse(monkeypatch, call, error)
    assert put_all(warned, record) == (Put.SKIPPED, None)
    assert [words in warning.message for warning in warnings] == [True]
    assert warned.get_record(record.key) == record


def test_after_a_refusal_nothing_is_tried_again(warned: LocalStore, record: Record, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patched:
        refuse(patched, "write", errno.ENOSPC)
        put_all(warned, record)
    assert put_all(warned, record) == (Put.SKIPPED, None)


def test_a_write_that_breaks_off_in_the_middle_leaves_nothing_behind(
    warned: LocalStore, body: BodyRef, warnings: list[Diagnostic]
):
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, limit[1]))
    try:
        ref = warned.put_body(os.urandom(20_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert (warned.get_body(ref), list(Path(warned.layout.staging).iterdir())) == (None, [])
    assert warned.get_body(body) is not None
    assert "is full" in warnings[0].message


def test_a_store_that_cannot_be_created_is_a_store_without_hits(
    tmp_path: Path, record: Record, warnings: list[Diagnostic]
):
    (tmp_path / "file").write_bytes(b"")
    store = LocalStore(tmp_path / "file" / "store", on_warning=warnings.append)
    assert put_all(store, record) == (Put.SKIPPED, None)
    assert store.get_record(record.key) is None
    assert len(warnings) == 1


def test_too_many_open_files_are_a_miss_and_not_damage(
    store: LocalStore, record: Record, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patched:
        refuse(patched, "open", errno.EMFILE)
        assert store.get_record(record.key) is None
    assert store.get_record(record.key) == record


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", place]
    if shutil.which("mount") is None or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("this user may not mount a file system")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def test_on_a_full_disk_what_was_stored_before_is_still_right(disk: Path, warnings: list[Diagnostic]):
    store = LocalStore(disk / "store", on_warning=warnings.append)
    stored = {store.put_body(data): data for data in (os.urandom(4000) for _ in range(100))}
    found = {ref: store.get_body(ref) for ref in stored}
    kept = [ref for ref, data in found.items() if data is not None]
    assert 20 < len(kept) < 100
    assert all(found[ref] == stored[ref] for ref in kept)
    assert len(warnings) == 1


def test_on_a_read_only_disk_hits_go_on_without_a_word_until_something_is_new(
    disk: Path, record: Record, warnings: list[Diagnostic]
):
    LocalStore(disk / "store").put_record(record)
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    store = LocalStore(disk / "store", on_warning=warnings.append)
    assert (store.get_record(record.key), warnings) == (record, [])
    assert store.put_record(record) is Put.SKIPPED
    assert [warning.rule for warning in warnings] == ["store-not-writable"]

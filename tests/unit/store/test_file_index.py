# SPDX-License-Identifier: Apache-2.0
"""The file index reads a file only when it may have changed, and never believes a time stamp that could lie."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from pypto_build.store import file_index
from pypto_build.store.file_index import FileIndex

HOUR = 3_600_000_000_000
LATER = time.time_ns() + HOUR


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "module.py"
    path.write_bytes(b"import numpy\n")
    return path


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index" / "files"


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def learn(index: Path, *files: Path, now: int = LATER, written: int = LATER) -> None:
    """Fill and save an index as if it were some hours old."""
    made = FileIndex(index, now_ns=lambda: now)
    for file in files:
        made.digest(str(file))
        made.imports(str(file))
    made.save()
    os.utime(index, ns=(written, written))


def rewrite(path: Path, content: bytes) -> None:
    """Change the content, but neither size nor modification time nor inode."""
    before = path.stat()
    with path.open("r+b") as stream:
        stream.write(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


def test_a_warm_start_reads_no_file(index: Path, file: Path):
    learn(index, file)
    warm = FileIndex(index)
    assert warm.digest(str(file)) == digest(b"import numpy\n")
    assert warm.reads == 0


def test_a_warm_start_parses_no_file(index: Path, file: Path, monkeypatch: pytest.MonkeyPatch):
    learn(index, file)
    monkeypatch.delattr(file_index, "scan_imports")
    assert [one.module for one in FileIndex(index).imports(str(file)).statements] == ["numpy"]


def test_a_warm_start_writes_nothing(index: Path, file: Path):
    learn(index, file)
    before = index.stat().st_mtime_ns
    warm = FileIndex(index)
    warm.imports(str(file))
    warm.save()
    assert index.stat().st_mtime_ns == before


@pytest.mark.parametrize("content", [b"import scipy\n", b"short", b""])
def test_a_changed_file_is_read_again(index: Path, file: Path, content: bytes):
    learn(index, file)
    file.write_bytes(content)
    assert FileIndex(index).digest(str(file)) == digest(content)


def test_a_change_that_restores_size_and_modification_time_is_seen_by_the_change_time(index: Path, file: Path):
    learn(index, file)
    rewrite(file, b"import scipy\n")
    assert FileIndex(index).digest(str(file)) == digest(b"import scipy\n")


def test_a_file_that_was_replaced_by_rename_is_read_again(index: Path, file: Path):
    learn(index, file)
    other = file.with_name("other")
    other.write_bytes(b"import scipy\n")
    os.replace(other, file)
    assert FileIndex(index).digest(str(file)) == digest(b"import scipy\n")


def same_stat(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Change the file and let it show the same stat data as before: a second write within one tick of the clock."""
    frozen = os.stat(file)
    rewrite(file, b"import scipy\n")
    real = os.stat
    monkeypatch.setattr(os, "stat", lambda path, **options: frozen if path == str(file) else real(path, **options))


def test_a_file_written_just_before_it_was_read_is_read_again(index: Path, file: Path, monkeypatch: pytest.MonkeyPatch):
    learn(index, file, now=file.stat().st_mtime_ns + 1_000_000)
    same_stat(file, monkeypatch)
    assert FileIndex(index).digest(str(file)) == digest(b"import scipy\n")


def test_a_file_not_older_than_the_index_is_read_again(index: Path, file: Path, monkeypatch: pytest.MonkeyPatch):
    learn(index, file, written=file.stat().st_mtime_ns)
    same_stat(file, monkeypatch)
    assert FileIndex(index).digest(str(file)) == digest(b"import scipy\n")


def test_the_trick_of_the_two_tests_above_would_deceive_a_settled_entry(
    index: Path, file: Path, monkeypatch: pytest.MonkeyPatch
):
    learn(index, file)
    same_stat(file, monkeypatch)
    assert FileIndex(index).digest(str(file)) == digest(b"import numpy\n")


def test_a_file_from_the_future_is_read_every_time(index: Path, file: Path, monkeypatch: pytest.MonkeyPatch):
    os.utime(file, ns=(LATER, LATER + 24 * HOUR))
    learn(index, file)
    same_stat(file, monkeypatch)
    assert FileIndex(index).digest(str(file)) == digest(b"import scipy\n")


def test_a_clock_that_was_set_back_makes_the_index_read_and_not_lie(index: Path, file: Path):
    learn(index, file, now=LATER - 1000 * HOUR, written=LATER - 1000 * HOUR)
    file.write_bytes(b"import scipy\n")
    cold = FileIndex(index)
    assert cold.digest(str(file)) == digest(b"import scipy\n")
    assert cold.reads == 1


def test_a_file_is_looked_at_once_until_it_is_forgotten(index: Path, file: Path):
    made = FileIndex(index, now_ns=lambda: LATER)
    first = made.digest(str(file))
    file.write_bytes(b"changed")
    assert made.digest(str(file)) == first
    made.forget(str(file))
    assert made.digest(str(file)) == digest(b"changed")


def test_a_forgotten_file_that_did_not_change_is_not_read_again(index: Path, file: Path):
    made = FileIndex(index, now_ns=lambda: LATER)
    made.digest(str(file))
    made.forget(str(file))
    assert (made.digest(str(file)), made.reads) == (digest(b"import numpy\n"), 1)


def test_a_forgotten_file_that_was_read_just_after_it_was_written_is_read_again(
    index: Path, file: Path, monkeypatch: pytest.MonkeyPatch
):
    made = FileIndex(index, now_ns=lambda: file.stat().st_mtime_ns)
    made.digest(str(file))
    same_stat(file, monkeypatch)
    made.forget(str(file))
    assert made.digest(str(file)) == digest(b"import scipy\n")


@pytest.mark.parametrize("cut", [0, 10, -1])
def test_a_damaged_index_is_an_empty_one(index: Path, file: Path, cut: int):
    learn(index, file)
    index.write_bytes(index.read_bytes()[:cut])
    cold = FileIndex(index)
    assert cold.digest(str(file)) == digest(b"import numpy\n")
    assert cold.reads == 1


def test_no_flipped_bit_in_the_index_changes_a_digest(index: Path, file: Path):
    learn(index, file)
    sound = index.read_bytes()
    for place in range(len(sound)):
        index.write_bytes(sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :])
        os.utime(index, ns=(LATER, LATER))
        assert FileIndex(index).digest(str(file)) == digest(b"import numpy\n")


def test_beyond_its_bound_the_index_keeps_the_files_of_this_process(
    index: Path, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    other = tmp_path / "other.py"
    other.write_bytes(b"x = 1\n")
    learn(index, other)
    monkeypatch.setattr(file_index, "_MAX_FILES", 1)
    learn(index, file)
    assert str(other).encode() not in index.read_bytes()
    assert str(file).encode() in index.read_bytes()


def test_a_file_that_cannot_be_read_is_an_error_of_the_caller(index: Path, tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        FileIndex(index).digest(str(tmp_path / "none"))

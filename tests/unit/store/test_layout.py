# SPDX-License-Identifier: Apache-2.0
"""A store that is not the user's own is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pypto_build.errors import UserError
from pypto_build.store.interface import Mode
from pypto_build.store.local import LocalStore
from pypto_build.store.record import Record


def owned_by(monkeypatch: pytest.MonkeyPatch, place: str, user: int) -> None:
    """Let `place`, and nothing else, seem to belong to another user."""
    real = os.stat

    def stat(path: str | Path, **options: bool) -> os.stat_result:
        found = real(path, **options)
        fields = list(found)
        if str(path) == place:
            fields[4] = user
        return os.stat_result(fields)

    monkeypatch.setattr(os, "stat", stat)


@pytest.mark.parametrize("place", ["root", "base"])
@pytest.mark.parametrize("mode", [Mode.READ, Mode.WRITE])
def test_a_store_of_another_user_is_refused(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch, *, place: str, mode: Mode
):
    owned_by(monkeypatch, str(getattr(store.layout, place)), os.geteuid() + 1)
    with pytest.raises(UserError, match="belongs to user") as caught:
        LocalStore(store.layout.root, mode=mode)
    assert "PYPTO_BUILD_STORE" in caught.value.help


def test_a_store_that_is_switched_off_is_not_even_looked_at(store: LocalStore, monkeypatch: pytest.MonkeyPatch):
    owned_by(monkeypatch, str(store.layout.root), os.geteuid() + 1)
    assert LocalStore(store.layout.root, mode=Mode.OFF).put_body(b"x").size == 1


def test_a_store_that_others_can_write_is_refused(store: LocalStore):
    Path(store.layout.base).chmod(0o777)
    with pytest.raises(UserError, match="can be written by other users"):
        LocalStore(store.layout.root)


def test_a_directory_that_others_can_read_may_hold_a_store(tmp_path: Path):
    (tmp_path / "shared").mkdir(mode=0o755)
    assert LocalStore(tmp_path / "shared").writable


def test_a_file_is_no_store(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UserError, match="is not a directory"):
        LocalStore(tmp_path / "file")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_an_entry_of_another_user_is_a_miss(store: LocalStore, record: Record):
    os.chown(store.layout.record(record.key), 12345, 12345)
    assert store.get_record(record.key) is None

# SPDX-License-Identifier: Apache-2.0
"""`pypto-build store` shows, bounds, checks and empties the store that it is pointed to."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from pypto_build.cli.store import add_arguments, command, run
from pypto_build.errors import UserError
from pypto_build.store.local import LocalStore
from pypto_build.store.record import Record


def store_command(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return run(parser.parse_args(words))


def place(store: LocalStore) -> str:
    return f"--store={store.layout.root}"


def test_it_is_the_command_called_store():
    assert command.name == "store"


def test_stats_counts_each_kind(store: LocalStore, record: Record, capsys: pytest.CaptureFixture[str]):
    assert (record.kind, store_command("stats", place(store))) == ("pass", 0)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[1:4]] == [["records", "1"], ["bodies", "1"], ["chains", "0"]]
    assert lines[5].endswith("of 5.0 GiB")


def test_stats_as_json_is_one_object(store: LocalStore, record: Record, capsys: pytest.CaptureFixture[str]):
    store_command("stats", "--json", place(store))
    found = json.loads(capsys.readouterr().out)
    assert (found["records"]["files"], found["store"]) == (1, str(store.layout.root))
    assert record.key


def test_gc_with_no_room_and_no_age_removes_records(
    store: LocalStore, record: Record, capsys: pytest.CaptureFixture[str]
):
    assert store_command("gc", "--max-size=0", "--max-age=0s", place(store)) == 0
    assert capsys.readouterr().out.startswith("removed 1 records, 0 bodies, 0 chains and 0 other files")
    assert store.get_record(record.key) is None


def test_verify_of_a_sound_store_is_quiet_success(store: LocalStore, capsys: pytest.CaptureFixture[str]):
    store.put_body(b"x")
    assert store_command("verify", place(store)) == 0
    assert capsys.readouterr().out == "1 entries checked, 0 bad\n"


def test_verify_names_bad_entries_and_fails(store: LocalStore, record: Record, capsys: pytest.CaptureFixture[str]):
    path = Path(store.layout.record(record.key))
    path.write_bytes(b"bad")
    assert store_command("verify", place(store)) == 1
    assert str(path) in capsys.readouterr().out


def test_clear_removes_everything(store: LocalStore, record: Record, capsys: pytest.CaptureFixture[str]):
    assert store_command("clear", place(store)) == 0
    assert capsys.readouterr().out.startswith("removed 2 files")
    assert store.get_record(record.key) is None


def test_without_an_argument_the_environment_says_which_store(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("PYPTO_BUILD_STORE", str(store.layout.root))
    store_command("stats")
    assert capsys.readouterr().out.startswith(f"store {store.layout.root}\n")


def test_a_bad_size_is_the_users_error(store: LocalStore):
    with pytest.raises(UserError, match="'big' is not a size"):
        store_command("gc", "--max-size=big", place(store))


def test_a_store_that_is_not_there_is_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for action in ("stats", "gc", "verify", "clear"):
        assert store_command(action, f"--store={tmp_path / 'none'}") == 0
    assert not (tmp_path / "none").exists()
    assert "0 B" in capsys.readouterr().out

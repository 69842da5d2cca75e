# SPDX-License-Identifier: Apache-2.0
"""A damaged or foreign entry is a miss: never a crash, never another result, and never in the way of the next one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard

from pypto_build.store.body import body_ref
from pypto_build.store.chain import ChainRecord, chain_name
from pypto_build.store.encoding import dump_json
from pypto_build.store.key import Key
from pypto_build.store.local import LocalStore
from pypto_build.store.record import BodyRef, Record, record_of
from pypto_build.store.sealed import seal


def damaged(content: bytes) -> Iterator[bytes]:
    """The content with each bit flipped, cut at each place, and with something behind it."""
    for place in range(len(content)):
        for bit in range(8):
            yield content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]
        yield content[:place]
    yield content + b"\0"


def wrong_answers(path: str, look_up: Callable[[], object], *, right: object) -> list[bytes]:
    """The damaged contents of `path` after which a look-up gives neither a miss nor the right answer."""
    content = Path(path).read_bytes()
    found: list[bytes] = []
    for bad in damaged(content):
        Path(path).write_bytes(bad)
        if look_up() not in (None, right):
            found.append(bad)
    Path(path).write_bytes(content)
    return found


def test_no_damage_to_a_record_gives_another_record(store: LocalStore, make_key: Callable[[object], Key]):
    record = record_of(make_key(1), (("ir", body_ref(b"x")),))
    store.put_record(record)
    assert wrong_answers(store.layout.record(record.key), lambda: store.get_record(record.key), right=record) == []


@pytest.mark.parametrize("data", [b"a few bytes", b"many bytes " * 30], ids=["raw", "compressed"])
def test_no_damage_to_a_body_gives_other_bytes(store: LocalStore, data: bytes):
    ref = store.put_body(data)
    assert wrong_answers(store.layout.body(ref.digest), lambda: store.get_body(ref), right=data) == []


def test_no_damage_to_a_chain_gives_another_chain(store: LocalStore):
    chain = ChainRecord("a.py", ())
    store.put_chain(chain)
    (path,) = Path(store.layout.chains).rglob("?" * 64)
    assert wrong_answers(str(path), lambda: store.get_chain("a.py"), right=chain) == []


def test_a_bad_entry_goes_to_quarantine_and_the_next_result_takes_its_place(store: LocalStore, record: Record):
    path = Path(store.layout.record(record.key))
    path.write_bytes(b"garbage")
    assert store.get_record(record.key) is None
    assert Path(store.layout.quarantine, f"ac-{record.key}").read_bytes() == b"garbage"
    store.put_record(record)
    assert store.get_record(record.key) == record


def test_a_bad_body_is_written_again_by_the_next_put(store: LocalStore, body: BodyRef):
    Path(store.layout.body(body.digest)).write_bytes(b"")
    assert store.get_body(body) is None
    store.put_body(b"body " * 100)
    assert store.get_body(body) == b"body " * 100


def test_a_record_under_another_key_is_a_miss(store: LocalStore, record: Record, make_key: Callable[[object], Key]):
    other = make_key("other").digest
    Path(store.layout.record(other)).parent.mkdir(exist_ok=True)
    os.rename(store.layout.record(record.key), store.layout.record(other))
    assert store.get_record(other) is None


def test_the_chain_of_another_source_is_a_miss(store: LocalStore, chain: ChainRecord):
    other = Path(store.layout.chain(chain_name("other.py")))
    other.parent.mkdir()
    os.rename(store.layout.chain(chain_name(chain.source_id)), other)
    assert store.get_chain("other.py") is None


@pytest.mark.parametrize("payload", [b"", b"[]", b"{}", b"null", b"\xff", b"[" * 100_000, b'{"key":1}\n[]'])
def test_a_sealed_file_that_is_no_record_is_a_miss(store: LocalStore, record: Record, payload: bytes):
    Path(store.layout.record(record.key)).write_bytes(seal(b"pypto-build record 1", payload))
    assert store.get_record(record.key) is None


@pytest.mark.parametrize("main", [{}, {"source": "a.py", "values": [], "entries": [[1]]}, [], None])
def test_a_sealed_file_that_is_no_chain_is_a_miss(store: LocalStore, chain: ChainRecord, main: object):
    (path,) = Path(store.layout.chains).rglob("?" * 64)
    payload = b"pypto-build body 1 raw\n" + dump_json(main).encode()
    path.write_bytes(seal(b"pypto-build chain 1", payload))
    assert store.get_chain(chain.source_id) is None


def test_a_frame_that_claims_a_huge_size_is_refused_before_it_is_unpacked(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch
):
    ref = BodyRef(hashlib.sha256(b"x").hexdigest(), 1)
    path = Path(store.layout.body(ref.digest))
    path.parent.mkdir(parents=True)
    magic, descriptor, size = b"\x28\xb5\x2f\xfd", b"\xe0", (2**62).to_bytes(8, "little")
    path.write_bytes(b"pypto-build body 1 zstd\n" + magic + descriptor + size)
    monkeypatch.delattr(zstandard, "ZstdDecompressor")
    assert store.get_body(ref) is None


def make_link(path: Path) -> None:
    target = path.with_name("target")
    path.rename(target)
    path.symlink_to(target)


def make_directory(path: Path) -> None:
    path.unlink()
    (path / "inner").mkdir(parents=True)


def make_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("replace_entry", [make_link, make_directory, make_pipe])
def test_what_is_no_file_of_ours_is_a_miss_and_makes_way(
    store: LocalStore, record: Record, replace_entry: Callable[[Path], None]
):
    replace_entry(Path(store.layout.record(record.key)))
    assert store.get_record(record.key) is None
    store.put_record(record)
    assert store.get_record(record.key) == record


def test_a_directory_in_the_place_of_a_new_entry_costs_one_result(store: LocalStore, make_key: Callable[[object], Key]):
    record = record_of(make_key(1), ())
    Path(store.layout.record(record.key), "inner").mkdir(parents=True)
    store.put_record(record)
    store.put_record(record)
    assert store.get_record(record.key) == record


def test_a_missing_body_leaves_its_record_usable(store: LocalStore, record: Record, body: BodyRef):
    os.unlink(store.layout.body(body.digest))
    assert store.get_record(record.key) == record
    assert store.get_body(body) is None


def test_a_store_that_is_removed_meanwhile_starts_again(store: LocalStore, record: Record):
    os.rename(store.layout.root, store.layout.root.with_name("gone"))
    assert store.get_record(record.key) is None
    store.put_record(record)
    assert store.get_record(record.key) == record

# SPDX-License-Identifier: Apache-2.0
"""Looking at a whole store: what it holds, whether all of it is sound, and emptying it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pypto_build.errors import UserError
from pypto_build.store.body import unpack, unpacked_size
from pypto_build.store.chain import chain_name, decode_chain
from pypto_build.store.contents import StoredFile, files_in, sharded_files, unlink_if_unused
from pypto_build.store.key import Key
from pypto_build.store.layout import StoreLayout, set_aside
from pypto_build.store.record import Record, decode_record

_STAGING_AGE = 86400  # seconds; younger files there belong to running builds


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of files and the disk space they take."""

    files: int
    disk_bytes: int


@dataclass(frozen=True, slots=True)
class StoreStats:
    """What a store holds, by kind; `oldest` and `newest` are times of last use of records, None when there are none."""

    records: Amount
    bodies: Amount
    chains: Amount
    quarantine: Amount
    oldest: float | None
    newest: float | None

    @property
    def disk_bytes(self) -> int:
        """The disk space of all kinds."""
        return sum(amount.disk_bytes for amount in (self.records, self.bodies, self.chains, self.quarantine))


@dataclass(frozen=True, slots=True)
class Verification:
    """How many entries were checked, and the paths of the bad ones, which are in quarantine now."""

    checked: int
    bad: tuple[str, ...]
    without_body: int
    """Outputs whose body is not stored; that is allowed."""


def stats(layout: StoreLayout) -> StoreStats:
    """Count the files of a store."""
    records = list(sharded_files(layout.records))
    times = [file.used for file in records]
    return StoreStats(
        _amount(records),
        _amount(sharded_files(layout.bodies)),
        _amount(sharded_files(layout.chains)),
        _amount(files_in(layout.quarantine)),
        min(times, default=None),
        max(times, default=None),
    )


def verify_all(layout: StoreLayout) -> Verification:
    """Read and check every entry; put the bad ones in quarantine."""
    checked, without_body = 0, 0
    bad: list[str] = []
    bodies = {file.name for file in sharded_files(layout.bodies)}
    for file, sound in _checks(layout):
        checked += 1
        if isinstance(sound, Record):
            without_body += sum(ref.digest not in bodies for ref in sound.bodies())
        elif not sound:
            bad.append(file.path)
            set_aside(layout, file.path)
    return Verification(checked, tuple(bad), without_body)


def clear(layout: StoreLayout) -> Amount:
    """Remove all entries. Running builds lose nothing but hits; directories and files of others stay."""
    removed, freed = 0, 0
    for file in _removable(layout):
        gained = unlink_if_unused(file)
        removed += gained > 0
        freed += gained
    return Amount(removed, freed)


def _amount(files: Iterator[StoredFile] | list[StoredFile]) -> Amount:
    sizes = [file.disk_bytes for file in files]
    return Amount(len(sizes), sum(sizes))


def _checks(layout: StoreLayout) -> Iterator[tuple[StoredFile, Record | bool]]:
    """Each entry with its verdict; a sound record is its own."""
    for file in sharded_files(layout.bodies):
        content = _content(file)
        if content is not None:
            yield file, _body_is_sound(file.name, content)
    for file in sharded_files(layout.records):
        content = _content(file)
        if content is not None:
            yield file, _sound_record(file.name, content) or False
    for file in sharded_files(layout.chains):
        content = _content(file)
        if content is not None:
            chain = decode_chain(content)
            yield file, chain is not None and chain_name(chain.source_id) == file.name


def _content(file: StoredFile) -> bytes | None:
    try:
        return Path(file.path).read_bytes()
    except OSError:
        return None


def _body_is_sound(name: str, content: bytes) -> bool:
    size = unpacked_size(content)
    data = None if size is None else unpack(content, size)
    return data is not None and hashlib.sha256(data).hexdigest() == name


def _sound_record(name: str, content: bytes) -> Record | None:
    """The record, if its components also give the key under which it is stored."""
    record = decode_record(content, name)
    if record is None:
        return None
    try:
        return record if Key(record.kind, record.decoded_components()).digest == name else None
    except (ValueError, TypeError, UserError):
        return None


def _removable(layout: StoreLayout) -> Iterator[StoredFile]:
    # records first: a reader must not find a record whose body is already gone more often than it has to
    for directory in (layout.records, layout.chains, layout.bodies):
        yield from sharded_files(directory)
    yield from files_in(layout.quarantine)
    yield from files_in(str(layout.index.parent))
    yield from files_in(str(layout.index.parent / "manifests"))
    for file in files_in(layout.staging):
        if time.time() - file.used > _STAGING_AGE:
            yield file

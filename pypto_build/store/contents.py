# SPDX-License-Identifier: Apache-2.0
"""The files of a store, as a scan finds them while builds add and remove some."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file with its name, the disk space it takes and the time of its last use."""

    path: str
    name: str
    disk_bytes: int
    used: float


def sharded_files(directory: str) -> Iterator[StoredFile]:
    """The files in the two-letter directories below `directory`."""
    for shard in _names(directory):
        if len(shard) == 2:
            yield from files_in(f"{directory}/{shard}")


def files_in(directory: str) -> Iterator[StoredFile]:
    """The regular files directly in `directory`; what vanishes meanwhile is left out."""
    try:
        entries = list(os.scandir(directory))
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                # some file systems keep the content of small files elsewhere and report no blocks
                disk_bytes = max(status.st_blocks * 512, status.st_size)
                yield StoredFile(entry.path, entry.name, disk_bytes, status.st_mtime)
        except OSError:
            continue


def unlink_if_unused(file: StoredFile) -> int:
    """Remove a file unless it was used since the scan; the disk space that this frees."""
    try:
        if os.stat(file.path, follow_symlinks=False).st_mtime != file.used:
            return 0
        os.unlink(file.path)
    except OSError:
        return 0
    return file.disk_bytes


def _names(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []

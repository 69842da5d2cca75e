# SPDX-License-Identifier: Apache-2.0
"""Publishing a file by one rename: a reader sees the old file, no file, or all of the new one.

The bytes are written outside the directories that readers look at, under a name that nobody else uses. There is no
fsync: it costs ten times the write, and a file torn by a power cut fails its checksum and is a miss.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from pathlib import Path

_serial = itertools.count()
_FLAGS = os.O_CREAT | os.O_EXCL | os.O_WRONLY


def publish(target: str, content: bytes, *, staging: str) -> None:
    """Make `target` hold `content`; on an OSError nothing is left behind and `target` is what it was."""
    temporary = _stage(content, staging)
    try:
        _rename(temporary, target)
    except OSError:
        discard(temporary)
        raise


def _stage(content: bytes, staging: str) -> str:
    # Process, serial and four random bytes: unique among threads, forks, and machines that share a directory.
    temporary = f"{staging}/{os.getpid()}-{next(_serial)}-{os.urandom(4).hex()}"
    try:
        descriptor = os.open(temporary, _FLAGS, 0o600)
    except FileNotFoundError:
        make_private_directory(staging)
        descriptor = os.open(temporary, _FLAGS, 0o600)
    try:
        _write_all(descriptor, content)
    except OSError:
        discard(temporary)
        raise
    return temporary


def _write_all(descriptor: int, content: bytes) -> None:
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
    finally:
        os.close(descriptor)


def _rename(temporary: str, target: str) -> None:
    try:
        os.replace(temporary, target)
    except FileNotFoundError:  # the first entry of its directory, or somebody removed the directory
        make_private_directory(os.path.dirname(target))
        os.replace(temporary, target)


def make_private_directory(path: str) -> None:
    """`path` and its missing parents, readable by the owner only; those that exist are left as they are."""
    missing: list[Path] = []
    place = Path(path)
    while not place.is_dir():
        missing.append(place)
        if place.parent == place:
            break
        place = place.parent
    for directory in reversed(missing):
        with contextlib.suppress(FileExistsError):
            directory.mkdir(mode=0o700)


def discard(path: str) -> None:
    """Unlink `path` if that is possible; somebody else may have done it."""
    with contextlib.suppress(OSError):
        os.unlink(path)

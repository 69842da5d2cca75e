# SPDX-License-Identifier: Apache-2.0
"""What happens to a store and to the processes that use it: lost and damaged entries, full disks, kill -9, company."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from unittest.mock import patch

from pypto_build.store.gc import collect
from pypto_build.store.layout import StoreLayout
from pypto_build.store.limits import Limits

CALLS = ("open", "write", "replace")
"""What is counted for a process that dies or a disk that is full: every change of a store goes through these."""


def entries(store: Path) -> list[Path]:
    """All files of a store, in an order that does not depend on the file system."""
    return sorted(path for path in store.rglob("*") if path.is_file() and not path.is_symlink())


def delete(store: Path, random: Random) -> None:
    """Remove some entries."""
    for path in entries(store):
        if random.random() < 0.5:
            path.unlink()


def clear(store: Path, random: Random) -> None:
    """Remove a whole directory, or everything."""
    places = [store, *sorted(path for path in store.glob("v1/*") if path.is_dir())]
    shutil.rmtree(random.choice(places), ignore_errors=True)


def truncate(store: Path, random: Random) -> None:
    """Cut some entries."""
    for path in entries(store):
        if random.random() < 0.3:
            content = path.read_bytes()
            path.write_bytes(content[: random.randrange(len(content) + 1)])


def flip(store: Path, random: Random) -> None:
    """Flip a bit in some entries."""
    for path in entries(store):
        content = bytearray(path.read_bytes())
        if content and random.random() < 0.5:
            content[random.randrange(len(content))] ^= 1 << random.randrange(8)
            path.write_bytes(content)


def exchange(store: Path, random: Random) -> None:
    """Put the content of one entry in the place of another."""
    found = entries(store)
    if found:
        shutil.copyfile(random.choice(found), store / "other")
        os.replace(store / "other", random.choice(found))


def shrink(store: Path, random: Random) -> None:
    """Collect with small bounds."""
    bound = random.choice((0, 2_000, 20_000))
    collect(StoreLayout(store), Limits(max_bytes=bound, max_age_s=1e9, grace_s=-1), now=2e9)


DAMAGE: tuple[Callable[[Path, Random], None], ...] = (delete, clear, truncate, flip, exchange, shrink)


def set_clocks(place: Path, random: Random) -> None:
    """Give every file of a project another time, years ago or years ahead."""
    for path in sorted(place.iterdir()):
        if path.is_file():
            moment = random.choice((0, 1_000_000_000, 1_000_000_001, 4_000_000_000))
            os.utime(path, (moment, moment))


@contextmanager
def full_disk(after: int) -> Iterator[None]:
    """Writes fail for want of room after so many of them."""
    count = itertools.count()
    write = os.write

    def fail(descriptor: int, data: bytes) -> int:
        if next(count) >= after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data)

    with patch("pypto_build.store.publish.os.write", fail):
        yield


@contextmanager
def read_only_disk() -> Iterator[None]:
    """Nothing can be put in its place."""

    def fail(*_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with patch("pypto_build.store.publish._stage", fail), patch("os.utime", fail):
        yield


MADE = 1


def in_child(work: Callable[[], object]) -> int:
    """Start `work` in a process of its own, whatever becomes of it; the exit status is `MADE` if it returns True."""
    child = os.fork()
    if child == 0:
        status = 0
        try:
            status = MADE if work() is True else 0
        finally:
            os._exit(status)
    return child


def killed(work: Callable[[], object], moment: int) -> None:
    """Run `work` in a process that is killed at its call number `moment` among those that touch files."""
    count = itertools.count()

    def counted(call: Callable[..., object]) -> Callable[..., object]:
        def run(*arguments: object, **options: object) -> object:
            if next(count) == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **options)

        return run

    def doomed() -> None:
        for name in CALLS:
            setattr(os, name, counted(getattr(os, name)))
        work()

    os.waitpid(in_child(doomed), 0)

# SPDX-License-Identifier: Apache-2.0
"""One SCons at a time in a tree: a second one waits until the first has written what it built and the signatures of it.

Two at once would build everything twice, and the signatures of the one that ends first would be lost. The lock is the
operating system's, so it ends with its holder, however that ends; what the file says is only for people.
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Callable, Iterator

from pypto_build.errors import UserError

NAME = ".pypto-build.lock"
_held: dict[str, int] = {}  # descriptors by path, open until the process ends


def hold_tree(directory: str, say: Callable[[str], None]) -> None:
    """Hold the lock of a tree until the process ends; says on whom it waits, if it has to.

    Where no lock can be had (a tree that cannot be written, a file system without locks) there is none.

    Raises:
        UserError: the holder is a build that started this one and waits for it.
    """
    path = os.path.join(directory, NAME)
    if path in _held:
        return
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _announce(os.pread(descriptor, 4096, 0).decode("utf-8", "replace"), directory, say=say)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError:
        os.close(descriptor)
        return
    _sign(descriptor)
    _held[path] = descriptor


def _announce(text: str, directory: str, *, say: Callable[[str], None]) -> None:
    number, _, command = text.strip().partition(" ")
    holder = f"process {number} ({command})" if number else "another process"
    if number in _ancestors():
        help = "let the inner build work in a directory of its own, or build both in one SConstruct"
        raise UserError("TREE001", f"{holder} builds {directory} and started this build, which must wait", help=help)
    say(f"waiting for {holder}, which builds {directory}")


def _sign(descriptor: int) -> None:
    command = " ".join([os.path.basename(sys.argv[0]), *sys.argv[1:]])
    text = f"{os.getpid()} {command}\n".encode("utf-8", "replace")
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text[:4096], 0)
    except OSError:
        return  # a full disk; the lock holds, whoever waits is told of another process


def _ancestors() -> Iterator[str]:
    """The processes above this one, as far as the system tells."""
    number = os.getppid()
    while number > 1:
        yield str(number)
        try:
            with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as file:
                number = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return

# SPDX-License-Identifier: Apache-2.0
"""Where a worker is, for the case that it does not live to tell: a page of memory shared with who started it.

A killed process sends no message, and a message for each pass would cost more than many passes do.
"""

from __future__ import annotations

import mmap
import os
import tempfile

SIZE = 1024  # bytes; a longer text is cut


class SharedPlace:
    """A short text in memory that two processes see. `descriptor` is that of a file of `SIZE` bytes."""

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, SIZE)

    def say(self, text: str) -> None:
        """Replace the text."""
        self._memory[:SIZE] = text.encode("utf-8", "replace")[:SIZE].ljust(SIZE, b"\0")

    def said(self) -> str:
        """The text as it is now."""
        return self._memory[:SIZE].rstrip(b"\0").decode("utf-8", "replace")

    def close(self) -> None:
        """Let go of the memory."""
        self._memory.close()


def shared_file() -> int:
    """A descriptor for a `SharedPlace` and for the child process that it is passed to; the file has no name."""
    with tempfile.TemporaryFile() as file:
        file.write(bytes(SIZE))  # so that a full disk is noticed here and not when the memory is touched
        file.flush()
        return os.dup(file.fileno())


_told: list[SharedPlace] = []


def report_to(descriptor: int) -> None:
    """From now on `at` writes to this file."""
    _told[:] = [SharedPlace(descriptor)]


def at(place: str) -> None:
    """Say where this process is: `in pass simplify of function main`. Nothing happens in one that nobody watches."""
    for one in _told:
        one.say(place)

# SPDX-License-Identifier: Apache-2.0
"""How much memory this process has had at most."""

from __future__ import annotations


def peak_bytes() -> int:
    """The largest resident size so far, in bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/status", "rb") as file:  # what `getrusage` says counts the parent before `exec` too
            line = next(line for line in file if line.startswith(b"VmHWM:"))
    except (OSError, StopIteration):
        return 0
    return int(line.split()[1]) * 1024

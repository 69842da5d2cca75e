# SPDX-License-Identifier: Apache-2.0
"""Small files that prove themselves: one header line with a magic word and the SHA-256 of the rest.

A flipped bit, a truncation or a file of another format opens as None, never as a wrong value.
"""

from __future__ import annotations

import hashlib


def seal(magic: bytes, payload: bytes) -> bytes:
    """The payload behind its header line."""
    return b"%b %b\n%b" % (magic, hashlib.sha256(payload).hexdigest().encode(), payload)


def unseal(magic: bytes, content: bytes) -> bytes | None:
    """The payload of `content`, or None when it is not exactly what `seal` made with this magic."""
    header, newline, payload = content.partition(b"\n")
    if not newline:
        return None
    intact = header == b"%b %b" % (magic, hashlib.sha256(payload).hexdigest().encode())
    return payload if intact else None

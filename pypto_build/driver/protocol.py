# SPDX-License-Identifier: Apache-2.0
"""Messages between a build tool and a worker: JSON with its length in four bytes before it."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">I")
MAX_MESSAGE = 1 << 28  # a length beyond this is not ours: something else wrote to the pipe


def write_message(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Send one message."""
    content = json.dumps(message).encode()
    stream.write(_LENGTH.pack(len(content)) + content)
    stream.flush()


def read_message(stream: BinaryIO) -> dict[str, Any] | None:
    """The next message, or None when the other side is gone or does not speak this protocol."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > MAX_MESSAGE:
        return None
    content = stream.read(length)
    if len(content) < length:
        return None
    message: dict[str, Any] = json.loads(content)
    return message

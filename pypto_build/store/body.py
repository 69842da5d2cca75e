# SPDX-License-Identifier: Apache-2.0
"""The file of a body: a header line that says how the content is packed, and the content.

Zstandard at level 1 costs less than the disk it saves; content that does not shrink (a zip, a few bytes) is kept as it
is, so that reading it needs no decompressor.
"""

from __future__ import annotations

import hashlib

from pypto_build.store.record import BodyRef

_RAW = b"pypto-build body 1 raw\n"
_ZSTD = b"pypto-build body 1 zstd\n"
_SMALL = 256  # bytes below which a frame's own overhead eats the gain


def body_ref(data: bytes) -> BodyRef:
    """The reference of `data`."""
    return BodyRef(hashlib.sha256(data).hexdigest(), len(data))


def pack(data: bytes) -> bytes:
    """The content of the file that holds `data`."""
    if len(data) >= _SMALL:
        import zstandard

        packed = zstandard.ZstdCompressor(level=1).compress(data)
        if len(packed) < len(data) - len(data) // 8:
            return _ZSTD + packed
    return _RAW + data


def unpack(content: bytes, size: int) -> bytes | None:
    """The data of `size` bytes in `content`, not yet verified; None when it cannot be that."""
    if content.startswith(_RAW):
        data = content[len(_RAW) :]
        return data if len(data) == size else None
    if not content.startswith(_ZSTD):
        return None
    import zstandard

    frame = content[len(_ZSTD) :]
    try:
        # the claimed size is checked first: a damaged header must not make us allocate what it asks for
        if zstandard.frame_content_size(frame) != size:
            return None
        return zstandard.ZstdDecompressor().decompress(frame)
    except (zstandard.ZstdError, MemoryError):
        return None


def verified(content: bytes, ref: BodyRef) -> bytes | None:
    """The data that `ref` names, or None when `content` does not hold exactly that."""
    data = unpack(content, ref.size)
    return data if data is not None and body_ref(data) == ref else None


def unpacked_size(content: bytes) -> int | None:
    """The size that a body file claims for its data; None when it is not a body file."""
    if content.startswith(_RAW):
        return len(content) - len(_RAW)
    if not content.startswith(_ZSTD):
        return None
    import zstandard

    try:
        return zstandard.frame_content_size(content[len(_ZSTD) :])
    except zstandard.ZstdError:
        return None

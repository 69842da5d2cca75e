# SPDX-License-Identifier: Apache-2.0
"""The store in a local directory.

Threads and processes share it without locks: files appear by rename, disappear by unlink, and are never changed. Every
read is checked; what fails goes to quarantine and is a miss. When the place cannot be written (full, read-only), the
build goes on without storing and says so once.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

from pypto_build.errors import Diagnostic, InternalError
from pypto_build.store.body import body_ref, pack, verified
from pypto_build.store.chain import ChainRecord, chain_name, decode_chain, encode_chain
from pypto_build.store.interface import Mode, Put
from pypto_build.store.key import is_digest
from pypto_build.store.layout import StoreLayout, check_owner, create, set_aside
from pypto_build.store.publish import publish
from pypto_build.store.record import BodyRef, Record, decode_record, encode_record

_RENEW_AFTER = 3600  # seconds; a finer order of use would cost a write per hit and buys the collector nothing
_FOREIGN = frozenset({errno.ELOOP, errno.EACCES, errno.ENXIO})  # a link, not readable, a socket; not: too many files
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class LocalStore:
    """A `Store` below `root`. `on_warning` hears, once, that the store cannot be written."""

    def __init__(
        self,
        root: Path,
        *,
        mode: Mode = Mode.WRITE,
        on_warning: Callable[[Diagnostic], None] | None = None,
    ) -> None:
        self.layout = StoreLayout(root)
        self._mode = mode
        self._on_warning = on_warning
        self._writable = mode.writes
        self._me = os.geteuid()
        if mode is not Mode.OFF:
            check_owner(self.layout)
        if self._writable:
            self._open_for_writing()

    @property
    def mode(self) -> Mode:
        """How this store is used."""
        return self._mode

    @property
    def writable(self) -> bool:
        """Whether results are being stored: the mode writes, and the place has not refused yet."""
        return self._writable

    def get_record(self, key: str) -> Record | None:
        """The verified record of a key, or None."""
        return self._find_record(key) if self._mode.reuses else None

    def put_record(self, record: Record) -> Put:
        """Publish a record; a reader who sees it finds the bodies that were put before it."""
        _require_digest(record.key)
        if not self._writable:
            return Put.SKIPPED
        outcome = Put.STORED
        if self._mode is Mode.VERIFY:
            known = self._find_record(record.key)
            if known is not None and known.same_result(record):
                return Put.KEPT
            outcome = Put.STORED if known is None else Put.REPLACED
        return outcome if self._publish(self.layout.record(record.key), encode_record(record)) else Put.SKIPPED

    def get_body(self, ref: BodyRef) -> bytes | None:
        """The verified bytes of a body, or None; served in `refresh` too, since a body cannot be out of date."""
        if self._mode is Mode.OFF:
            return None
        _require_digest(ref.digest)
        path = self.layout.body(ref.digest)
        content = self._read(path)
        if content is None:
            return None
        data = verified(content, ref)
        if data is None:
            self._quarantine(path)
        return data

    def put_body(self, data: bytes) -> BodyRef:
        """Store bytes under their digest, unless they are there already."""
        ref = body_ref(data)
        if self._writable:
            path = self.layout.body(ref.digest)
            if self._mode is not Mode.WRITE or not _renew(path):
                self._publish(path, pack(data))
        return ref

    def missing(self, refs: tuple[BodyRef, ...]) -> tuple[BodyRef, ...]:
        """Those of `refs` whose bodies are not stored; the others still have to pass their check when read."""
        if self._mode is Mode.OFF:
            return refs
        return tuple(ref for ref in refs if not os.path.exists(self.layout.body(ref.digest)))

    def get_chain(self, source_id: str) -> ChainRecord | None:
        """The last run over a source. Use its entries as results only if `mode.reuses`."""
        if self._mode is Mode.OFF:
            return None
        path = self.layout.chain(chain_name(source_id))
        content = self._read(path, renew=self._writable)
        if content is None:
            return None
        chain = decode_chain(content)
        if chain is None or chain.source_id != source_id:
            self._quarantine(path)
            return None
        return chain

    def put_chain(self, chain: ChainRecord) -> None:
        """Replace the last run over a source."""
        if self._writable:
            self._publish(self.layout.chain(chain_name(chain.source_id)), encode_chain(chain))

    def _find_record(self, key: str) -> Record | None:
        _require_digest(key)
        path = self.layout.record(key)
        content = self._read(path, renew=self._writable)
        if content is None:
            return None
        record = decode_record(content, key)
        if record is None:
            self._quarantine(path)
        return record

    def _read(self, path: str, *, renew: bool = False) -> bytes | None:
        """The content of one of our regular files; anything else there is put aside."""
        try:
            descriptor = os.open(path, _FLAGS)
        except OSError as error:
            if error.errno in _FOREIGN:
                self._quarantine(path)
            return None
        try:
            content, used = self._read_open(descriptor)
        finally:
            os.close(descriptor)
        if content is None:
            self._quarantine(path)
        elif renew and time.time() - used > _RENEW_AFTER:
            _renew(path)
        return content

    def _read_open(self, descriptor: int) -> tuple[bytes | None, float]:
        """The content and the time of use of an open file; no content when it cannot be an entry of ours."""
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != self._me:
            return None, 0.0
        try:
            return os.read(descriptor, status.st_size + 1), status.st_mtime
        except (OSError, MemoryError, OverflowError):
            return None, 0.0

    def _quarantine(self, path: str) -> None:
        if self._writable:
            set_aside(self.layout, path)

    def _publish(self, path: str, content: bytes) -> bool:
        try:
            publish(path, content, staging=self.layout.staging)
        except IsADirectoryError:
            self._quarantine(path)  # this result is lost, the next one is not
            return False
        except FileNotFoundError:
            return False  # the store is being removed under us; the next result starts it again
        except OSError as error:
            self._stop_writing(error)
            return False
        return True

    def _open_for_writing(self) -> None:
        try:
            create(self.layout)
        except OSError as error:
            self._stop_writing(error)

    def _stop_writing(self, error: OSError) -> None:
        was_writable, self._writable = self._writable, False
        if not was_writable or self._on_warning is None:
            return
        full = error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
        place = self.layout.root
        message = f"the store {place} {'is full' if full else 'cannot be written'}; results are not kept in this build"
        advice = "make room, or run: pypto-build store gc" if full else ""
        reason = error.strerror or type(error).__name__
        self._on_warning(Diagnostic("warning", "store-not-writable", f"{message} ({reason})", help=advice))


def _renew(path: str) -> bool:
    """Set the time of use of a file to now; False when there is no such file that we may touch."""
    try:
        os.utime(path)
    except OSError:
        return False
    return True


def _require_digest(text: str) -> None:
    if not is_digest(text):
        raise InternalError(f"{text!r} is not a SHA-256 in lower-case hexadecimal")

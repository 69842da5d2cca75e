# SPDX-License-Identifier: Apache-2.0
"""SHA-256 of files by their stat data, like git's index: a file is read only when it may have changed.

Equal size, times and inode prove equal content only if the file was not written again within the resolution of its
times. So an entry is kept only when the file's times lie well before the moment its content was read, and believed only
when they lie before the time of the index file itself; everything else is read again. The imports of a source are kept
under its digest, so that a warm start does not parse either.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias, cast

from pypto_build.store.encoding import dump_json
from pypto_build.store.import_scan import Import, Imports, scan_imports
from pypto_build.store.publish import publish
from pypto_build.store.sealed import seal, unseal

FileState: TypeAlias = tuple[int, int, int, int]
"""Size, modification time, change time (both in ns) and inode."""

SETTLED_NS = 2_000_000_000  # the coarsest time stamps in use (FAT) tick every two seconds
_MAGIC = b"pypto-build file-index 1"
_MAX_FILES = 20_000  # about 3 MB; beyond it only the files of the current process stay


class FileIndex:
    """Looks at each file once, until told to forget it. Threads may share it; at worst a file is read twice."""

    def __init__(self, path: Path, *, now_ns: Callable[[], int] = time.time_ns) -> None:
        self._path = path
        self._now_ns = now_ns
        self._files: dict[str, tuple[FileState, str]] = {}
        self._imports: dict[str, Imports] = {}
        self._seen: dict[str, tuple[FileState, str]] = {}
        self._unsettled: set[str] = set()
        self._last_read = ("", b"")  # digest and content: a file's imports are asked for right after its digest
        self._changed = False
        self.reads = 0
        """How many files had to be read: none on a warm start."""
        self.latest_ns = 0
        """When the file that was written last, of all that were looked at, was written."""
        self._load()

    def digest(self, path: str) -> str:
        """The SHA-256 of the content of `path`; OSError when it cannot be read."""
        return self._entry(path)[1]

    def forget(self, path: str) -> None:
        """Look at a file again when it is next asked for."""
        entry = self._seen.pop(path, None)
        if entry is not None and path not in self._unsettled:
            self._files[path] = entry

    def imports(self, path: str) -> Imports:
        """The imports of the Python source at `path`."""
        digest = self.digest(path)
        found = self._imports.get(digest)
        if found is None:
            read, content = self._last_read
            if read != digest:
                content, _ = _read(path)
                read = hashlib.sha256(content).hexdigest()
            found = scan_imports(content)
            if read == digest:
                self._imports[digest] = found
                self._changed = True
        return found

    def newest_ns(self, path: str) -> int:
        """When a file that was looked at was last written, in ns."""
        return _written_ns(self._entry(path))

    def save(self) -> None:
        """Write the index by one rename if anything was learned; OSError when the place cannot be written."""
        if not self._changed:
            return
        kept = {**self._files, **self._seen}
        if len(kept) > _MAX_FILES:
            kept = self._seen
        files = {path: entry for path, entry in kept.items() if path not in self._unsettled}
        alive = {digest for _, digest in kept.values()}
        imports = {digest: found for digest, found in self._imports.items() if digest in alive}
        payload = dump_json({"files": files, "imports": {name: _to_plain(found) for name, found in imports.items()}})
        publish(str(self._path), seal(_MAGIC, payload.encode()), staging=str(self._path.parent))
        self._changed = False

    def _entry(self, path: str) -> tuple[FileState, str]:
        seen = self._seen.get(path)
        if seen is not None:
            return seen
        known = self._files.get(path)
        if known is None or known[0] != _state(os.stat(path)):
            known = self._read_entry(path)
        self._seen[path] = known
        self.latest_ns = max(self.latest_ns, _written_ns(known))
        return known

    def _read_entry(self, path: str) -> tuple[FileState, str]:
        started = self._now_ns()
        content, state = _read(path)
        self.reads += 1
        digest = hashlib.sha256(content).hexdigest()
        self._last_read = (digest, content)
        settled = state is not None and max(state[1], state[2]) + SETTLED_NS < started
        if settled:
            self._unsettled.discard(path)
            self._changed = True
        else:
            self._unsettled.add(path)
            self._changed = self._changed or path in self._files
        return (state if state is not None else (len(content), started, started, 0)), digest

    def _load(self) -> None:
        try:
            with self._path.open("rb") as stream:
                written = os.fstat(stream.fileno()).st_mtime_ns
                payload = unseal(_MAGIC, stream.read())
        except OSError:
            return
        if payload is None:
            return
        content = cast("dict[str, dict[str, list[object]]]", json.loads(payload))
        for path, entry in content["files"].items():
            state, digest = cast("tuple[list[int], str]", tuple(entry))
            if max(state[1], state[2]) < written:
                self._files[path] = (cast("FileState", tuple(state)), digest)
        self._imports = {digest: _from_plain(found) for digest, found in content["imports"].items()}


def _written_ns(entry: tuple[FileState, str]) -> int:
    """The change time: unlike the modification time nobody can set it, and an archive may unpack files of next year."""
    (_, _, changed, _), _ = entry
    return changed


def _state(status: os.stat_result) -> FileState:
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def _read(path: str) -> tuple[bytes, FileState | None]:
    """The content and the state that belongs to it; no state when the file keeps changing under the reader."""
    content = b""
    for _ in range(3):
        with open(path, "rb") as stream:
            before = _state(os.fstat(stream.fileno()))
            content = stream.read()
            if _state(os.fstat(stream.fileno())) == before and len(content) == before[0]:
                return content, before
    return content, None


def _to_plain(imports: Imports) -> list[object]:
    return [imports.computed, *([one.module, one.level, *one.names] for one in imports.statements)]


def _from_plain(plain: list[object]) -> Imports:
    computed, *statements = plain
    rows = cast("list[tuple[str, int, str]]", statements)
    return Imports(tuple(Import(module, level, tuple(names)) for module, level, *names in rows), bool(computed))

# SPDX-License-Identifier: Apache-2.0
"""Keeping a store within its bounds, beside running builds.

Records and chains leave in the order of their last use; a body leaves when nothing names it any more and it is older
than the grace period. Only unlink is used: a reader that comes too late misses, and makes the result again.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pypto_build.store.body import unpack, unpacked_size
from pypto_build.store.contents import StoredFile, files_in, sharded_files, unlink_if_unused
from pypto_build.store.layout import StoreLayout
from pypto_build.store.limits import Limits
from pypto_build.store.publish import publish

_LOW_WATER = 0.9  # a full store is emptied to this part of its bound, so that collecting does not become permanent
_STAGING_AGE = 86400  # seconds; no write takes that long, so its writer is dead
_QUARANTINE_AGE = 7 * 86400
_MANIFESTS = 4096  # fingerprint manifests kept, newest first; about 16 MB
_EVERY = 3600  # seconds between collections that nobody asked for
_DIGEST = re.compile(rb"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Collection:
    """What a collection did."""

    records: int = 0
    chains: int = 0
    bodies: int = 0
    others: int = 0
    freed_bytes: int = 0
    left_bytes: int = 0


def collect(layout: StoreLayout, limits: Limits, *, now: float) -> Collection:
    """Enforce the bounds once."""
    others, others_freed = _collect_leftovers(layout, now=now)
    records, chains = list(sharded_files(layout.records)), list(sharded_files(layout.chains))
    bodies = {file.name: file for file in sharded_files(layout.bodies)}
    files = [*records, *chains, *bodies.values()]
    total = sum(file.disk_bytes for file in files)
    oldest = min((file.used for file in files), default=now)
    if total <= limits.max_bytes and now - oldest <= limits.max_age_s:
        return Collection(others=others, freed_bytes=others_freed, left_bytes=total)
    removed: Counter[str] = Counter()
    freed = 0
    for file in _plan([*records, *chains], bodies, limits, now=now):
        gained = unlink_if_unused(file)
        freed += gained
        removed[_kind(file, layout)] += gained > 0
    return Collection(
        removed["record"], removed["chain"], removed["body"], others, freed + others_freed, left_bytes=total - freed
    )


def collect_if_due(layout: StoreLayout, limits: Limits, *, now: float) -> Collection | None:
    """`collect`, unless that was done within the last hour."""
    if not _claim(layout, now=now):
        return None
    return collect(layout, limits, now=now)


def start_if_due(layout: StoreLayout, limits: Limits) -> bool:
    """Start a collection in a process of its own, so that no build waits for it; False when none is due."""
    now = time.time()
    if not _due(layout, now=now):
        return False
    arguments = [str(layout.root), str(limits.max_bytes), str(limits.max_age_s)]
    package_place = str(Path(__file__).parents[2])  # a checkout that is not installed is found too
    places = [package_place, *filter(None, [os.environ.get("PYTHONPATH")])]
    silence = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (0, 1, 2)]
    try:
        os.posix_spawn(
            sys.executable,
            [sys.executable, "-m", "pypto_build.store.gc", *arguments],
            {**os.environ, "PYTHONPATH": os.pathsep.join(places)},
            file_actions=silence,
            setpgroup=0,  # an interrupt at the terminal is meant for the build
        )
    except OSError:
        return False
    return True


def _due(layout: StoreLayout, *, now: float) -> bool:
    try:
        last = os.stat(layout.last_collection).st_mtime
    except OSError:
        return os.path.isdir(layout.base)
    return abs(now - last) >= _EVERY  # a time in the future is a clock that was set, not a collection to come


def _claim(layout: StoreLayout, *, now: float) -> bool:
    """Whether a collection is due; if so the next caller hears no. Two that ask at once may both collect: no harm."""
    if not _due(layout, now=now):
        return False
    try:
        publish(layout.last_collection, b"", staging=layout.staging)
        os.utime(layout.last_collection, (now, now))
    except OSError:
        return False
    return True


def _plan(
    entries: list[StoredFile], bodies: dict[str, StoredFile], limits: Limits, *, now: float
) -> Iterator[StoredFile]:
    """What to remove, in order: a body always after what named it."""
    named = {file.path: _named_bodies(file, bodies) for file in entries}
    uses = Counter(name for names in named.values() for name in names)
    total = sum(file.disk_bytes for file in (*entries, *bodies.values()))
    for body in bodies.values():
        if uses[body.name] == 0 and now - body.used > limits.grace_s:
            total -= body.disk_bytes
            yield body
    bound = limits.max_bytes if total <= limits.max_bytes else int(limits.max_bytes * _LOW_WATER)
    for file in sorted(entries, key=lambda file: file.used):
        if now - file.used <= limits.max_age_s and total <= bound:
            return
        total -= file.disk_bytes
        yield file
        uses.subtract(named[file.path])
        for body in (bodies[name] for name in named[file.path] if uses[name] == 0):
            total -= body.disk_bytes  # if it is too young to leave now, it leaves with the next collection
            if now - body.used > limits.grace_s:
                yield body


def _named_bodies(file: StoredFile, bodies: dict[str, StoredFile]) -> frozenset[str]:
    """The bodies that a record or chain names. Every digest in it counts: to keep one too many does no harm."""
    try:
        content = Path(file.path).read_bytes()
    except OSError:
        return frozenset()
    packed = content.partition(b"\n")[2]
    size = unpacked_size(packed)
    text = content if size is None else unpack(packed, size) or b""
    return frozenset(name.decode() for name in _DIGEST.findall(text)) & bodies.keys()


def _kind(file: StoredFile, layout: StoreLayout) -> str:
    if file.path.startswith(layout.bodies + "/"):
        return "body"
    return "chain" if file.path.startswith(layout.chains + "/") else "record"


def _collect_leftovers(layout: StoreLayout, *, now: float) -> tuple[int, int]:
    """Files of dead writers, old quarantine, manifests beyond their number."""
    old = [file for file in files_in(layout.staging) if now - file.used > _STAGING_AGE]
    old += [file for file in files_in(layout.quarantine) if now - file.used > _QUARANTINE_AGE]
    manifests = sorted(files_in(str(layout.index.parent / "manifests")), key=lambda file: file.used, reverse=True)
    old += manifests[_MANIFESTS:]
    freed = [unlink_if_unused(file) for file in old]
    return sum(gained > 0 for gained in freed), sum(freed)


def main(arguments: list[str]) -> None:
    """The process that `start_if_due` starts."""
    os.nice(10)
    root, size, age = arguments
    collect_if_due(StoreLayout(Path(root)), Limits(int(size), int(age)), now=time.time())


if __name__ == "__main__":
    main(sys.argv[1:])

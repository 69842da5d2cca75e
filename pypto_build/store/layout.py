# SPDX-License-Identifier: Apache-2.0
"""Where things are in a store directory, and whether the directory may be used.

    CACHEDIR.TAG               tells back-up programs to pass by
    v1/ac/xx/<key>             records
    v1/cas/xx/<digest>         bodies
    v1/chains/xx/<name>        the last run of each source
    v1/index/                  file index and fingerprint manifests
    v1/staging/                files that are being written
    v1/quarantine/             entries that failed their check, for a look at what went wrong
    v1/last-gc                 time of the last collection

A change of any format makes a new version directory, so programs of different ages share a store without meeting.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from pypto_build.errors import UserError
from pypto_build.store.publish import discard, make_private_directory

FORMAT = "v1"
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# This directory holds build results that can be made again.\n"


@dataclass(frozen=True, slots=True)
class StoreLayout:
    """The paths below one root, as strings: building a `Path` costs more than opening the file."""

    root: Path
    base: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", f"{os.path.abspath(self.root)}/{FORMAT}")

    @property
    def records(self) -> str:
        """The directory of records."""
        return f"{self.base}/ac"

    @property
    def bodies(self) -> str:
        """The directory of bodies."""
        return f"{self.base}/cas"

    @property
    def chains(self) -> str:
        """The directory of chain records."""
        return f"{self.base}/chains"

    @property
    def staging(self) -> str:
        """The directory of files that are being written."""
        return f"{self.base}/staging"

    @property
    def quarantine(self) -> str:
        """The directory of entries that failed their check."""
        return f"{self.base}/quarantine"

    @property
    def index(self) -> Path:
        """The file index for a `Fingerprinter`."""
        return Path(self.base, "index", "files")

    @property
    def last_collection(self) -> str:
        """The file whose time is that of the last garbage collection."""
        return f"{self.base}/last-gc"

    def record(self, key: str) -> str:
        """The file of a record."""
        return f"{self.base}/ac/{key[:2]}/{key}"

    def body(self, digest: str) -> str:
        """The file of a body."""
        return f"{self.base}/cas/{digest[:2]}/{digest}"

    def chain(self, name: str) -> str:
        """The file of a chain record."""
        return f"{self.base}/chains/{name[:2]}/{name}"


def check_owner(layout: StoreLayout) -> None:
    """Refuse a store that somebody else owns or can write to: its checksums protect from accidents, not from people."""
    for place in (str(layout.root), layout.base):
        try:
            status = os.stat(place)
        except OSError:
            return  # not there yet, or not readable: then every look-up is a miss
        if not stat.S_ISDIR(status.st_mode):
            raise UserError("STORE008", f"the store {place} is not a directory")
        if status.st_uid != os.geteuid():
            raise UserError(
                "STORE009",
                f"the store {place} belongs to user {status.st_uid}, not to you (user {os.geteuid()})",
                help="set PYPTO_BUILD_STORE to a directory of your own",
            )
        if place == layout.base and status.st_mode & 0o022:
            raise UserError(
                "STORE010",
                f"the store {place} can be written by other users",
                help=f"remove it, or run: chmod go-w {place}",
            )


def create(layout: StoreLayout) -> None:
    """Make the directories and the tag; an OSError when the place cannot be written."""
    make_private_directory(layout.base)
    make_private_directory(layout.staging)
    tag = Path(layout.root, "CACHEDIR.TAG")
    if not tag.exists():
        tag.write_text(_TAG, encoding="ascii")


def set_aside(layout: StoreLayout, path: str) -> None:
    """Move a bad entry to the quarantine, or remove it, so that the next result can take its place."""
    kind = os.path.basename(os.path.dirname(os.path.dirname(path)))
    with contextlib.suppress(OSError):
        make_private_directory(layout.quarantine)
        os.replace(path, f"{layout.quarantine}/{kind}-{os.path.basename(path)}")
        return
    discard(path)

# SPDX-License-Identifier: Apache-2.0
"""What every store offers, local or remote, and the modes in which one is used.

The shape is that of the Bazel Remote Execution API, version 2, so that a shared cache is another implementation of
`Store` and changes no key:

| here | there |
|---|---|
| `BodyRef(digest, size)` | `Digest(hash, size_bytes)` with the digest function SHA256 |
| `get_body`, `put_body` | `BatchReadBlobs`, `BatchUpdateBlobs` of the content-addressable storage |
| `missing` | `FindMissingBlobs` |
| `Key.digest` | digest of an `Action`; its command holds the key's bytes, its `salt` the store's name space |
| `get_record`, `put_record` | `GetActionResult`, `UpdateActionResult` of the action cache |
| an output whose body is stored | an `OutputFile` with the role as its path |
| the rest of a record | `stdout_raw` of the `ActionResult`; servers keep it without looking inside |

A server may drop a body while it keeps the record. So a record is a fact about a result, and a missing body only means
that the result has to be made again.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from pypto_build.errors import UserError
from pypto_build.store.chain import ChainRecord
from pypto_build.store.record import BodyRef, Record


class Mode(Enum):
    """What a build does with the store.

    `off`: every look-up misses, nothing is written, the directory is not even looked at.
    `read`: stored results are used; nothing is written, not even times of use.
    `write`: stored results are used, new ones are stored. The default.
    `refresh`: every look-up of a record misses, so everything is made anew, and what is stored is replaced.
    `verify`: records are found, but the builder makes every result again; storing compares the two, says `REPLACED`
    when they differ, and keeps the new one.
    """

    OFF = "off"
    READ = "read"
    WRITE = "write"
    REFRESH = "refresh"
    VERIFY = "verify"

    @property
    def reuses(self) -> bool:
        """Whether stored results are looked up: records, and the entries of a chain record."""
        return self in {Mode.READ, Mode.WRITE, Mode.VERIFY}

    @property
    def writes(self) -> bool:
        """Whether results are stored."""
        return self in {Mode.WRITE, Mode.REFRESH, Mode.VERIFY}


def mode_named(name: str) -> Mode:
    """The mode that a user asked for by name."""
    try:
        return Mode(name)
    except ValueError:
        known = ", ".join(mode.value for mode in Mode)
        raise UserError("STORE007", f"there is no store mode {name!r}", help=f"the modes are {known}") from None


class Put(Enum):
    """What became of a record that was to be stored."""

    STORED = "stored"
    KEPT = "kept"
    """The store has a record with the same result."""
    REPLACED = "replaced"
    """The store had a record with another result under the same key: whatever made them is not deterministic."""
    SKIPPED = "skipped"
    """The mode does not write, or the place cannot be written."""


class Store(Protocol):
    """Records under keys and bodies under digests. No method raises for a bad entry, a full disk or a lost server."""

    @property
    def mode(self) -> Mode:
        """How this store is used."""
        ...

    def get_record(self, key: str) -> Record | None:
        """The verified record of a key, or None."""
        ...

    def put_record(self, record: Record) -> Put:
        """Store a record; the bodies that are to be found with it come first."""
        ...

    def get_body(self, ref: BodyRef) -> bytes | None:
        """The verified bytes of a body, or None."""
        ...

    def put_body(self, data: bytes) -> BodyRef:
        """Store bytes and say what they are called; the answer is right whether or not they could be stored."""
        ...

    def missing(self, refs: tuple[BodyRef, ...]) -> tuple[BodyRef, ...]:
        """Those of `refs` whose bodies are not stored."""
        ...

    def get_chain(self, source_id: str) -> ChainRecord | None:
        """What happened in the last run over a source, or None."""
        ...

    def put_chain(self, chain: ChainRecord) -> None:
        """Replace what is known of the last run over a source."""
        ...

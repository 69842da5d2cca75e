# SPDX-License-Identifier: Apache-2.0
"""What happened to one source in its last run: every pass of every function, with keys, digests and times.

It serves two ends: `explain` compares it with the run before, and a pass that is too cheap for a record of its own is
found again in it, since an entry holds all that its record would.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import Enum
from typing import cast

from pypto_build.errors import Diagnostic
from pypto_build.store.body import pack, unpack, unpacked_size
from pypto_build.store.encoding import Components, ComponentValue, dump_json, from_plain, to_plain
from pypto_build.store.record import diagnostic_from, plain_diagnostic
from pypto_build.store.sealed import seal, unseal

_MAGIC = b"pypto-build chain 2"


class Status(Enum):
    """How a result was come by."""

    REUSED = "reused"
    RAN = "ran"


@dataclass(frozen=True, slots=True)
class ChainEntry:
    """One pass on one function. `cost_ms` of a reused result is what it cost when it was made."""

    pass_id: str
    function: str
    key: str
    components: Components
    input_digest: str
    output_digest: str
    status: Status
    reason: str = ""
    cost_ms: float = 0.0
    diagnostics: tuple[Diagnostic, ...] = ()
    facts: Components = ()


@dataclass(frozen=True, slots=True)
class ChainRecord:
    """The entries of one source in the order in which they were made; `source_id` is any stable name of the source.

    `build` counts the runs over the source that were recorded; it decides which results the next one checks.
    """

    source_id: str
    entries: tuple[ChainEntry, ...]
    build: int = 0


def chain_name(source_id: str) -> str:
    """The file name under which the chain of a source is kept."""
    return hashlib.sha256(source_id.encode("utf-8", "surrogatepass")).hexdigest()


def encode_chain(chain: ChainRecord) -> bytes:
    """The sealed, compressed file of a chain."""
    shared = _SharedValues()
    entries = [_plain_entry(entry, shared) for entry in chain.entries]
    text = dump_json({"source": chain.source_id, "build": chain.build, "values": shared.plain, "entries": entries})
    return seal(_MAGIC, pack(text.encode()))


def decode_chain(content: bytes) -> ChainRecord | None:
    """The chain in `content`, or None when it is damaged or of another format."""
    packed = unseal(_MAGIC, content)
    if packed is None:
        return None
    text = unpack(packed, unpacked_size(packed) or 0)
    if text is None:
        return None
    try:
        main = cast("dict[str, object]", json.loads(text))
        values = [from_plain(value) for value in cast("list[object]", main["values"])]
        entries = tuple([_entry_from(entry, values) for entry in cast("list[list[object]]", main["entries"])])
        return ChainRecord(str(main["source"]), entries, int(cast("int", main["build"])))
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None  # sealed, but not by us


class _SharedValues:
    """A table of component values: most are the same for all functions of a pass, or all passes of a function."""

    def __init__(self) -> None:
        self.plain: list[object] = []
        self._places: dict[object, int] = {}

    def place(self, value: ComponentValue) -> int:
        """The index of `value` in the table."""
        # a frozen container is the same object wherever a key prefix put it; equal ones need not be found
        identity = (type(value), value) if isinstance(value, (str, int)) else id(value)
        place = self._places.get(identity)
        if place is None:
            place = self._places[identity] = len(self.plain)
            self.plain.append(to_plain(value))
        return place


def _plain_entry(entry: ChainEntry, shared: _SharedValues) -> list[object]:
    return [
        entry.pass_id,
        entry.function,
        entry.key,
        [[name, shared.place(value)] for name, value in entry.components],
        entry.input_digest,
        entry.output_digest,
        entry.status.value,
        entry.reason,
        entry.cost_ms,
        [plain_diagnostic(diagnostic) for diagnostic in entry.diagnostics],
        [[name, to_plain(value)] for name, value in entry.facts],
    ]


def _entry_from(plain: list[object], values: list[ComponentValue]) -> ChainEntry:
    pass_id, function, key, components, entered, left, status, reason, cost_ms, diagnostics, facts = plain
    return ChainEntry(
        str(pass_id),
        str(function),
        str(key),
        tuple([(name, values[place]) for name, place in cast("list[tuple[str, int]]", components)]),
        str(entered),
        str(left),
        Status(status),
        reason=str(reason),
        cost_ms=float(cast("float", cost_ms)),
        diagnostics=tuple([diagnostic_from(one) for one in cast("list[object]", diagnostics)]),
        facts=tuple([(name, from_plain(value)) for name, value in cast("list[tuple[str, object]]", facts)]),
    )

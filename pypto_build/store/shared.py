# SPDX-License-Identifier: Apache-2.0
"""A store of a plugin behind the local one: what is not here is asked there, what is made here is put there as well.

The local store stays the one that answers; the other is asked once for each thing, and what it gives is checked before
it is believed and kept. Chains are not shared: they are about the last run on this machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from pypto_build.store.body import body_ref
from pypto_build.store.chain import ChainRecord
from pypto_build.store.interface import Mode, Put, Store
from pypto_build.store.record import BodyRef, Record

SHARED_VARIABLE = "PYPTO_BUILD_SHARED_STORE"


def shared_store(environ: Mapping[str, str], argument: str | None = None) -> str:
    """The argument, else PYPTO_BUILD_SHARED_STORE: `NAME:LOCATION`, the name being that of a plugin's store."""
    return argument or environ.get(SHARED_VARIABLE, "")


class SharedStore:
    """The local store, and another one behind it. Each call of the other is made in a block that `guard` gives."""

    def __init__(self, local: Store, far: Store, guard: Callable[[], AbstractContextManager[None]]) -> None:
        self._local = local
        self._far = far
        self._guard = guard

    @property
    def mode(self) -> Mode:
        """That of the local store, which holds for both."""
        return self._local.mode

    def get_record(self, key: str) -> Record | None:
        """See Store; a record that comes from there is kept here."""
        found = self._local.get_record(key)
        if found is not None or not self.mode.reuses:
            return found
        with self._guard():
            found = self._far.get_record(key)
        if found is None or found.key != key:
            return None
        if self.mode.writes:
            self._local.put_record(found)
        return found

    def put_record(self, record: Record) -> Put:
        """See Store; what became of it here."""
        if self.mode.writes:
            with self._guard():
                self._far.put_record(record)
        return self._local.put_record(record)

    def get_body(self, ref: BodyRef) -> bytes | None:
        """See Store; a body that comes from there is kept here, and one that is not what it should be is none."""
        found = self._local.get_body(ref)
        if found is not None or self.mode is Mode.OFF:
            return found
        with self._guard():
            found = self._far.get_body(ref)
        if found is None or body_ref(found) != ref:
            return None
        if self.mode.writes:
            self._local.put_body(found)
        return found

    def put_body(self, data: bytes) -> BodyRef:
        """See Store."""
        if self.mode.writes:
            with self._guard():
                self._far.put_body(data)
        return self._local.put_body(data)

    def missing(self, refs: tuple[BodyRef, ...]) -> tuple[BodyRef, ...]:
        """See Store: those that neither has."""
        lacking = self._local.missing(refs)
        if not lacking:
            return ()
        with self._guard():
            return self._far.missing(lacking)

    def get_chain(self, source_id: str) -> ChainRecord | None:
        """See Store; from here."""
        return self._local.get_chain(source_id)

    def put_chain(self, chain: ChainRecord) -> None:
        """See Store; here."""
        self._local.put_chain(chain)

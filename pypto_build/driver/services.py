# SPDX-License-Identifier: Apache-2.0
"""What a process keeps between compilations: for each store its fingerprints and the keys of whole objects."""

from __future__ import annotations

import atexit
import time
from functools import cache
from pathlib import Path

from pypto_build.driver.deep import DeepKeys, fingerprinter, implementation_digest
from pypto_build.store.interface import Store, mode_named
from pypto_build.store.layout import StoreLayout
from pypto_build.store.local import LocalStore


class Services:
    """The store and the fingerprints of one store directory and mode, for the life of the process."""

    def __init__(self, root: str, mode: str) -> None:
        self._mode = mode_named(mode)
        self.store: Store = LocalStore(Path(root), mode=self._mode)
        self.fingerprints = fingerprinter(StoreLayout(Path(root)).index)
        self.deep = DeepKeys(self.store, self.fingerprints, implementation_digest(self.fingerprints))
        self.started_ns = time.time_ns()
        atexit.register(self.remember)

    def may_keep(self) -> bool:
        """Whether the code that this process runs is still the code that the fingerprints speak of."""
        return not self.fingerprints.changed_since(self.started_ns)

    def remember(self) -> None:
        """Keep what was learned about files, so that the next process need not read them."""
        if self._mode.writes:
            self.fingerprints.save()


@cache
def _kept_services(root: str, mode: str) -> Services:
    return Services(root, mode)


def services_of(root: str, mode: str) -> Services | None:
    """Those of a store and mode, always the same; None without a store."""
    return None if mode == "off" or not root else _kept_services(root, mode)

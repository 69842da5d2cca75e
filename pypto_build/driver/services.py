# SPDX-License-Identifier: Apache-2.0
"""What a process keeps between compilations: for each store its fingerprints and the keys of whole objects."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import cast

from pypto_build.driver.deep import DeepKeys, fingerprinter, implementation_digest
from pypto_build.driver.request import CompileRequest
from pypto_build.errors import UserError
from pypto_build.host import HostOptions, Kind, PluginHost, attributed
from pypto_build.store.interface import Store, mode_named
from pypto_build.store.layout import StoreLayout
from pypto_build.store.local import LocalStore
from pypto_build.store.shared import SharedStore

_ANY_PLUGINS = HostOptions()


class Services:
    """The store and the fingerprints of one store directory and mode, for the life of the process.

    `shared` is `NAME:LOCATION` of a plugin's store behind the local one, or empty; `host` says which plugins there are.
    """

    def __init__(self, root: str, mode: str, *, shared: str = "", host: HostOptions = _ANY_PLUGINS) -> None:
        self._mode = mode_named(mode)
        local = LocalStore(Path(root), mode=self._mode)
        self.store: Store = _shared(local, shared, host) if shared else local
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
def _kept_services(root: str, mode: str, shared: str, host: HostOptions) -> Services:
    return Services(root, mode, shared=shared, host=host)


def services_of(request: CompileRequest) -> Services | None:
    """Those that a request asks for, the same for the same store and mode; None without a store.

    Raises:
        UserError: no plugin provides the shared store, or the local one cannot be used.
    """
    if request.store_mode == "off" or not request.store:
        return None
    return _kept_services(request.store, request.store_mode, request.shared_store, request.host)


def _shared(local: LocalStore, shared: str, options: HostOptions) -> Store:
    name, colon, location = shared.partition(":")
    if not colon or not name:
        raise UserError(
            "STORE014", f"`{shared}` is no shared store", help="write NAME:LOCATION, such as team:/mnt/cache"
        )
    host = PluginHost(options)
    contribution = host.find(Kind.STORE, name)
    make = cast(Callable[[str], Store], host.load(contribution))
    with attributed(contribution):
        return SharedStore(local, make(location), lambda: attributed(contribution))

# SPDX-License-Identifier: Apache-2.0
"""The parts behind a fingerprint, one small file per fingerprint, so that `explain` can name the file that changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pypto_build.store.encoding import Components, components_from_json, components_to_json
from pypto_build.store.key import is_digest
from pypto_build.store.publish import publish
from pypto_build.store.sealed import seal, unseal

_MAGIC = b"pypto-build fingerprint 1"


class FingerprintManifests:
    """A directory of manifests, named by the digest of the fingerprint and written once."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def save(self, made: Mapping[str, Components]) -> None:
        """Write those that are not there yet; OSError when the place cannot be written."""
        try:
            present = {path.name for path in self._directory.iterdir()}
        except OSError:
            present = set[str]()
        for digest in made.keys() - present:
            content = seal(_MAGIC, components_to_json(made[digest]).encode())
            publish(f"{self._directory}/{digest}", content, staging=str(self._directory.parent))

    def load(self, digest: str) -> Components | None:
        """The parts of a fingerprint; None when they are not on record or damaged."""
        if not is_digest(digest):
            return None
        try:
            payload = unseal(_MAGIC, (self._directory / digest).read_bytes())
        except OSError:
            return None
        return None if payload is None else components_from_json(payload.decode())

# SPDX-License-Identifier: Apache-2.0
"""What code is, by its content: the part of a key that changes when an implementation changes.

A module counts with every module of the given packages that it imports, directly or not; other packages count by their
distribution, the standard library by the version of Python. No time stamp, path or environment variable enters.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from pypto_build.errors import UserError
from pypto_build.store.code_tree import tree_files
from pypto_build.store.difference import Difference, first_difference
from pypto_build.store.distributions import Distributions
from pypto_build.store.encoding import Components, encode
from pypto_build.store.file_index import FileIndex
from pypto_build.store.fingerprint_manifests import FingerprintManifests
from pypto_build.store.import_closure import Closure, ImportClosure
from pypto_build.store.module_finder import Listings, ModuleFinder

_PYTHON = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The digest that goes into a key, the named digests that it covers, and the files that were looked at."""

    digest: str
    parts: Components
    files: tuple[str, ...]


class Fingerprinter:
    """Fingerprints for one process.

    `roots` maps the packages whose modules are followed to their directories (see `package_roots`). Nothing is
    imported. Modules and distributions are looked at once, because a process does not load them twice either; other
    files are looked at whenever they are asked for. After a first run a start only lists directories and stats files;
    call `save` to keep what was learned.
    """

    def __init__(
        self,
        index_path: Path,
        roots: Mapping[str, Path],
        *,
        search_path: Sequence[str] | None = None,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self.index = FileIndex(index_path, now_ns=now_ns)
        self._roots = dict(roots)
        self._listings = Listings()
        places = sys.path if search_path is None else search_path
        self._distributions = Distributions([place for place in places if place], self.index, self._listings)
        self._manifests = FingerprintManifests(index_path.parent / "manifests")
        self._modules = ImportClosure(ModuleFinder(self._roots, self._listings), self.index)
        self._made: dict[str, Fingerprint] = {}

    def module(self, name: str) -> Fingerprint:
        """Of the module `name` of one of the roots and all that it imports."""
        if not self.knows(name):
            known = ", ".join(sorted(self._roots)) or "none"
            raise UserError("STORE004", f"module {name} is in none of the packages to fingerprint ({known})")
        return self._remember(f"module {name}", lambda: self._of_closure(self._modules.of_module(name)))

    def knows(self, name: str) -> bool:
        """Whether `module` can answer: whether one of the roots has a module of that name."""
        return self._modules.finder.find(name) is not None

    def file(self, path: str | Path) -> Fingerprint:
        """Of a source outside all packages, such as a local plugin, and what it imports from the roots or beside it."""
        absolute = os.path.abspath(path)
        digest = self.content(absolute)
        finder = ModuleFinder(self._roots, Listings(), local=os.path.dirname(absolute))
        closure = ImportClosure(finder, self.index, base=self._modules).of_file(absolute)
        own: Components = ((f"file {os.path.basename(absolute)}", digest),)
        return self._replace(f"file {absolute}", self._of_closure(closure, own, (absolute,)))

    def content(self, path: str | Path) -> str:
        """The SHA-256 of one file, whatever it holds."""
        absolute = os.path.abspath(path)
        self.index.forget(absolute)
        try:
            return self.index.digest(absolute)
        except OSError as error:
            raise UserError("STORE005", f"cannot read {path}: {error.strerror}") from error

    def distribution(self, name: str) -> Fingerprint:
        """Of an installed distribution: its RECORD, or its tree when it is an editable installation."""
        return self._remember(f"distribution {name}", lambda: self._of_distribution(name))

    def tree(self, path: str | Path) -> Fingerprint:
        """Of all files below a directory, by their relative names."""
        root = os.path.abspath(path)
        files = tree_files(root, only_code=False)
        parts = tuple((name, self.content(file)) for name, file in files)
        return self._replace(f"tree {root}", _fingerprint(parts, tuple(file for _, file in files)))

    def changed_since(self, moment_ns: int) -> tuple[str, ...]:
        """The files behind all fingerprints so far that were written at or after `moment_ns`.

        A process that started at that moment may have loaded another text than the one fingerprinted; what it makes
        must not be stored.
        """
        if self.index.latest_ns < moment_ns:
            return ()
        files = {file for made in self._made.values() for file in made.files}
        return tuple(sorted(file for file in files if self.index.newest_ns(file) >= moment_ns))

    def save(self) -> bool:
        """Keep what was learned for the next start; False when the place cannot be written, which only costs time."""
        try:
            self.index.save()
            self._manifests.save({made.digest: made.parts for made in self._made.values()})
        except OSError:
            return False
        return True

    def difference(self, old: str, new: str) -> Difference | None:
        """The first file or distribution in which two fingerprints differ, if both are still on record."""
        before, after = self._manifests.load(old), self._manifests.load(new)
        return None if before is None or after is None else first_difference(before, after)

    def _remember(self, subject: str, make: Callable[[], Fingerprint]) -> Fingerprint:
        found = self._made.get(subject)
        if found is None:
            found = self._made[subject] = make()
        return found

    def _replace(self, subject: str, made: Fingerprint) -> Fingerprint:
        self._made[subject] = made
        return made

    def _of_distribution(self, name: str) -> Fingerprint:
        found = self._distributions.parts(name)
        if found is None:
            raise UserError("STORE006", f"distribution {name} is not installed")
        return _fingerprint(*found)

    def _of_closure(self, closure: Closure, parts: Components = (), files: tuple[str, ...] = ()) -> Fingerprint:
        collected = [("python", _PYTHON), *parts]
        opened = list(files)
        for name, path in closure.modules:
            collected.append((f"module {name}", self.index.digest(path)))
            opened.append(path)
        for name in closure.external:
            found = self._distributions.module_parts(name)
            inner: Components = () if found is None else found[0]
            collected.append((f"import {name}", _digest(inner) if found is not None else "absent"))
            opened.extend(() if found is None else found[1])
        return _fingerprint(tuple(collected), tuple(opened))


def _fingerprint(parts: Components, files: tuple[str, ...]) -> Fingerprint:
    return Fingerprint(_digest(parts), parts, files)


def _digest(parts: Components) -> str:
    return hashlib.sha256(b"pypto-build fingerprint 2\n" + encode(tuple(chain.from_iterable(parts)))).hexdigest()

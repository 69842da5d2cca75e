# SPDX-License-Identifier: Apache-2.0
"""Installed distributions by their metadata directories, without importing them or `importlib.metadata`.

A wheel is identified by its RECORD, which lists the SHA-256 of every file; an editable installation, whose RECORD does
not cover the sources, by its tree. A warm start reads neither: both go through the file index.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from typing import cast
from urllib.parse import unquote, urlsplit

from pypto_build.store.code_tree import tree_files
from pypto_build.store.encoding import Components
from pypto_build.store.file_index import FileIndex
from pypto_build.store.module_finder import Listings

_SUFFIX = ".dist-info"


class Distributions:
    """The distributions on a search path, in its order."""

    def __init__(self, search_path: Sequence[str], index: FileIndex, listings: Listings) -> None:
        self._search_path = search_path
        self._index = index
        self._listings = listings
        self._directories: dict[str, str] | None = None

    def parts(self, name: str) -> tuple[Components, tuple[str, ...]] | None:
        """What identifies distribution `name`, as named digests, and the files read; None when it is not installed."""
        directory = self._by_name().get(normalized(name))
        if directory is None:
            return None
        editable = self._editable_root(directory)
        if editable is not None:
            return self._tree_parts(editable)
        for metadata in ("RECORD", "METADATA"):
            path = f"{directory}/{metadata}"
            if os.path.isfile(path):
                return ((metadata, self._index.digest(path)),), (path,)
        return None

    def module_parts(self, top_level: str) -> tuple[Components, tuple[str, ...]] | None:
        """What identifies the distribution that provides a module: found by its name, else by the module's own file."""
        found = self.parts(top_level)
        if found is not None:
            return found
        for directory in self._search_path:
            path = self._listings.module_in(directory, top_level)
            if path is not None:
                return ((os.path.basename(path), self._index.digest(path)),), (path,)
        return None

    def _tree_parts(self, root: str) -> tuple[Components, tuple[str, ...]]:
        files = tree_files(root, only_code=True)
        return tuple((name, self._index.digest(path)) for name, path in files), tuple(path for _, path in files)

    def _by_name(self) -> dict[str, str]:
        if self._directories is None:
            self._directories = {}
            for place in self._search_path:
                for entry in self._listings.names(place):
                    if entry.endswith(_SUFFIX):
                        name = normalized(entry.removesuffix(_SUFFIX).partition("-")[0])
                        self._directories.setdefault(name, f"{place}/{entry}")
        return self._directories

    def _editable_root(self, directory: str) -> str | None:
        try:
            with open(f"{directory}/direct_url.json", "rb") as stream:
                origin = cast("object", json.load(stream))
        except (OSError, ValueError):
            return None
        match origin:
            case {"url": str(url), "dir_info": {"editable": True}} if url.startswith("file:"):
                return os.path.normpath(unquote(urlsplit(url).path))
            case _:
                return None


def normalized(name: str) -> str:
    """The form in which the names of distributions are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()

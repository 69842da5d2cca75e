# SPDX-License-Identifier: Apache-2.0
"""Which file holds a module, found by looking at directories; nothing is imported."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Mapping
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from pypto_build.errors import UserError


def package_roots(*names: str) -> Mapping[str, Path]:
    """Where the top-level packages or modules `names` live, as the running interpreter would find them."""
    roots: dict[str, Path] = {}
    for name in names:
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise UserError("STORE004", f"there is no package named {name!r} to fingerprint")
        if spec.submodule_search_locations:
            roots[name] = Path(next(iter(spec.submodule_search_locations)))
        elif spec.origin is not None:
            roots[name] = Path(spec.origin)
    return roots


class Listings:
    """The names in directories, each directory read once; a snapshot of one moment."""

    def __init__(self) -> None:
        self._names: dict[str, frozenset[str]] = {}

    def names(self, directory: str) -> frozenset[str]:
        """The entries of `directory`; empty when it cannot be read."""
        found = self._names.get(directory)
        if found is None:
            try:
                found = frozenset(os.listdir(directory))
            except OSError:
                found = frozenset[str]()
            self._names[directory] = found
        return found

    def module_in(self, directory: str, name: str) -> str | None:
        """The file of module `name` in `directory`, with the precedence of the interpreter."""
        names = self.names(directory)
        inner = f"{directory}/{name}"
        if name in names and "__init__.py" in self.names(inner):
            return f"{inner}/__init__.py"
        for suffix in (*EXTENSION_SUFFIXES, ".py"):
            if name + suffix in names:
                return f"{directory}/{name}{suffix}"
        return None

    def modules_in(self, directory: str) -> Iterable[str]:
        """The names of the modules and packages directly in `directory`, sorted."""
        stems = {name.partition(".")[0] for name in self.names(directory)}
        return sorted(stem for stem in stems if stem.isidentifier() and stem != "__init__")


class ModuleFinder:
    """Modules of the given roots (package name to directory or file), then of one directory of local files."""

    def __init__(self, roots: Mapping[str, Path], listings: Listings, *, local: str | None = None) -> None:
        self._roots = {name: os.path.abspath(path) for name, path in roots.items()}
        self._listings = listings
        self._local = local
        self._found: dict[str, str | None] = {}

    def find(self, module: str) -> str | None:
        """The file of the dotted name `module`; None when it is elsewhere or is a package without `__init__`."""
        if module not in self._found:
            self._found[module] = self._find(module)
        return self._found[module]

    def owns(self, top_level: str) -> bool:
        """Whether modules below `top_level` are looked for here."""
        if top_level in self._roots:
            return True
        return self._local is not None and self._is_local(self._local, top_level)

    def children(self, package: str) -> Iterable[str]:
        """The dotted names of the modules directly inside `package`."""
        path = self.find(package)
        if path is None or not path.endswith("/__init__.py"):
            return ()
        names = self._listings.modules_in(os.path.dirname(path))
        return [f"{package}.{name}" for name in names if self.find(f"{package}.{name}") is not None]

    def _is_local(self, directory: str, name: str) -> bool:
        names = self._listings.names(directory)
        if self._listings.module_in(directory, name) is not None:
            return True
        # a directory of modules without `__init__.py` is a package too
        return name in names and any(inner.endswith(".py") for inner in self._listings.names(f"{directory}/{name}"))

    def _find(self, module: str) -> str | None:
        top, *rest = module.split(".")
        root = self._roots.get(top)
        if root is None:
            if self._local is None:
                return None
            return self._below(self._local, [top, *rest])
        if not rest:
            if root.endswith(".py"):
                return root
            return f"{root}/__init__.py" if "__init__.py" in self._listings.names(root) else None
        return self._below(root, rest)

    def _below(self, directory: str, parts: list[str]) -> str | None:
        return self._listings.module_in("/".join([directory, *parts[:-1]]), parts[-1])

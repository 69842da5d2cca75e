# SPDX-License-Identifier: Apache-2.0
"""Everything that a module imports, transitively: modules whose files are followed, and names of other packages."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from pypto_build.store.code_tree import tree_files
from pypto_build.store.file_index import FileIndex
from pypto_build.store.import_scan import Import
from pypto_build.store.module_finder import ModuleFinder


@dataclass(frozen=True, slots=True)
class Closure:
    """Modules with their files, and top-level names that are neither followed nor of the standard library; sorted."""

    modules: tuple[tuple[str, str], ...]
    external: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Direct:
    modules: frozenset[str]
    external: frozenset[str]


class ImportClosure:
    """The import graph over one finder; the direct imports of each module are worked out once.

    With a `base`, modules that it finds are taken from there as they were found, all others are looked at anew.
    """

    def __init__(self, finder: ModuleFinder, index: FileIndex, *, base: ImportClosure | None = None) -> None:
        self.finder = finder
        self._index = index
        self._base = base
        self._direct: dict[str, _Direct] = {}

    def of_module(self, name: str) -> Closure:
        """`name`, the packages around it, and all that they import."""
        return self._reach(self._with_parents(name), set())

    def of_file(self, path: str) -> Closure:
        """What the file at `path` imports; the file itself is not in the answer."""
        direct = self._imports_of("", path)
        return self._reach(direct.modules, set(direct.external))

    def _reach(self, start: Iterable[str], external: set[str]) -> Closure:
        reached: dict[str, str] = {}
        waiting = list(start)
        while waiting:
            name = waiting.pop()
            path = self.finder.find(name) if name not in reached else None
            if path is None:
                continue
            reached[name] = path
            direct = self._direct_of(name, path)
            waiting.extend(direct.modules - reached.keys())
            external |= direct.external
        return Closure(tuple(sorted(reached.items())), tuple(sorted(external)))

    def _direct_of(self, name: str, path: str) -> _Direct:
        if self._base is not None and self._base.finder.find(name) == path:
            return self._base._direct_of(name, path)
        direct = self._direct.get(name)
        if direct is None:
            if self._base is not None:
                self._index.forget(path)
            direct = self._direct[name] = self._imports_of(name, path)
        return direct

    def _imports_of(self, name: str, path: str) -> _Direct:
        """The direct imports of the module `name` in `path`; a file outside packages has the name ''."""
        if not path.endswith(".py"):
            return _Direct(frozenset(), frozenset())
        package = name if path.endswith("/__init__.py") else name.rpartition(".")[0]
        imports = self._index.imports(path)
        modules: set[str] = set()
        external: set[str] = set()
        for statement in imports.statements:
            target = _absolute(statement, package)
            top = target.partition(".")[0]
            if self.finder.owns(top):
                modules.update(self._targets(target, statement.names))
            elif top and top not in sys.stdlib_module_names:
                external.add(top)
        if imports.computed:
            modules.update(self._beside(package, path))
        return _Direct(frozenset(modules), frozenset(external))

    def _targets(self, target: str, names: tuple[str, ...]) -> Iterable[str]:
        yield from self._with_parents(target)
        for name in names:
            # `from package import name` imports a submodule if there is one of that name
            if name == "*":
                yield from self.finder.children(target)
            elif self.finder.find(f"{target}.{name}") is not None:
                yield f"{target}.{name}"

    def _with_parents(self, name: str) -> Iterable[str]:
        steps = name.split(".")
        for count in range(1, len(steps) + 1):
            module = ".".join(steps[:count])
            if self.finder.find(module) is not None:
                yield module

    def _beside(self, package: str, path: str) -> Iterable[str]:
        """All modules in and below the directory of `path`: any of them may be imported by a computed name."""
        for relative, _ in tree_files(os.path.dirname(path), only_code=True):
            module = relative.partition(".")[0].removesuffix("/__init__").replace("/", ".")
            full = package if module == "__init__" else f"{package}.{module}".lstrip(".")
            if self.finder.find(full) is not None:
                yield full


def _absolute(statement: Import, package: str) -> str:
    """The dotted name that an import refers to when it stands in `package`; '' when it leads out of all packages."""
    if statement.level == 0:
        return statement.module
    steps = package.split(".") if package else []
    if statement.level > len(steps):
        return ""
    kept = steps[: len(steps) - statement.level + 1]
    return ".".join([*kept, statement.module] if statement.module else kept)

# SPDX-License-Identifier: Apache-2.0
"""`import pypto` answered by this project: modules that take their names from where the table says, when asked."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType, TracebackType
from typing import Any, cast

from pypto_build.compat.modules import ATTRIBUTES, MODULES
from pypto_build.compat.patches import PATCHES

PACKAGE = "pypto"


class PublicModule(ModuleType):
    """A module whose names are found when they are first used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":
            raise AttributeError(name)
        found = self._find(name)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        names: set[str] = set(ATTRIBUTES.get(self.__name__, {}))
        for row in MODULES[self.__name__]:
            source, _, listed = row.partition(": ")
            names.update(_names(_source(source)) if listed == "*" else listed.split())
        return sorted(names | set(vars(self)))

    def _find(self, name: str) -> object:
        module = ATTRIBUTES.get(self.__name__, {}).get(name)
        if module is not None:
            return importlib.import_module(module)
        for row in MODULES[self.__name__]:
            source, _, listed = row.partition(": ")
            if listed != "*" and name not in listed.split():
                continue
            found = _lookup(_source(source), name)
            if found is not _ABSENT:
                return found
        if f"{self.__name__}.{name}" in MODULES:
            return importlib.import_module(f"{self.__name__}.{name}")
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


_ABSENT = object()


def _lookup(source: object, name: str) -> object:
    if isinstance(source, ModuleType):
        return getattr(source, name, _ABSENT)
    try:
        return source[name]  # type: ignore[index]  # a table of the room
    except KeyError:
        return _ABSENT


def _names(source: object) -> list[str]:
    return list(cast("dict[str, object]", source)) if isinstance(source, dict) else dir(source)


def _source(text: str) -> object:
    """`.ir` -> pypto_build.ir, `core` -> a module of this room, `core.CLASSES` -> a table in one."""
    if text.startswith("."):
        return importlib.import_module(f"pypto_build{text}")
    module, _, table = text.partition(".")
    found = importlib.import_module(f"pypto_build.compat.{module}")
    return getattr(found, table) if table else found


class PublicFinder:
    """Finds and makes the modules of the table."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module of the table, None for anything else."""
        del path, target
        if fullname not in MODULES:
            return None
        made = ModuleSpec(fullname, self, origin=__file__, is_package=True)  # type: ignore[arg-type]  # has a loader's methods
        made.has_location = True  # tools ask modules for their file
        return made

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty module."""
        return PublicModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run."""


class Installation:
    """What `install` did; leaving it as a context manager undoes it."""

    def __init__(self, finder: PublicFinder) -> None:
        self._finder = finder

    def uninstall(self) -> None:
        """Forget the package and take back every patch."""
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
            PATCHES.undo()
            for name in [name for name in sys.modules if name == PACKAGE or name.startswith(f"{PACKAGE}.")]:
                del sys.modules[name]

    def __enter__(self) -> Installation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.uninstall()


def install() -> Installation:
    """Make `import pypto` find this project; the same installation when it is there already.

    Raises:
        RuntimeError: another `pypto` has been imported.
    """
    for finder in sys.meta_path:
        if isinstance(finder, PublicFinder):
            return Installation(finder)
    if PACKAGE in sys.modules:
        raise RuntimeError("another pypto has been imported already: install pypto_build.compat before it")
    made = PublicFinder()
    sys.meta_path.insert(0, made)
    PATCHES.apply()
    return Installation(made)

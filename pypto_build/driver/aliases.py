# SPDX-License-Identifier: Apache-2.0
"""`import pypto.language` answered by our own language while a source is loaded, and as before afterwards."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import MappingProxyType, ModuleType

PACKAGE = "pypto"
MODULES: Mapping[str, str] = MappingProxyType(
    {
        "pypto.language": "pypto_build.dsl.language",
        "pypto.language.distributed": "pypto_build.dsl.language.distributed",
        "pypto.runtime": "pypto_build.dsl.language.runtime",
    }
)


class _Alias(Loader):
    """Gives an imported module under another name."""

    def __init__(self, target: str | None) -> None:
        self._target = target

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module itself, or an empty package."""
        return importlib.import_module(self._target) if self._target is not None else ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: it was imported under its own name."""


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of an alias, or None."""
        del path, target
        if fullname == PACKAGE:
            return ModuleSpec(fullname, _Alias(None), is_package=True)
        known = MODULES.get(fullname)
        return ModuleSpec(fullname, _Alias(known), is_package=True) if known is not None else None


@contextmanager
def answering_pypto() -> Generator[None]:
    """Until the end of the block, sources that say `import pypto.language as pl` get ours."""
    finder = _Finder()
    hidden = {name: module for name, module in sys.modules.items() if _is_ours(name)}
    for name in hidden:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if _is_ours(name)]:
            del sys.modules[name]
        sys.modules.update(hidden)


def _is_ours(name: str) -> bool:
    return name == PACKAGE or name.startswith(f"{PACKAGE}.")

# SPDX-License-Identifier: Apache-2.0
"""Importing a plugin that is a file or a package of the user's project, not an installed distribution.

Its module name carries a digest of its text: two projects may both have a `my_passes.py`, and a process that lives
longer than an edit loads the edited text, not what it loaded before.
"""

from __future__ import annotations

import hashlib
import sys
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from pypto_build.host.fresh_source import FreshSourceLoader
from pypto_build.host.plugin import Candidate, Source
from pypto_build.host.static import find_module_file, plugin_file


def source_files(path: Path) -> tuple[Path, ...]:
    """Every file whose text a local plugin consists of."""
    return tuple(sorted(path.rglob("*.py"))) if path.is_dir() else (path,)


def source_digest(path: Path) -> str:
    """SHA-256 over the names and texts of a plugin's files; where it lies does not matter."""
    digest = hashlib.sha256()
    root = path if path.is_dir() else path.parent
    for file in source_files(path):
        data = file.read_bytes()
        name = file.relative_to(root).as_posix().encode()
        digest.update(b"%d:%s%d:" % (len(name), name, len(data)))
        digest.update(data)
    return digest.hexdigest()


def plugin_digest(candidate: Candidate) -> str | None:
    """The digest of a plugin's own code, read without importing it: of its file, or of all of its top-level package.

    None when there is no such code.
    """
    if candidate.source is Source.LOCAL:
        return source_digest(Path(candidate.location))
    top = candidate.location.partition(":")[0].partition(".")[0]
    file = find_module_file(top)
    if file is None:
        return None
    return source_digest(file.parent if file.name == "__init__.py" else file)


def import_local(path: Path) -> ModuleType:
    """Import a local plugin; the same text at the same place is imported once."""
    place = hashlib.sha256(str(path.resolve()).encode()).hexdigest()
    name = f"pypto_local_{path.stem}_{place[:6]}{source_digest(path)[:10]}"
    loaded = sys.modules.get(name)
    if loaded is not None:
        return loaded
    module = module_from_spec(_spec(name, path))
    sys.modules[name] = module
    try:
        _execute(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _spec(name: str, path: Path) -> ModuleSpec:
    file = str(plugin_file(path))
    search = [str(path)] if path.is_dir() else None
    spec = spec_from_file_location(name, file, loader=FreshSourceLoader(name, file), submodule_search_locations=search)
    if spec is None:
        raise ImportError(f"{file} is not a Python module")
    return spec


def _execute(module: ModuleType) -> None:
    spec = module.__spec__
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(module)

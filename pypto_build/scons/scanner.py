# SPDX-License-Identifier: Apache-2.0
"""Which other files a source or a pipeline reads: imported local modules, `extends` chains, local plugins."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import Any

from pypto_build.scons.modules import scons
from pypto_build.store.import_scan import scan_imports

# `extends: base.yaml` and the items of `plugins: [./a.py]`: enough to find files; the real reader checks the rest
_EXTENDS = re.compile(r"^extends:\s*['\"]?([^'\"#\s]+)", re.MULTILINE)
_PLUGIN = re.compile(r"['\"\s,\[-](\.{1,2}/[^'\"#\s,\]]+)")
_MAX_CHAIN = 32


def source_scanner() -> Any:
    """The SCons scanner of sources."""
    scanners = scons("Scanner")

    return scanners.ScannerBase(
        scan_source, name="PtoScanner", skeys=[".py"], path_function=scanners.FindPathDirs("PTOPATH"), recursive=True
    )


def scan_source(node: Any, env: Any, path: tuple[Any, ...]) -> list[Any]:
    """The nodes of the local modules that a source imports, sorted."""
    if not str(node).endswith(".py"):
        return []
    directories = (node.srcnode().get_dir(), *path)
    found: dict[str, Any] = {}
    for name in sorted(imported_modules(node.get_text_contents())):
        relative = name.replace(".", "/")
        for candidate in (f"{relative}.py", f"{relative}/__init__.py"):
            file = env.FindFile(candidate, directories)
            if file is not None:
                found[str(file)] = file
                break
    return [found[key] for key in sorted(found)]


def imported_modules(text: str) -> set[str]:
    """The absolute names that a module may import."""
    names: set[str] = set()
    for one in scan_imports(text.encode("utf-8", "surrogatepass")).statements:
        if one.module:
            names |= {one.module, *(f"{one.module}.{name}" for name in one.names)}
    return names


def pipeline_file(spec: str, env: Any) -> str | None:
    """The absolute path that a pipeline spec names, its variant aside; None for the name of a shipped pipeline.

    A path is relative to the directory of the SConstruct, wherever the builder is called.
    """
    path, at, variant = spec.partition("@")
    top = env.Dir("#").get_abspath()
    absolute = os.path.normpath(os.path.join(top, path.removeprefix("#").lstrip("/") if path[:1] == "#" else path))
    return absolute + at + variant if path.endswith((".yaml", ".yml")) else None


@cache
def pipeline_inputs(path: str) -> tuple[str, ...]:
    """The files that a pipeline file reads: those that it extends and its local plugins, as absolute paths."""
    found: list[str] = []
    current = path
    for _ in range(_MAX_CHAIN):
        if (text := _read(current)) is None:
            break
        base = os.path.dirname(current)
        found += [os.path.normpath(os.path.join(base, p)) for p in _PLUGIN.findall(text)]
        extends = _EXTENDS.search(text)
        following = os.path.normpath(os.path.join(base, extends[1])) if extends else None
        if following is None or following in found or not os.path.isfile(following):
            break
        found.append(following)
        current = following
    return tuple(p for p in dict.fromkeys(found) if os.path.exists(p))


def _read(path: str | None) -> str | None:
    try:
        with open(path or "", encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None

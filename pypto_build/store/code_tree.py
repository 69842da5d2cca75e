# SPDX-License-Identifier: Apache-2.0
"""Which files of a directory tree count when the tree is fingerprinted."""

from __future__ import annotations

import os
from collections.abc import Iterator

_CODE = (".py", ".so", ".pyd", ".dll", ".dylib")
_SKIPPED_DIRECTORIES = frozenset({"__pycache__", "node_modules"})


def tree_files(root: str, *, only_code: bool) -> tuple[tuple[str, str], ...]:
    """Relative POSIX name and path of each file below the absolute path `root`, sorted by name.

    Hidden files, byte code, virtual environments and links to directories never count. With `only_code`, data files
    count only inside Python packages: the working tree of an editable installation also holds build products and
    documents, and a build must not invalidate itself.
    """
    found: list[tuple[str, str]] = []
    packages: set[str] = set()
    for directory, names in _walk(root):
        if "__init__.py" in names or os.path.dirname(directory) in packages:
            packages.add(directory)
        for name in names:
            if not only_code or directory in packages or name.endswith(_CODE):
                path = f"{directory}/{name}"
                found.append((path[len(root) + 1 :].replace(os.sep, "/"), path))
    return tuple(sorted(found))


def _walk(root: str) -> Iterator[tuple[str, list[str]]]:
    for directory, children, names in os.walk(root):
        if "pyvenv.cfg" in names:
            children.clear()
            continue
        children[:] = [name for name in children if not name.startswith(".") and name not in _SKIPPED_DIRECTORIES]
        yield directory, [name for name in names if not name.startswith(".") and not name.endswith((".pyc", "~"))]

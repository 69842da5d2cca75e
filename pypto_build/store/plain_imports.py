# SPDX-License-Identifier: Apache-2.0
"""The imports of a source whose every import is a line of its own, read without parsing the rest.

A fingerprint covers hundreds of modules and most of them import in one plain way; parsing them all would be the longest
part of a first build. Whatever is not plain beyond doubt gets no answer here and is parsed.
"""

from __future__ import annotations

import re

IMPORTERS = ("import_module", "__import__")
DISCOVERERS = ("iter_modules", "walk_packages")
"""Functions that import what their argument names, and functions that find what there is to import."""

_NAMES = rb"[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?)*"
_STATEMENT = re.compile(
    rb"^[ \t]*(?:import[ \t]+(?P<modules>" + _NAMES + rb")"
    rb"|from[ \t]+(?P<dots>\.*)(?P<base>[\w.]*)[ \t]+import[ \t]+"
    rb"(?:\((?P<listed>[\w\s,]*)\)|(?P<names>\*|" + _NAMES + rb")))[ \t]*(?:#[^\r\n]*)?\r?$",
    re.MULTILINE,
)
_WORD = re.compile(rb"\bimport\b")
_NOT_PLAIN = re.compile("|".join((*IMPORTERS, *DISCOVERERS, "TYPE_CHECKING", "coding[:=]", r"\f", "'''")).encode())


def plain_imports(source: bytes) -> tuple[tuple[str, int, tuple[str, ...]], ...] | None:
    """Module, level and names of each import in the order of the text; None when only a parser can tell."""
    if _NOT_PLAIN.search(source) is not None or any(map(_WORD.search, source.split(b'"""')[1::2])):
        return None
    found: dict[tuple[str, int, tuple[str, ...]], None] = {}
    explained = 0
    for match in _STATEMENT.finditer(source):
        explained += len(_WORD.findall(match[0]))
        modules, dots, base, listed, names = (part.decode() if part is not None else "" for part in match.groups())
        if modules:
            found.update(((module, 0, ()), None) for module in _names(modules))
        else:
            found[base, len(dots), _names(listed or names)] = None
    return tuple(found) if explained == len(_WORD.findall(source)) else None


def _names(text: str) -> tuple[str, ...]:
    """The imported names of a list with or without `as`."""
    return tuple(words[0] for item in text.split(",") if (words := item.split()))

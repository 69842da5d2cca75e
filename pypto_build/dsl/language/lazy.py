# SPDX-License-Identifier: Apache-2.0
"""Names of `pl` that are loaded when they are first used: decorators, text entry, namespaces, operations."""

from __future__ import annotations

import importlib
from typing import Final

from pypto_build.dsl.language.kernel import KERNEL
from pypto_build.dsl.language.operations import operation
from pypto_build.dsl.unified import PROMOTED, UNIFIED

_PACKAGE: Final = "pypto_build.dsl.language"
_ELSEWHERE: Final = {
    "InlineFunction": "pypto_build.dsl.inline",
    "JITFunction": "pypto_build.dsl.jit.function",
    "function": "pypto_build.dsl.decorators",
    "inline": "pypto_build.dsl.decorators",
    "jit": "pypto_build.dsl.jit.decorator",
    "loads": "pypto_build.dsl.text",
    "loads_program": "pypto_build.dsl.text",
    "parse": "pypto_build.dsl.text",
    "parse_program": "pypto_build.dsl.text",
    "program": "pypto_build.dsl.decorators",
}
_MODULES: Final = ("adir", "array", "distributed", "optimizations", "prefetch", "system", "tensor", "tile")

LAZY: Final = (*_ELSEWHERE, *_MODULES, *KERNEL, *UNIFIED, *PROMOTED)


def find(name: str) -> object:
    """The `__getattr__` of `pl`; AttributeError for a name that the language does not have."""
    if name in KERNEL:
        return KERNEL[name]
    if name in _MODULES:
        return importlib.import_module(f"{_PACKAGE}.{name}")
    if name in _ELSEWHERE:
        return getattr(importlib.import_module(_ELSEWHERE[name]), name)
    found = None if name.startswith("_") else operation(("pl", name))
    if found is None:
        raise AttributeError(f"pl has no attribute {name!r}")
    return found


def names() -> list[str]:
    """The `__dir__` of `pl`."""
    return sorted({*importlib.import_module(_PACKAGE).__all__})

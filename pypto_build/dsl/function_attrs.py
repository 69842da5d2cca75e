# SPDX-License-Identifier: Apache-2.0
"""Attributes of functions: what `attrs=` of the decorator and `pl.func_attr({...})` may hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import NoReturn, cast

from pypto_build.ir import ArgDirection, DataType, Expr, SplitMode, Var, collect

Refuse = Callable[[str], NoReturn]
DECORATOR_ONLY = ("auto_scope", "external_source")
_INTEGER_LISTS = ("arg_direction_overrides",)
_PLAIN = (bool, int, float, str, DataType, Enum)


def checked_attrs(given: object, *, refuse: Refuse, may_reference: bool) -> dict[str, object]:
    """The attributes as they are stored; `may_reference` allows variables, which a decorator cannot name."""
    if not isinstance(given, Mapping):
        refuse("Function attrs= must be a dict")
    result: dict[str, object] = {}
    for key, value in cast("Mapping[object, object]", given).items():
        if not isinstance(key, str):
            refuse("Function attrs= keys must be strings")
        stored = _value(key, value, refuse=refuse, may_reference=may_reference)
        if key == "split" and isinstance(stored, SplitMode):
            stored = stored.value
            if stored == SplitMode.NONE.value:
                continue
        result[key] = stored
    return result


def _value(key: str, value: object, *, refuse: Refuse, may_reference: bool) -> object:
    if isinstance(value, list | tuple):
        items = [_value(key, item, refuse=refuse, may_reference=may_reference) for item in cast("list[object]", value)]
        return _list(key, items, refuse=refuse)
    if isinstance(value, Expr):
        if not may_reference and collect(value, Var):
            refuse(f"Function attribute '{key}' references a variable, which a decorator cannot do")
        return value
    if value is None or isinstance(value, _PLAIN):
        return value
    unwrap = getattr(value, "unwrap", None)
    if unwrap is None:
        refuse(f"Unsupported value of type {type(value).__name__} for function attribute '{key}'")
    if getattr(value, "expr", None) is None:
        refuse(f"Function attribute '{key}' is an annotation-only {type(value).__name__}, which has no value")
    return _value(key, unwrap(), refuse=refuse, may_reference=may_reference)


def _list(key: str, items: list[object], *, refuse: Refuse) -> tuple[object, ...]:
    if all(isinstance(item, Var) for item in items) or all(isinstance(item, ArgDirection) for item in items):
        return tuple(items)
    if key in _INTEGER_LISTS and all(isinstance(item, int) for item in items):
        return tuple(items)
    refuse(
        f"Unsupported list element type for key: {key} (a list may hold Var or ArgDirection values; "
        f"integers only under: {', '.join(_INTEGER_LISTS)})"
    )

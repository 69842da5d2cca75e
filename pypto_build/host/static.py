# SPDX-License-Identifier: Apache-2.0
"""Reading a plugin's module without importing it: hooks that return literal dictionaries need no import."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from pypto_build.host.plugin import ModuleFacts
from pypto_build.host.registry import REGISTERING_HOOKS, Kind

API_NAME = "PYPTO_BUILD_API"
HOOK_PREFIX = "pypto_"
Entry = tuple[Kind, str, str]


def find_module_file(dotted: str) -> Path | None:
    """The file of a module, found without importing it or its parent packages."""
    top, *rest = dotted.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):  # ValueError: a module in sys.modules without a spec
        return None
    name = top
    for part in rest:
        if spec is None or spec.submodule_search_locations is None:
            return None
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, list(spec.submodule_search_locations))
    origin = spec.origin if spec is not None else None
    return Path(origin) if origin and origin.endswith(".py") else None


def plugin_file(path: Path) -> Path:
    """The file of a local plugin that holds its hooks: the path itself, or the `__init__.py` of a package."""
    return path / "__init__.py" if path.is_dir() else path


def read_module(path: Path) -> ModuleFacts:
    """The API version, the hooks and the contributions that a module's text states."""
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
    except OSError as error:
        return ModuleFacts(problem=f"{path} cannot be read: {error.strerror}")
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        return ModuleFacts(problem=f"{path}:{line or 1}: {getattr(error, 'msg', None) or error}")
    return _read_tree(tree)


def _read_tree(tree: ast.Module) -> ModuleFacts:
    constants = dict(_constants(tree))
    hooks: list[str] = []
    contributions: list[Entry] = []
    complete = True
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef) or not function.name.startswith(HOOK_PREFIX):
            continue
        if not any(_is_marker(decorator) for decorator in function.decorator_list):
            return ModuleFacts(problem=f"line {function.lineno}: `{function.name}` lacks `@hookimpl`")
        hooks.append(function.name)
        kind = REGISTERING_HOOKS.get(function.name)
        if kind is None:
            continue
        names = _returned_names(function, constants)
        complete = complete and names is not None
        contributions += [(kind, name, reference) for name, reference in (names or {}).items()]
    api = _literal(constants.get(API_NAME))
    return ModuleFacts(
        api=api if isinstance(api, int) else None,
        hooks=tuple(hooks),
        contributions=tuple(contributions),
        complete=complete and not _imports_hooks(tree),
    )


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _:
                pass


def _is_marker(decorator: ast.expr) -> bool:
    match decorator:
        case ast.Call(func=function):
            return _is_marker(function)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name == "hookimpl"
        case _:
            return False


def _returned_names(function: ast.FunctionDef, constants: dict[str, ast.expr]) -> dict[str, str] | None:
    """The dictionary that a registering hook returns, or None unless it is literal text."""
    body = function.body
    if len(body) > 1 and isinstance(body[0], ast.Expr):
        body = body[1:]
    match body:
        case [ast.Return(value=ast.Name(id=name))]:
            value = _literal(constants.get(name))
        case [ast.Return(value=ast.expr() as expression)]:
            value = _literal(expression)
        case _:
            return None
    if not isinstance(value, dict):
        return None
    items = cast(dict[object, object], value)
    texts = {key: text for key, text in items.items() if isinstance(key, str) and isinstance(text, str)}
    return texts if len(texts) == len(items) else None


def _literal(expression: ast.expr | None) -> object:
    if expression is None:
        return None
    try:
        return ast.literal_eval(expression)
    except (ValueError, TypeError):
        return None


def _imports_hooks(tree: ast.Module) -> bool:
    """Whether the module takes hooks from elsewhere (`from x import pypto_...` or `from x import *`)."""
    return any(
        alias.name == "*" or alias.name.startswith(HOOK_PREFIX + "register_")
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    )

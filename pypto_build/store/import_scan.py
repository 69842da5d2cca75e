# SPDX-License-Identifier: Apache-2.0
"""The import statements of a Python source, found without running it.

Imports inside functions and `try` count; those under `if TYPE_CHECKING` do not, as they never run. `import_module` and
`__import__` with a literal name count as that import; with a computed name they set `computed`, and the caller then
assumes that everything beside the module may be imported.
"""

from __future__ import annotations

import ast
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from pypto_build.store.plain_imports import DISCOVERERS, IMPORTERS, plain_imports


@dataclass(frozen=True, slots=True)
class Import:
    """`from <level dots><module> import <names>`, or with no names `import <module>`."""

    module: str
    level: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Imports:
    """All imports of one source, and whether some name is computed while running."""

    statements: tuple[Import, ...]
    computed: bool


_STACK = 64 * 2**20
_starting = threading.Lock()  # the stack size is a setting of the process
_NONE = Imports((), computed=False)


def scan_imports(source: bytes) -> Imports:
    """The imports of `source`; text that is not Python has none (it cannot run either), save for plain lines."""
    plain = plain_imports(source)
    if plain is not None:
        return Imports(tuple(Import(*one) for one in plain), computed=False)
    try:
        tree = _parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _NONE
    found: dict[Import, None] = {}
    for statement in _executed_statements(tree):
        match statement:
            case ast.Import(names=aliases):
                found.update((Import(alias.name, 0, ()), None) for alias in aliases)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                found[Import(module or "", level, tuple(alias.name for alias in aliases))] = None
            case _:
                pass
    called = _called_imports(tree, source)
    found.update((one, None) for one in called if one is not None)
    return Imports(tuple(found), computed=None in called)


def _parse(source: bytes) -> ast.Module:
    """Parse on a stack that is large enough: build tools give their threads 256 KiB, where a sum of some thousand
    terms ends the process."""
    if threading.current_thread() is threading.main_thread():
        return ast.parse(source)
    done: list[ast.Module | Exception] = []

    def run() -> None:
        try:
            done.append(ast.parse(source))
        except Exception as problem:  # raised again in the thread that asked
            done.append(problem)

    with _starting:
        usual = threading.stack_size(_STACK)
        try:
            thread = threading.Thread(target=run)
            thread.start()
        finally:
            threading.stack_size(usual)
    thread.join()
    (answer,) = done
    if isinstance(answer, Exception):
        raise answer
    return answer


def _executed_statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements except those that only a type checker sees; statements alone are a tenth of the nodes."""
    waiting: list[ast.AST] = list(reversed(tree.body))
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and _is_type_checking(node.test):
            waiting.extend(reversed(node.orelse))
            continue
        for block in ("body", "handlers", "cases", "orelse", "finalbody"):
            waiting.extend(reversed(getattr(node, block, ())))


def _is_type_checking(test: ast.expr) -> bool:
    match test:
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return True
        case _:
            return False


def _called_imports(tree: ast.Module, source: bytes) -> list[Import | None]:
    """The imports that calls make; None stands for a computed name."""
    if not any(word.encode() in source for word in IMPORTERS + DISCOVERERS):
        return []
    found: list[Import | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = _called_name(node.func)
            if name in IMPORTERS:
                found.append(_literal_import(node.args))
            elif name in DISCOVERERS:
                found.append(None)
    return found


def _called_name(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _literal_import(arguments: list[ast.expr]) -> Import | None:
    match arguments:
        case [ast.Constant(value=str(target)), *_]:
            module = target.lstrip(".")
            return Import(module, len(target) - len(module), ())
        case _:
            return None

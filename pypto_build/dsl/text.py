# SPDX-License-Identifier: Apache-2.0
"""Text of the language turned into IR: `pl.parse`, `pl.loads` and their program-only forms."""

from __future__ import annotations
import __future__

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

from pypto_build.deep_stack import on_deep_stack
from pypto_build.dsl.blame import is_ours, text_of
from pypto_build.dsl.decorator_checks import check_decorators
from pypto_build.dsl.diagnostics import BUG_CLASS_EXCEPTIONS, ParserError, ParserSyntaxError
from pypto_build.dsl.source import register_text, walk_definitions, walk_statements
from pypto_build.ir import Function, Program

SourceMap = dict[int, tuple[str, int, int]]


def parse(code: str, filename: str = "<string>", source_map: SourceMap | None = None) -> Function | Program:
    """The one function or program that some text defines.

    `pl` and `pld` need no import, and a name that no one defines is a dynamic dimension where an annotation uses it.
    `source_map` sends lines of generated text to the (file, line, column) they were made from.

    Raises:
        SyntaxError: the text is not Python.
        ParserError: it is not the language.
        ValueError: it defines no function or program, or several.
    """
    try:
        found = _definitions(code, filename, source_map)
    except RecursionError:  # one expression of a thousand terms is enough
        found = on_deep_stack(lambda: _definitions(code, filename, source_map))
    if not found:
        raise ValueError(
            f"No @pl.function or @pl.program found in {filename}. "
            "Decorate one function with @pl.function or one class with @pl.program."
        )
    if len(found) > 1:
        names = ", ".join(one.name for one in found)
        raise ValueError(f"Multiple functions/programs found in {filename}: {names}. Keep one.")
    return found[0]


def loads(filepath: str | Path) -> Function | Program:
    """The one function or program that a file defines; OSError when it cannot be read."""
    return parse(Path(filepath).read_text(encoding="utf-8"), str(filepath))


def parse_program(code: str, filename: str = "<string>") -> Program:
    """The one program that some text defines; ValueError for a function."""
    found = parse(code, filename)
    if not isinstance(found, Program):
        raise ValueError(f"Expected @pl.program but found @pl.function in {filename}. Use pl.parse() for functions.")
    return found


def loads_program(filepath: str | Path) -> Program:
    """The one program that a file defines; ValueError for a function."""
    return parse_program(Path(filepath).read_text(encoding="utf-8"), str(filepath))


def _definitions(code: str, filename: str, source_map: SourceMap | None) -> list[Function | Program]:
    """Run the text and collect what it defines; functions that a program brings in are not counted."""
    try:
        tree, source = register_text(code, filename, source_map=source_map)
        names = _language_names(tree)
        # Annotations stay unevaluated: the front end reads them itself, and their free names are dimensions.
        compiled = compile(tree, filename, "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True)
    except SyntaxError as error:
        raise SyntaxError(f"Failed to compile code from {filename}: {error}") from error
    namespace = _namespace(tree, filename, names)
    check_decorators(tree, source, namespace)
    before = dict(namespace)
    try:
        exec(compiled, namespace)  # the decorators read the source while Python runs it
    except (ParserError, *BUG_CLASS_EXCEPTIONS):
        raise
    except Exception as error:
        if is_ours(error):
            raise
        raise _run_error(error, code, filename) from error
    made = [
        value
        for name, value in namespace.items()
        if isinstance(value, Function | Program) and before.get(name) is not value
    ]
    unique = list({id(value): value for value in made}.values())
    programs = [value for value in unique if isinstance(value, Program)]
    used = {id(one) for program in programs for one in program.functions.values()}
    return [value for value in unique if id(value) not in used]


_IMPORTS = {
    ("pypto", "language"): "",
    ("pypto.language", None): "",
    ("pypto.language", "distributed"): "distributed",
    ("pypto.language.distributed", None): "distributed",
}


def _language_names(tree: ast.Module) -> dict[str, str]:
    """Answer the imports of the language itself: they leave the tree, their names and modules are returned."""
    names = {"pl": "", "pld": "distributed"}
    kept: list[ast.stmt] = []
    for stmt in tree.body:
        found = list(_imported(stmt))
        if not found or any(module is None or not name for name, module in found):
            kept.append(stmt)
        else:
            names.update((name, module) for name, module in found if module is not None)
    tree.body[:] = kept
    return names


def _imported(stmt: ast.stmt) -> Iterator[tuple[str, str | None]]:
    """The names that an import binds, and which module of the language each is; None for another module."""
    if isinstance(stmt, ast.Import):
        for alias in stmt.names:
            yield alias.asname or "", _IMPORTS.get((alias.name, None))
    elif isinstance(stmt, ast.ImportFrom) and not stmt.level:
        for alias in stmt.names:
            yield alias.asname or alias.name, _IMPORTS.get((stmt.module or "", alias.name))


def _namespace(tree: ast.Module, filename: str, modules: dict[str, str]) -> dict[str, object]:
    from pypto_build.dsl import language  # the names of the language load this module in turn
    from pypto_build.dsl.language import distributed

    names: dict[str, object] = {"__name__": "__pypto_text__", "__file__": filename}
    names.update((name, distributed if module else language) for name, module in modules.items())
    for name in _free_names(tree):
        if name not in names and not hasattr(builtins, name):
            names[name] = language.dynamic(name)
    return names


def _free_names(tree: ast.Module) -> set[str]:
    """The names in annotations that neither the module nor the function around them binds."""
    bound: set[str] | None = None
    free: set[str] = set()
    for node in walk_definitions(tree.body):
        if not isinstance(node, ast.FunctionDef):
            continue
        used = {one.id for annotation in _annotations(node) for one in _names(annotation)} - _ALWAYS_BOUND - free
        if used:
            bound = _module_names(tree) if bound is None else bound
            free |= used - bound - _local_names(node)
    return free


_ALWAYS_BOUND = frozenset({"pl", "pld", "tuple"})


def _names(node: ast.expr) -> Iterator[ast.Name]:
    pending: list[ast.AST] = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, ast.Name):
            yield one
        elif isinstance(one, ast.Attribute):
            pending.append(one.value)
        elif not isinstance(one, ast.Constant):
            pending.extend(ast.iter_child_nodes(one))


def _module_names(tree: ast.Module) -> set[str]:
    """The names that the module itself binds."""
    bound: set[str] = set()
    for stmt in tree.body:
        if isinstance(stmt, ast.FunctionDef | ast.ClassDef):
            bound.add(stmt.name)
        elif isinstance(stmt, ast.Import | ast.ImportFrom):
            bound.update((alias.asname or alias.name).split(".")[0] for alias in stmt.names)
        else:
            bound.update(_stored(stmt))
    return bound


def _local_names(node: ast.FunctionDef) -> set[str]:
    return {argument.arg for argument in (*node.args.posonlyargs, *node.args.args)} | set(_stored(node))


def _stored(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id


def _annotations(node: ast.FunctionDef) -> Iterator[ast.expr]:
    for argument in (*node.args.posonlyargs, *node.args.args):
        if argument.annotation is not None:
            yield argument.annotation
    if node.returns is not None:
        yield node.returns
    for stmt in walk_statements(node.body):
        if isinstance(stmt, ast.AnnAssign):
            yield stmt.annotation


def _run_error(error: Exception, code: str, filename: str) -> ParserSyntaxError:
    """What went wrong while the text ran, at the line of the text where it did."""
    line = -1
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == filename:
            line = trace.tb_lineno
        trace = trace.tb_next
    place = {"filename": filename, "line": line, "column": 1}
    return ParserSyntaxError(f"{type(error).__name__}: {text_of(error)}", place, source_lines=tuple(code.splitlines()))

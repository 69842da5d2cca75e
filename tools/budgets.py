# SPDX-License-Identifier: Apache-2.0
"""The budgets of the house that no off-the-shelf linter holds: sizes, first lines, annotated signatures, loose ends.

Each rule is a function from one file to sentences; `python tools/budgets.py` prints them for the whole tree.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = ("pypto_build", "plugins", "site_scons", "tools")

FILE_LINES = 500
CLASS_LINES = 250
FUNCTION_LINES = 60

SPDX = "# SPDX-License-Identifier: Apache-2.0"
# Put together from halves, so that this file does not find itself.
_LOOSE_END = re.compile(rf"\b(?:{'TO'}{'DO'}|{'FIX'}{'ME'}|{'XX'}{'X'})\b")
_IGNORE = re.compile(r"#\s*(?:type|pyright):\s*ignore(?P<rules>\[[^\]]+\])?|#\s*noqa(?P<codes>:\s*[A-Z]+\d+)?", re.I)
_REASON = re.compile(r"\w.{5,}")
_COMMENT_ON_ANY = re.compile(r"#.*\bAny\b")

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One Python file: path from the root, text, syntax tree, and the text of its package's `__init__.py`."""

    path: str
    source: str
    tree: ast.Module
    package: str = ""

    @staticmethod
    def parse(path: str, source: str, package: str = "") -> Module:
        """Parse the text; a file that is no Python is a bug of its author."""
        return Module(path, source, ast.parse(source, filename=path), package)


Rule = Callable[[Module], Iterator[str]]


def size(module: Module) -> Iterator[str]:
    """Files, classes and functions have a largest size."""
    lines = module.source.count("\n")
    if lines > FILE_LINES:
        yield f"{module.path}: {lines} lines, at most {FILE_LINES}"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            limit = CLASS_LINES if isinstance(node, ast.ClassDef) else FUNCTION_LINES
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > limit:
                yield f"{module.path}:{node.lineno}: {node.name} has {length} lines, at most {limit}"


def first_lines(module: Module) -> Iterator[str]:
    """A file begins with its licence and then says what it is for."""
    if module.source.split("\n", 1)[0] != SPDX:
        yield f"{module.path}:1: the first line must be `{SPDX}`"
    docstring = ast.get_docstring(module.tree)
    if not docstring or not docstring.split("\n", 1)[0].strip():
        yield f"{module.path}:2: the docstring must say in its first line what the file is for"


def file_name(module: Module) -> Iterator[str]:
    """A file is named for its idea, and "utils" is none."""
    if Path(module.path).stem in {"utils", "util", "helpers", "misc"}:
        yield f"{module.path}: name the file for the idea in it"


def loose_ends(module: Module) -> Iterator[str]:
    """Work that is left to do is an issue, not a comment."""
    for number, line in enumerate(module.source.splitlines(), start=1):
        if match := _LOOSE_END.search(line):
            yield f"{module.path}:{number}: {match[0]} does not belong on main"


def reasoned_ignores(module: Module) -> Iterator[str]:
    """A comment that silences a checker names the rule, and gives the reason at least once for each rule in a file.

    The reason stands behind the comment, or in a comment of its own on the line above. Tests are free.
    """
    if not module.path.startswith(CODE):
        return
    explained: set[str] = set()
    lines = module.source.splitlines()
    for index, line in enumerate(lines):
        if not (match := _IGNORE.search(line)):
            continue
        rule = match["rules"] or match["codes"] or ""
        above = lines[index - 1].lstrip() if index else ""
        if rule and (above.startswith("# ") or _REASON.search(line, match.end())):
            explained.add(rule)
        if rule not in explained:
            yield f"{module.path}:{index + 1}: an ignore comment needs the name of the rule and a reason"


def re_exports_only(module: Module) -> Iterator[str]:
    """An `__init__.py` has no logic of its own; `__getattr__` may re-export lazily."""
    if Path(module.path).name != "__init__.py":
        return
    for node in module.tree.body:
        if not _is_re_export(node):
            yield f"{module.path}:{node.lineno}: an __init__.py re-exports and does nothing else"


def _is_re_export(node: ast.stmt) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
            return True
        case ast.Assign(targets=targets):
            return all(_is_module_data(target) for target in targets)
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return _is_module_data(target)
        case ast.FunctionDef(name=name):
            return name in {"__getattr__", "__dir__"}
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body):
            return all(_is_re_export(child) for child in body)
        case _:
            return False


def _is_module_data(target: ast.expr) -> bool:
    match target:
        case ast.Tuple(elts=elements):
            return all(_is_module_data(element) for element in elements)
        case ast.Name(id=name):
            return name.isupper() or name.startswith("_")
        case _:
            return False


def annotated_signatures(module: Module) -> Iterator[str]:
    """Every public function says what it takes and gives.

    `Any` needs a comment that says why it is the right word, in the file or in the `__init__.py` of its package.
    """
    if not module.path.startswith(CODE):
        return
    any_is_explained = _COMMENT_ON_ANY.search(module.source) or _COMMENT_ON_ANY.search(module.package)
    for function in _public_functions(module.tree.body, method=False):
        for name in _missing_annotations(*function):
            yield f"{module.path}:{function[0].lineno}: {function[0].name} needs an annotation for {name}"
        if not any_is_explained and any(_mentions_any(annotation) for annotation in _annotations(function[0])):
            yield f"{module.path}:{function[0].lineno}: {function[0].name} says Any and nothing says why"


def _public_functions(body: list[ast.stmt], *, method: bool) -> Iterator[tuple[FunctionNode, bool]]:
    for node in body:
        if isinstance(node, FunctionNode) and (not node.name.startswith("_") or node.name == "__init__"):
            yield node, method and not _is_static(node)
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _public_functions(node.body, method=True)


def _is_static(node: FunctionNode) -> bool:
    return any(isinstance(decorator, ast.Name) and decorator.id == "staticmethod" for decorator in node.decorator_list)


def _missing_annotations(node: FunctionNode, bound: bool) -> Iterator[str]:
    positional = [*node.args.posonlyargs, *node.args.args][1 if bound else 0 :]
    variadic = [argument for argument in (node.args.vararg, node.args.kwarg) if argument is not None]
    for argument in [*positional, *node.args.kwonlyargs, *variadic]:
        if argument.annotation is None:
            yield f"the argument {argument.arg}"
    if node.returns is None and node.name != "__init__":
        yield "its result"


def _annotations(node: FunctionNode) -> Iterator[ast.expr]:
    for child in ast.walk(node.args):
        if isinstance(child, ast.arg) and child.annotation is not None:
            yield child.annotation
    if node.returns is not None:
        yield node.returns


def _mentions_any(annotation: ast.expr) -> bool:
    nodes = list(ast.walk(annotation))
    return any(isinstance(node, ast.Name) and node.id == "Any" for node in nodes) or any(
        isinstance(node, ast.Attribute) and node.attr == "Any" for node in nodes
    )


RULES: tuple[Rule, ...] = (
    size,
    first_lines,
    file_name,
    loose_ends,
    reasoned_ignores,
    re_exports_only,
    annotated_signatures,
)


def modules(root: Path) -> Iterator[Module]:
    """All code, and all tests; programs that serve as inputs of tests are not tests."""
    for folder in CODE:
        for path in sorted((root / folder).rglob("*.py")):
            yield _load(root, path)
    for path in sorted((root / "tests").rglob("*.py")):
        if path.name.startswith("test_") or path.name == "conftest.py":
            yield _load(root, path)


def _load(root: Path, path: Path) -> Module:
    package = path.with_name("__init__.py")
    explained = package.read_text(encoding="utf-8") if package.is_file() else ""
    return Module.parse(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"), explained)


def main() -> int:
    """Print every broken rule of the tree; exit status 1 when there is one."""
    found = [sentence for module in modules(ROOT) for rule in RULES for sentence in rule(module)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Imports are found in the text of a module, wherever they stand."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pypto_build
from pypto_build.store.import_scan import Import, Imports, scan_imports
from pypto_build.store.plain_imports import plain_imports

NUMPY = Import("numpy", 0, ())


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import numpy", NUMPY),
        ("import numpy as np", NUMPY),
        ("import a.b.c", Import("a.b.c", 0, ())),
        ("from a.b import c, d as e", Import("a.b", 0, ("c", "d"))),
        ("from . import sibling", Import("", 1, ("sibling",))),
        ("from ..up.more import x", Import("up.more", 2, ("x",))),
        ("from a import *", Import("a", 0, ("*",))),
        ("from a import (  # why\n    b as c,\n    d,\n)", Import("a", 0, ("b", "d"))),
        ("from a import (\n    b as c,\n    d,\n)", Import("a", 0, ("b", "d"))),
        ("from a import b, \\\n    c", Import("a", 0, ("b", "c"))),
        ("import numpy; x = 1", NUMPY),
        ("if x: import numpy", NUMPY),
        ("import numpy\r\nimport numpy as np\r\n", NUMPY),
        ("\x0cimport numpy", NUMPY),
        ("# coding: utf-7\n+AGk-mport numpy", NUMPY),
        ("def f():\n    import numpy", NUMPY),
        ("class C:\n    def f(self):\n        if x:\n            import numpy", NUMPY),
        ("try:\n    pass\nexcept E:\n    import numpy", NUMPY),
        ("try:\n    pass\nfinally:\n    import numpy", NUMPY),
        ("for x in y:\n    pass\nelse:\n    import numpy", NUMPY),
        ("with a:\n    import numpy", NUMPY),
        ("match x:\n    case 1:\n        import numpy", NUMPY),
        ("async def f():\n    import numpy", NUMPY),
        ("if TYPE_CHECKING:\n    import other\nelse:\n    import numpy", NUMPY),
        ("import_module('numpy')", NUMPY),
        ("x = [importlib.import_module('numpy')]", NUMPY),
        ("__import__('numpy')", NUMPY),
        ("import_module('.sibling', __package__)", Import("sibling", 1, ())),
    ],
)
def test_an_import_is_found(source: str, found: Import):
    assert scan_imports(source.encode()) == Imports((found,), computed=False)


@pytest.mark.parametrize(
    "source",
    [
        "'import numpy'",
        "# import numpy",
        '"""\nimport numpy\n"""',
        "x = '''\nimport numpy\n'''",
        "if TYPE_CHECKING:\n    import numpy",
        "if typing.TYPE_CHECKING:\n    import numpy",
        "import numpy as",
        "\0",
        "",
        "(" * 5000,
    ],
)
def test_what_never_runs_imports_nothing(source: str):
    assert scan_imports(source.encode()) == Imports((), computed=False)


def test_a_deep_expression_does_not_end_a_process_whose_threads_have_small_stacks():
    script = (
        "import threading\n"
        "from pypto_build.store.import_scan import scan_imports\n"
        "threading.stack_size(256 * 1024)\n"
        "source = b'import numpy; x = ' + b'not ' * 2800 + b'a'\n"
        "thread = threading.Thread(target=lambda: print(scan_imports(source).statements[0].module))\n"
        "thread.start(); thread.join()\n"
        "assert threading.stack_size() == 256 * 1024\n"
    )
    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "numpy\n"


@pytest.mark.parametrize(
    "source",
    ["import_module(name)", "__import__(f'a.{b}')", "pkgutil.iter_modules(path)", "walk_packages()", "import_module()"],
)
def test_a_computed_name_is_noticed(source: str):
    assert scan_imports(source.encode()).computed


def test_plain_imports_of_this_project_are_those_that_its_parser_finds():
    sources = [path.read_bytes() for path in sorted(Path(pypto_build.__file__).parent.rglob("*.py"))]
    plain = [(source, found) for source in sources if (found := plain_imports(source)) is not None]

    assert len(plain) > len(sources) / 2
    for source, found in plain:
        parsed = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom))
        expected = {one for node in parsed for one in rows(node)}
        assert set(found) == expected


def rows(node: ast.Import | ast.ImportFrom) -> list[tuple[str, int, tuple[str, ...]]]:
    names = tuple(alias.name for alias in node.names)
    if isinstance(node, ast.Import):
        return [(name, 0, ()) for name in names]
    return [(node.module or "", node.level, names)]

# SPDX-License-Identifier: Apache-2.0
"""Programs: imports, dynamic dimensions, and a class with the functions, callees first."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.ir.expr import Var
from pypto_build.ir.printing.context import Context, Place, Rules, Style
from pypto_build.ir.printing.functions import function_text
from pypto_build.ir.printing.literals import DISTRIBUTED, string_text
from pypto_build.ir.printing.names import Names, function_names, identifier
from pypto_build.ir.printing.parts import joined
from pypto_build.ir.printing.scan import Scan
from pypto_build.ir.printing.statements import comments
from pypto_build.ir.program import Function, Program

_LANGUAGE = "pypto.language"


def program_text(program: Program, style: Style, rules: Rules) -> str:
    """A module whose only class is the program."""
    scans = {function.name: Scan(function) for function in program.functions.values()}
    ordered = callees_first(program, scans)
    dimensions = _dimension_names([scans[function.name] for function in ordered], style.prefix)
    bodies: list[str] = []
    for function in ordered:
        scan = scans[function.name]
        names = function_names(scan, style.prefix, dimensions)
        ctx = Context(style, rules, names, scan.window_sizes, in_program=True)
        bodies.append(joined(function_text(ctx, function, 1)))
    body = "\n".join(bodies) or "    pass\n"
    return _header(program, style, body, dimensions=dimensions) + body


def callees_first(program: Program, scans: Mapping[str, Scan]) -> list[Function]:
    """The functions, each after those it calls as far as there is such an order, by name otherwise."""
    functions = {function.name: function for function in program.functions.values()}
    ordered: dict[str, Function] = {}
    begun: set[str] = set()
    for name in functions:
        open_names = [name]
        while open_names:
            current = open_names[-1]
            begun.add(current)
            waiting = [callee for callee in scans[current].callees if callee in functions and callee not in begun]
            if waiting:
                open_names.append(min(waiting))
            else:
                ordered.setdefault(open_names.pop(), functions[current])
    return list(ordered.values())


def _dimension_names(scans: list[Scan], prefix: str) -> dict[Var, str]:
    names = Names((prefix,))
    return {var: names.give(var) for scan in scans for var in scan.free_dimensions()}


def _header(program: Program, style: Style, body: str, *, dimensions: Mapping[Var, str]) -> str:
    lines = [f"# pypto.program: {program.name}" if program.name else "# pypto.program", _import(style.prefix)]
    if f"{DISTRIBUTED}." in body:
        lines.append(f"import {_LANGUAGE}.distributed as {DISTRIBUTED}")
    if dimensions:
        lines.append("")
        lines.extend(f"{name} = {style.prefix}.dynamic({string_text(name)})" for name in dimensions.values())
    lines += ["", f"{comments(program.leading_comments, Place())}@{style.prefix}.program"]
    return "\n".join([*lines, f"class {identifier(program.name or 'Program')}:\n"])


def _import(prefix: str) -> str:
    if prefix == "pl":
        return f"import {_LANGUAGE} as pl"
    package, _, module = _LANGUAGE.partition(".")
    return f"from {package} import {module}" + ("" if prefix == module else f" as {prefix}")

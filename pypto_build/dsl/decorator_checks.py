# SPDX-License-Identifier: Apache-2.0
"""The members of enumerations that decorators name, checked before Python runs them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum, EnumMeta
from typing import cast

from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.source import SourceText, walk_definitions


def check_decorators(tree: ast.Module, source: SourceText, names: Mapping[str, object]) -> None:
    """Refuse `pl.FunctionType.Nothing` and its like at the place of the unknown member."""
    for definition in walk_definitions(tree.body):
        for decorator in definition.decorator_list:
            for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
                _check(keyword.value, source, names)


def _check(node: ast.expr, source: SourceText, names: Mapping[str, object]) -> None:
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Attribute):
        return
    root = node.value.value
    owner = names.get(root.id) if isinstance(root, ast.Name) else None
    kind: object = getattr(owner, node.value.attr, None)
    if not isinstance(kind, EnumMeta) or node.attr in kind.__members__:
        return
    members = cast("Mapping[str, Enum]", kind.__members__)
    span = source.span(node)
    place = replace(span, begin_line=span.end_line, begin_column=span.end_column - len(node.attr))
    raise ParserSyntaxError(
        f"Invalid {node.value.attr} value '{node.attr}'",
        place,
        f"Valid values: {', '.join(sorted(members))}",
        source_lines=source.lines,
    )

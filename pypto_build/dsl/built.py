# SPDX-License-Identifier: Apache-2.0
"""Operations that a form of the language stands for: what they refuse is said of the place of the form."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserError, ParserTypeError
from pypto_build.errors import UserError
from pypto_build.ir import EMPTY_MAP, Expr

REFUSALS = (TypeError, ValueError, UserError)
"""What builders of operations raise for wrong arguments."""

_LOCATION = re.compile(r"\s*(?: at \S+:\d+:\d+|\[\S+:\d+:\d+\])$")  # the place is shown by itself
_PYTHON_CALL = re.compile(r"^[\w.<>]+\(\)(?= (?:missing|takes|got) )")  # of a function whose own name says nothing


def refusal_text(error: Exception, name: str) -> str:
    """What a builder says, without the place and without the name of the Python function that it is."""
    return _PYTHON_CALL.sub(f"{name}()", _LOCATION.sub("", str(error)))


def built(
    context: Context,
    node: ast.expr,
    path: tuple[str, ...],
    *arguments: object,
    options: Mapping[str, object] = EMPTY_MAP,
    kind: type[ParserError] = ParserTypeError,
) -> Expr:
    """The operation of a dotted name below `pl`; an error of a kind at the node when it refuses its arguments."""
    try:
        return context.operation(*path)(*arguments, span=context.span(node), **options)
    except ParserError:
        raise
    except REFUSALS as error:
        message = f"'{ast.unparse(node)}': {refusal_text(error, path[-1])}"
        raise kind(message, context.span(node), source_lines=context.source.lines) from error

# SPDX-License-Identifier: Apache-2.0
"""Signatures written as text, for functions of the language that take what they are given and look at it themselves."""

from __future__ import annotations

import ast
import inspect

_PREFIXES = {"**": inspect.Parameter.VAR_KEYWORD, "*": inspect.Parameter.VAR_POSITIONAL}


def signature_of(text: str) -> inspect.Signature:
    """The signature of `a, b?, *, c=0, **rest`; `b?` may be left out, which means None."""
    parameters: list[inspect.Parameter] = []
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for written in text.split(", ") if text else ():
        if written == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
            continue
        prefix = written[: len(written) - len(written.lstrip("*"))]
        if prefix:
            parameters.append(inspect.Parameter(written.lstrip("*"), _PREFIXES[prefix]))
            kind = inspect.Parameter.KEYWORD_ONLY
            continue
        name, given, default = written.partition("=")
        value = ast.literal_eval(default) if given else None if name.endswith("?") else inspect.Parameter.empty
        parameters.append(inspect.Parameter(name.rstrip("?"), kind, default=value))
    return inspect.Signature(parameters)

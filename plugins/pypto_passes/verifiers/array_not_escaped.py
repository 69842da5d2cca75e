# SPDX-License-Identifier: Apache-2.0
"""ArrayNotEscaped: an array lives on the stack of its function, so it neither enters nor leaves one."""

from __future__ import annotations

from collections.abc import Iterable

from pypto_build.errors import Diagnostic
from pypto_build.ir import ArrayType, Program, TupleType, Type
from pypto_build.passes import PassContext


def verify_array_not_escaped(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Every parameter and every result that is or contains an array."""
    del context
    for function in program.functions.values():
        for param in function.params:
            if _holds_array(param.type):
                text = (
                    f"parameter '{param.name_hint}' of function '{function.name}' has ArrayType: an array stays local"
                )
                yield Diagnostic("error", "ArrayNotEscaped", text, param.span)
        for index, kind in enumerate(function.return_types):
            if _holds_array(kind):
                text = f"return type[{index}] of function '{function.name}' has ArrayType: an array stays local"
                yield Diagnostic("error", "ArrayNotEscaped", text, function.span)


def _holds_array(kind: Type) -> bool:
    return isinstance(kind, ArrayType) or (isinstance(kind, TupleType) and any(map(_holds_array, kind.types)))

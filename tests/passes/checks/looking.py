# SPDX-License-Identifier: Apache-2.0
"""What a check says of a program of a few lines: the line in the method, and the sentence."""

from __future__ import annotations

from pypto_build.ir import Program
from pypto_build.passes import Check, PassContext
from tests.passes import programs
from tests.passes.verifiers.findings import FIRST_LINE


def seen(check: Check, *methods: str | Program, context: PassContext | None = None) -> list[tuple[int, str]]:
    """Line (1 is the first decorator, 0 says nothing) and sentence of each finding."""
    first = methods[0]
    of = first if isinstance(first, Program) else programs.program(*map(str, methods))
    functions = of.functions.values()
    found = [one for function in functions for one in check.diagnostics(function, context or PassContext())]
    return [(max(0, one.span.begin_line - FIRST_LINE + 1), one.message) for one in found]

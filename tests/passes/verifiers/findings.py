# SPDX-License-Identifier: Apache-2.0
"""What a verifier says of a program of a few lines: the line in the method, and the sentence."""

from __future__ import annotations

from pypto_build.ir import Program
from pypto_build.passes import PassContext, Verifier
from tests.passes import programs

FIRST_LINE = 3
"""The line of the first method's decorator in the text that is read."""


def found(verifier: Verifier, *methods: str | Program, context: PassContext | None = None) -> list[tuple[int, str]]:
    """Line (1 is the first decorator, 0 says nothing) and sentence of each finding."""
    first = methods[0]
    of = first if isinstance(first, Program) else programs.program(*map(str, methods))
    diagnostics = verifier(of, context or PassContext())
    return [(max(0, one.span.begin_line - FIRST_LINE + 1), one.message) for one in diagnostics]


def codes(verifier: Verifier, of: Program) -> list[int]:
    """The numbers of the findings."""
    return [one.error_code for one in verifier(of, PassContext())]

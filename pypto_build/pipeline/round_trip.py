# SPDX-License-Identifier: Apache-2.0
"""Verification level `roundtrip`: what a pass made prints as text that reads back as the same program."""

from __future__ import annotations

from pypto_build.dsl.text import parse_program
from pypto_build.errors import UserError
from pypto_build.ir import Program, first_difference
from pypto_build.ops import OpRegistry, reading_with
from pypto_build.passes.verifier import VerificationError


def check_round_trip(program: Program, pass_name: str, ops: OpRegistry) -> None:
    """Print a program and read it again.

    Raises:
        VerificationError: the text cannot be read, or says something else; the pass made what cannot be written down.
    """
    text = str(program)
    try:
        with reading_with(ops):
            read = parse_program(text, f"<after {pass_name}>")
    except (UserError, SyntaxError) as error:
        heading = f"what '{pass_name}' made prints as text that cannot be read: {error}"
        raise VerificationError(f"{heading}\n{text}", ()) from error
    difference = first_difference(read, program, enable_auto_mapping=True)
    if difference is not None:
        where = f"{difference.reason} at {difference.path}"
        heading = f"what '{pass_name}' made prints as text that says something else: {where}"
        raise VerificationError(f"{heading}\n{text}", ())

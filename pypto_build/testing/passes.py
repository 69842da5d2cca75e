# SPDX-License-Identifier: Apache-2.0
"""One pass on one program: the result, and what every pass owes besides.

A pass owes that its properties hold, that its result prints as text that reads back as the same program, that it leaves
its input alone, that the same input gives the same result, and that "nothing to do" is the same object.
"""

from __future__ import annotations

from pypto_build.dsl.text import parse_program
from pypto_build.errors import UserError, UserErrors
from pypto_build.ir import Program, assert_structural_equal, canonical_form, decode, encode, program_digest
from pypto_build.passes import Pass, PassContext, PropertySet, apply_pass
from pypto_build.passes.verifier import errors_of, report
from pypto_build.testing.samples import verifiers


def check_pass(
    pass_: Pass, before: Program, expected: Program, *, context: PassContext | None = None, idempotent: bool = True
) -> Program:
    """The program after a pass, which must be the expected one; idempotent=False if a second run may change more.

    Raises:
        AssertionError: it is not the expected one, or the pass owes something; the text says what.
    """
    check_properties(pass_.requires, before, f"which {pass_.name} requires", context=context)
    made = check_run(pass_, before, context=context)
    assert_structural_equal(made, expected, enable_auto_mapping=True)
    check_properties(pass_.produces, made, f"which {pass_.name} says it produces", context=context)
    if idempotent and apply_pass(pass_, made, context) is not made:
        raise AssertionError(f"{pass_.name} finds something to do on its own result")
    return made


def check_unchanged(pass_: Pass, before: Program, *, context: PassContext | None = None) -> None:
    """A pass that finds nothing to do hands back the very object that it was given.

    Raises:
        AssertionError: it does not.
    """
    made = check_run(pass_, before, context=context)
    assert_structural_equal(made, before, enable_auto_mapping=True)
    if made is not before:
        raise AssertionError(f"{pass_.name} changes nothing, yet returns another object")


def check_refused(
    pass_: Pass, before: Program, code: str, *, says: str = "", context: PassContext | None = None
) -> UserError:
    """The error with which a pass refuses a program: its code is `code`, its message contains `says`, it has a place.

    Raises:
        AssertionError: the program is accepted, or refused otherwise.
    """
    try:
        apply_pass(pass_, before, context)
    except UserErrors as several:
        raise AssertionError(f"{pass_.name} refuses with several errors: {several}") from several
    except UserError as error:
        if error.code != code or says not in error.message or not error.span.is_valid():
            raise AssertionError(f"{pass_.name} refuses with {error.code} at {error.span}: {error.message}") from error
        return error
    raise AssertionError(f"{pass_.name} accepts the program instead of refusing it with {code}")


def check_run(pass_: Pass, before: Program, *, context: PassContext | None = None) -> Program:
    """The program after a pass that leaves its input alone, is deterministic, and whose result can be printed and read.

    Raises:
        AssertionError: one of these does not hold.
    """
    text = canonical_form(before)
    made = apply_pass(pass_, before, context)
    if canonical_form(before) != text:
        raise AssertionError(f"{pass_.name} changes its input in place")
    copy: Program = decode(encode(before, spans=True))
    if program_digest(apply_pass(pass_, copy, context)) != program_digest(made):
        raise AssertionError(f"{pass_.name} gives another result for a copy of the same program")
    if made is not before and program_digest(made) == program_digest(before):
        raise AssertionError(f"{pass_.name} changes nothing, yet returns another object")
    assert_structural_equal(parse_program(str(made)), made, enable_auto_mapping=True)
    return made


def check_properties(
    properties: PropertySet, program: Program, reason: str, *, context: PassContext | None = None
) -> None:
    """Every one of the properties holds, as far as it has a verifier.

    Raises:
        AssertionError: one does not; the text has the report.
    """
    for prop in sorted(properties, key=lambda one: one.value):
        found = errors_of(verifiers().verify(frozenset({prop}), program, context or PassContext()))
        if found:
            raise AssertionError(f"the program lacks {prop.name}, {reason}:\n{report(found)}")

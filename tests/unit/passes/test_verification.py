# SPDX-License-Identifier: Apache-2.0
"""Who is to blame for a property that does not hold: the author of the program, or a pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from pypto_build.errors import Diagnostic, Span, UserErrors
from pypto_build.ir import Program
from pypto_build.passes import IRProperty, PassContext, Verification, VerificationError, Verifier, VerifierRegistry

P = IRProperty
PLACE = Span("k.py", 4, 2)


def verification(*broken: IRProperty, level: str = "basic") -> Verification:
    """The schedule of a run in which some properties never hold."""

    def loader(prop: IRProperty) -> Callable[[], Verifier]:
        def verify(program: Program, context: PassContext) -> Iterable[Diagnostic]:
            del program, context
            yield Diagnostic("error", prop.name, f"no {prop.name}", PLACE, error_code=3, help="write it otherwise")

        return lambda: verify

    registry = VerifierRegistry({prop: loader(prop) for prop in broken})
    return Verification(registry, PassContext(), level=level)


def test_what_a_pass_should_have_established_is_a_bug_of_the_pass() -> None:
    with pytest.raises(VerificationError, match=r"Verification failed after 'Simplify' for properties \{SSAForm\}"):
        verification(P.SSAForm).check("Simplify", Program(()), frozenset({P.SSAForm}))


@pytest.mark.parametrize("prop", [P.AivSplitValid, P.HardSyncallOccupancyValid, P.AccToGmStoreValid])
def test_what_only_the_author_can_give_is_a_mistake_of_the_author(prop: IRProperty) -> None:
    with pytest.raises(UserErrors) as caught:
        verification(prop, P.SSAForm).check("ExpandMixedKernel", Program(()), frozenset({prop, P.SSAForm}))
    (error,) = caught.value.errors
    assert (error.code, error.message, error.span) == (f"{prop.name}-3", f"no {prop.name}", PLACE)
    assert error.help == "write it otherwise"


def test_the_input_is_the_author_s() -> None:
    with pytest.raises(UserErrors, match="no TypeChecked"):
        verification(P.TypeChecked, P.SSAForm).check_input(Program(()))


def test_a_property_is_due_once_until_a_pass_invalidates_it() -> None:
    schedule, ssa = verification(), frozenset({P.SSAForm})
    assert [schedule.due(ssa, frozenset()), schedule.due(ssa, frozenset())] == [ssa, frozenset()]
    assert schedule.due(ssa, ssa) == ssa


def test_without_verification_nothing_is_looked_at() -> None:
    schedule = verification(P.TypeChecked, level="none")
    schedule.check_input(Program(()))
    assert schedule.due(frozenset({P.SSAForm}), frozenset()) == frozenset()

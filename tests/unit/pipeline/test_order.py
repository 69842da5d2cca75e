# SPDX-License-Identifier: Apache-2.0
"""Order rules, on passes that declare nothing but the rule in question."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pypto_build.errors import Span
from pypto_build.host import Contribution, Kind
from pypto_build.pipeline.order import check_order
from pypto_build.pipeline.planned import Planned

A, B = "A", "B"


def entry(name, line, **declared):
    contribution = Contribution(Kind.PASS, name.lower(), ":X", "p")
    place = Span("p.yaml", line, 5)
    return Planned(f"{name}{line}", name.lower(), name, SimpleNamespace(**declared), {}, {}, contribution, place)


def messages(*passes, targets=(), given=(), makers=()):
    found = check_order(passes, tuple(targets), given=frozenset(given), producers=lambda _: tuple(makers))
    return [f"{one.span.begin_line}: {one.message}" for one in found]


def test_a_property_that_was_established_may_be_needed():
    assert messages(entry("Make", 1, produces={A}), entry("Use", 2, requires={A})) == []


def test_a_property_that_holds_from_the_beginning_may_be_needed():
    assert messages(entry("Use", 1, requires={A}), given={A}) == []


def test_a_producer_that_comes_later_is_named():
    passes = entry("Use", 1, requires={A}), entry("Make", 2, produces={A})
    assert messages(*passes) == ["1: Use needs A, which Make (line 2) establishes: move it up"]


def test_a_pass_that_invalidates_is_named():
    passes = entry("Make", 1, produces={A}), entry("Break", 2, invalidates={A}), entry("Use", 3, requires={A})
    assert messages(*passes) == ["3: Use needs A, which Break (line 2) invalidates: move Use before it"]


def test_a_property_may_be_established_again():
    passes = (
        entry("Make", 1, produces={A}),
        entry("Break", 2, invalidates={A}),
        entry("Make", 3, produces={A}),
        entry("Use", 4, requires={A}),
    )
    assert messages(*passes) == []


def test_a_pass_may_renew_what_it_invalidates():
    passes = entry("Renew", 1, invalidates={A}, produces={A}), entry("Use", 2, requires={A})
    assert messages(*passes) == []


def test_a_pass_does_not_establish_what_it_needs_itself():
    assert messages(entry("Both", 1, requires={A}, produces={A}), makers=["make"]) == [
        "1: Both needs A, and no pass before it establishes that"
    ]


def test_a_pass_that_only_preserves_a_property_is_nobodys_advice():
    passes = entry("Use", 1, requires={A}), entry("Keep", 2, requires={A}, produces={A}), entry("Make", 3, produces={A})
    assert messages(*passes)[0] == "1: Use needs A, which Make (line 3) establishes: move it up"


def test_what_is_missing_is_reported_once_for_each_property():
    passes = entry("One", 1, requires={A}), entry("Two", 2, requires={A, B}), entry("Three", 3, requires={A, B})
    assert messages(*passes) == [
        "1: One needs A, and no pass before it establishes that",
        "2: Two needs B, and no pass before it establishes that",
    ]


def test_a_target_needs_what_holds_at_the_end():
    passes = entry("Make", 1, produces={A}), entry("Break", 2, invalidates={A})
    assert messages(*passes, targets=[entry("Out", 9, requires={A})]) == [
        "9: target `out` needs A, which Break (line 2) invalidates and no later pass establishes again"
    ]


@pytest.mark.parametrize("rule", ["Late", "late"])
def test_after_and_before_name_passes_by_class_or_by_name(rule):
    passes = entry("Early", 1, after=(rule,)), entry("Late", 2)
    assert messages(*passes) == ["1: Early must come after Late (line 2): move it down"]


def test_a_pass_that_must_come_earlier_is_moved_up():
    passes = entry("First", 1), entry("Second", 2, before=("First",))
    assert messages(*passes) == ["2: Second must come before First (line 1): move it up"]


def test_neighbours_that_are_not_there_break_no_rule():
    assert messages(entry("Alone", 1, after=("X",), before=("Y",))) == []


def test_one_of_several_occurrences_satisfies_a_rule():
    passes = entry("Twice", 1), entry("Use", 2, after=("Twice",), before=("Twice",)), entry("Twice", 3)
    assert messages(*passes) == []


def test_a_pair_that_breaks_two_rules_is_reported_once():
    passes = entry("B", 1, after=("A",)), entry("A", 2, before=("B",))
    assert messages(*passes) == ["1: B must come after A (line 2): move it down"]

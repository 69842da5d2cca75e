# SPDX-License-Identifier: Apache-2.0
"""What is said of integer expressions, and the forms that they are given: random expressions are evaluated."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pypto_build.analysis.analyzer import Analyzer
from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.folding import Folder, FoldEverything
from pypto_build.analysis.interval import Interval
from pypto_build.analysis.normal_forms import RewritingRules, SumsOfProducts
from pypto_build.analysis.residue import Residue
from pypto_build.analysis.shorter_forms import fits
from pypto_build.analysis.symbolic_ranges import symbolic_range
from pypto_build.ir import ConstInt, binary, collect
from tests.unit.analysis.integers import BINARY, COMPARED, COMPARISONS, CONDITIONS, EXPRS, SMALL, VARIABLES, n, value

NUMBERS = st.fixed_dictionaries(dict.fromkeys(VARIABLES, SMALL))
WIDTHS = st.tuples(*[st.integers(0, 4)] * 6)
STEPS = st.tuples(*[st.integers(1, 4)] * 3)


def knowing(numbers, widths, steps=(1, 1, 1)):
    """Bounds in which every variable lies around its number and leaves the remainder that it does."""
    bounds = Bounds()
    for var, below, above, step in zip(VARIABLES, widths[:3], widths[3:], steps, strict=True):
        bounds.bound(var, Interval(numbers[var] - below, numbers[var] + above))
        bounds.leave(var, Residue(step, numbers[var]))
    return bounds


@given(EXPRS, NUMBERS, WIDTHS, STEPS)
def test_the_value_lies_in_its_interval_and_leaves_its_remainder(expr, numbers, widths, steps):
    found = value(expr, numbers)
    assume(found is not None)
    bounds = knowing(numbers, widths, steps)
    assert Interval(found, found).is_within(bounds.of(expr))
    assert bounds.residue(expr).contains(found)


@pytest.mark.parametrize("folder", [Folder, RewritingRules, SumsOfProducts])
@given(st.one_of(EXPRS, CONDITIONS), NUMBERS, WIDTHS, STEPS)
def test_another_form_has_the_same_value(folder, expr, numbers, widths, steps):
    found = FoldEverything(folder(knowing(numbers, widths, steps))).visit(expr)
    before = value(expr, numbers)
    assert before is None or value(found, numbers) == before


@given(st.one_of(EXPRS, CONDITIONS), NUMBERS, WIDTHS, STEPS)
def test_folding_makes_nothing_longer_and_is_done_after_one_go(expr, numbers, widths, steps):
    folder = Folder(knowing(numbers, widths, steps))
    found = FoldEverything(folder).visit(expr)
    assert folder.size(found) <= folder.size(expr)
    assert FoldEverything(folder).visit(found) is found


@given(EXPRS)
def test_a_sum_of_products_is_left_alone(expr):
    folder = SumsOfProducts(Bounds())
    found = FoldEverything(folder).visit(expr)
    assert FoldEverything(folder).visit(found) is found


@given(st.lists(COMPARISONS, min_size=1, max_size=4), st.one_of(COMPARISONS, CONDITIONS), NUMBERS)
def test_what_follows_from_facts_that_hold_holds(facts, question, numbers):
    analyzer = Analyzer()
    for fact in facts:
        assume(value(fact, numbers) is not None)
        analyzer.bounds.assume(fact, holds=value(fact, numbers))
    answer = value(question, numbers)
    assert answer is None or answer or not analyzer.proves(question)


@given(st.lists(COMPARISONS, min_size=1, max_size=4), EXPRS, NUMBERS)
def test_the_value_lies_between_its_symbolic_ends(facts, expr, numbers):
    bounds = Bounds()
    for fact in facts:
        assume(value(fact, numbers) is not None)
        bounds.assume(fact, holds=value(fact, numbers))
    found, form = value(expr, numbers), symbolic_range(bounds, expr)
    assume(found is not None)
    low, high = [end and number_of(bounds, end, numbers) for end in (form.low, form.high)]
    assert low is None or low <= found
    assert high is None or found <= high


def number_of(bounds, form, numbers):
    """The number that a linear form stands for; None where it divides by zero."""
    parts = [(value(bounds.atoms.expr(atom), numbers), count) for atom, count in form.terms]
    return None if any(part is None for part, _ in parts) else form.constant + sum(a * b for a, b in parts)


LARGE = st.one_of(SMALL, st.integers(2**63 - 9, 2**63 - 1), st.integers(-(2**63), -(2**63) + 9)).map(n)
LARGE_EXPRS = st.recursive(
    st.one_of(st.sampled_from(VARIABLES), LARGE), lambda e: st.builds(binary, BINARY, e, e), max_leaves=6
)


@pytest.mark.parametrize("folder", [Folder, RewritingRules, SumsOfProducts])
@given(st.one_of(LARGE_EXPRS, st.builds(binary, COMPARED, LARGE_EXPRS, LARGE_EXPRS)), NUMBERS)
def test_no_constant_of_a_form_is_too_large_for_its_type(folder, expr, numbers):
    found = FoldEverything(folder(Bounds())).visit(expr)
    assert all(fits(constant.value, constant.dtype) for constant in collect(found, ConstInt))
    before = value(expr, numbers)
    assert before is None or value(found, numbers) == before

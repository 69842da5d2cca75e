# SPDX-License-Identifier: Apache-2.0
"""Every rewriting rule keeps the value, and the rules of one table make everything shorter."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pypto_build.analysis.analyzer import Analyzer
from pypto_build.analysis.folding import FoldEverything
from pypto_build.analysis.rewrite_patterns import COMPUTED, Hole, Number, Shape, rules
from pypto_build.analysis.rewrite_rules import NORMAL, SHORTER
from pypto_build.ir import Add, DataType, Mul, binary, same_value
from tests.unit.analysis.integers import X, Y, Z, n
from tests.unit.ir.build import scalar

NUMBERS = st.fixed_dictionaries(dict.fromkeys(("x", "y", "z", "c1", "c2", "c3"), st.integers(-6, 6)))


def every(table):
    """One rule of each line of a table, in its first order."""
    return {rule.text: rule for rule in reversed(table.rules)}.values()


def number_of(pattern, numbers):
    match pattern:
        case Hole(name):
            return numbers[name]
        case Number(name, value):
            return numbers[name] if value is None else value
        case Shape(kind, parts):
            return COMPUTED[kind](*[number_of(part, numbers) for part in parts])


@pytest.mark.parametrize("rule", [*every(SHORTER), *every(NORMAL)], ids=lambda rule: rule.text)
@given(numbers=NUMBERS)
def test_a_rule_keeps_the_value_where_its_conditions_hold(rule, numbers):
    if all(number_of(condition, numbers) for condition in rule.conditions):
        assert number_of(rule.pattern, numbers) == number_of(rule.result, numbers)


def parts_of(pattern):
    """How many operators and numbers a pattern has, and how often it has each name; what is of numbers is one."""
    match pattern:
        case Hole(name):
            return Counter({name: 1})
        case Number():
            return Counter({"": 1})
        case Shape(_, parts):
            inner = sum(map(parts_of, parts), Counter())
            return Counter({"": 1}) if set(inner) == {""} else inner + Counter({"": 1})


@pytest.mark.parametrize("rule", every(SHORTER), ids=lambda rule: rule.text)
def test_a_rule_of_the_shortening_table_has_a_result_with_fewer_parts(rule):
    before, after = parts_of(rule.pattern), parts_of(rule.result)
    assert all(after[name] <= before[name] for name in after)
    assert after.total() < before.total()


def test_operands_may_trade_places():
    assert {rule.pattern for rule in rules("x + y * 2 -> x")} == {
        Shape(Add, parts)
        for product in ((Hole("y"), Number("", 2)), (Number("", 2), Hole("y")))
        for parts in ((Hole("x"), Shape(Mul, product)), (Shape(Mul, product), Hole("x")))
    }


@pytest.mark.parametrize("text", ["x -> x + ", "f(x) -> x", "x ** 2 -> x"])
def test_what_is_no_rule_is_refused(text):
    with pytest.raises((SyntaxError, KeyError, AssertionError)):
        rules(text)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (binary("max_", binary("add", X, Y), binary("add", Z, Y)), binary("add", Y, binary("max_", X, Z))),
        (binary("lt", binary("floordiv", X, 4), n(3)), binary("lt", X, 12)),
        (binary("gt", X, Y), binary("lt", Y, X)),
        (binary("floordiv", binary("mul", X, Y), Y), None),
    ],
    ids=str,
)
def test_the_first_rule_that_fits_is_applied(expr, expected):
    found = FoldEverything(Analyzer().rules).visit(expr)
    assert found is expr if expected is None else same_value(found, expected)


def test_a_condition_on_a_name_must_be_certain():
    analyzer = Analyzer()
    analyzer.bounds.assume(binary("gt", Y, 0))
    assert FoldEverything(analyzer.rules).visit(binary("floordiv", binary("mul", X, Y), Y)) is X


def test_rules_leave_floating_point_numbers_alone():
    left, right = scalar("f", DataType.FP32), scalar("g", DataType.FP32)
    expr = binary("gt", left, right)
    assert FoldEverything(Analyzer().rules).visit(expr) is expr

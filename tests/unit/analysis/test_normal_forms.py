# SPDX-License-Identifier: Apache-2.0
"""Sums of products, and the forms that rewriting rules end in."""

import pytest

from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.folding import FoldEverything
from pypto_build.analysis.normal_forms import RewritingRules, SumsOfProducts
from pypto_build.ir import ConstInt, Min, Neg, binary, collect, same_value
from tests.unit.analysis.integers import X, Y, Z, n
from tests.unit.ir.build import INT64


def sums(expr):
    return FoldEverything(SumsOfProducts(Bounds())).visit(expr)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (binary("mul", binary("add", X, Y), 3), binary("add", binary("mul", X, 3), binary("mul", Y, 3))),
        (binary("add", X, X), binary("mul", X, 2)),
        (Neg(binary("add", X, 3), INT64), binary("add", Neg(X, INT64), n(-3))),
        (binary("sub", X, binary("sub", Y, Z)), binary("sub", binary("add", X, Z), Y)),
        (
            binary("floordiv", binary("add", binary("mul", X, 4), binary("add", Y, 9)), 4),
            binary("add", binary("add", X, binary("floordiv", binary("add", Y, 1), 4)), 2),
        ),
        (binary("floordiv", binary("mul", binary("floordiv", X, 2), 3), 6), binary("floordiv", X, 4)),
        (binary("mod", binary("add", binary("mul", X, 9), 9), 4), binary("mod", binary("add", X, 1), 4)),
        (binary("add", binary("mul", binary("floordiv", X, 4), 4), binary("mod", X, 4)), X),
        (binary("sub", X, binary("mul", binary("floordiv", X, 4), 4)), binary("mod", X, 4)),
    ],
    ids=str,
)
def test_a_sum_of_products(expr, expected):
    assert same_value(sums(expr), expected)


def test_other_operators_than_sums_stay_unless_of_constants():
    comparison = binary("eq", X, X)
    assert sums(comparison) is comparison
    assert same_value(sums(binary("max_", binary("add", n(1), 2), 2)), n(3))


def test_a_sum_that_its_type_does_not_hold_stays():
    expr = binary("add", ConstInt(2**63 - 1, INT64), n(1))
    assert sums(expr) is expr


def test_rules_that_call_for_one_another_end():
    expr = X
    for _ in range(20):
        expr = binary("sub", binary("min_", binary("sub", expr, Z), Y), binary("sub", X, Z))
    found = FoldEverything(RewritingRules(Bounds())).visit(binary("add", expr, Z))
    assert len(collect(found, Min)) == 20

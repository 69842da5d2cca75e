# SPDX-License-Identifier: Apache-2.0
"""Random integer expressions and conditions over three variables, and what they stand for."""

from hypothesis import strategies as st

from pypto_build import ir
from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.folding import Folder, FoldEverything
from pypto_build.analysis.interval import Interval
from pypto_build.analysis.rewrite_patterns import COMPUTED
from pypto_build.ir import binary
from tests.unit.ir.build import BOOL, INT64, number, scalar

X, Y, Z = VARIABLES = tuple(scalar(name, INT64) for name in "xyz")
SMALL = st.integers(-9, 9)


def n(value):
    """A 64-bit constant."""
    return number(value, INT64)


def fold(expr, **ranges):
    """An expression folded from its leaves up, with some variables known to lie in a range."""
    bounds = Bounds()
    for var in VARIABLES:
        if var.name_hint in ranges:
            bounds.bound(var, Interval(*ranges[var.name_hint]))
    return FoldEverything(Folder(bounds)).visit(expr)


def _unary(kind, operand):
    return kind(operand, INT64)


def _comparison(name, left, right):
    return binary(name, left, right)


BINARY = st.sampled_from(["add", "sub", "mul", "floordiv", "mod", "min_", "max_"])
_LEAVES = st.one_of(st.sampled_from(VARIABLES), SMALL.map(n))
EXPRS = st.recursive(
    _LEAVES,
    lambda e: st.one_of(st.builds(binary, BINARY, e, e), st.builds(_unary, st.sampled_from([ir.Neg, ir.Abs]), e)),
    max_leaves=10,
)
COMPARED = st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"])
COMPARISONS = st.builds(_comparison, COMPARED, EXPRS, EXPRS)
CONDITIONS = st.recursive(
    COMPARISONS,
    lambda c: st.one_of(
        st.builds(binary, st.sampled_from(["and_", "or_"]), c, c), c.map(lambda one: ir.Not(one, BOOL))
    ),
    max_leaves=4,
)


def value(expr, numbers):
    """The number or truth that an expression stands for; None where it divides by zero."""
    if isinstance(expr, ir.Var):
        return numbers[expr]
    if isinstance(expr, ir.ConstInt | ir.ConstBool):
        return expr.value
    parts = [value(part, numbers) for part in ir.node.iter_children(expr)]
    if None in parts or (isinstance(expr, ir.FloorDiv | ir.FloorMod) and parts[1] == 0):
        return None
    return abs(*parts) if isinstance(expr, ir.Abs) else COMPUTED[type(expr)](*parts)

# SPDX-License-Identifier: Apache-2.0
"""Sine and cosine of FP32 tiles in additions, multiplications and casts, which are all that the vector core has.

The argument is brought into half a turn around 0: with k the number of half turns nearest to it, t = x - k * pi (for
the cosine t = x + pi/2 - k * pi) lies in [-pi/2, pi/2], where a polynomial of degree 9 gives the sine; its sign is that
of (-1)**k. Pi is subtracted in five parts. The first two have 8 and 9 significant bits, so that their products with k
are exact while k has at most 15 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from pypto_build.ir import Call, DataType, Expr, Var
from pypto_build.ops.build.tile import elementwise
from pypto_passes.composite_body import Body

INVERSE_PI: Final = 0.31830987334251404


class Of(Enum):
    """What a term of a range reduction adds a multiple of."""

    HALF_TURNS = "half turns"
    ONE = "one"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What sine and cosine do differently: how half turns are counted, and the terms that are added to x in order."""

    offset: float
    rounding: str
    terms: tuple[tuple[Of, float], ...]


SINE: Final = Recipe(
    offset=0.0,
    rounding="round",
    terms=(
        (Of.HALF_TURNS, 3.140625),
        (Of.HALF_TURNS, 0.0009670257568359375),
        (Of.HALF_TURNS, 6.2771141529083252e-07),
        (Of.HALF_TURNS, 1.2164491636212915e-10),
        (Of.HALF_TURNS, -1.0290622927356871e-13),
    ),
)
COSINE: Final = Recipe(
    offset=0.5,
    rounding="rint",
    terms=(
        *SINE.terms[:2],
        (Of.ONE, 1.5707963705062866),
        *SINE.terms[2:],
        (Of.ONE, -4.3711388286737929e-08),
    ),
)
"""A multiple of half turns is subtracted, a multiple of one added. All numbers are exact in FP32.

Source: the public recipe of PyPTO (split of pi after Cody and Waite, coefficients below of least largest error).
"""

HIGHEST_COEFFICIENT: Final = 2.6049265215988271e-06
LOWER_COEFFICIENTS: Final = (-0.00019808944489341229, 0.0083330497145652771, -0.16666658222675323, 1.0)
"""Of t**9, and of t**7, t**5, t**3 and t."""


def expand_sine(body: Body, call: Call) -> Call:
    """The sine of a tile.

    Error against the exact value, as the tests measure it: at most 2**-22 while |x| <= 2**15 * pi. Beyond, the first
    product is rounded, and the error is at most |x| * 2**-24, half the distance of x to its neighbour, as long as
    |x| <= 2**22 * pi. Nothing is promised for larger numbers. NaN gives NaN, infinity any number.
    """
    return _expand(body, call.args[0], SINE)


def expand_cosine(body: Body, call: Call) -> Call:
    """The cosine of a tile, with the error of the sine."""
    return _expand(body, call.args[0], COSINE)


def _expand(body: Body, x: Expr, recipe: Recipe) -> Call:
    half_turns = _half_turns(body, x, recipe)
    rest = x
    for of, factor in recipe.terms:
        rest = _with_term(body, rest, half_turns if of is Of.HALF_TURNS else None, factor)
    sign = _sign(body, half_turns)
    return elementwise.mul(sign, _odd_polynomial(body, rest))


def _half_turns(body: Body, x: Expr, recipe: Recipe) -> Var:
    turns = body.bind("turns", elementwise.muls(x, INVERSE_PI))
    if recipe.offset:
        turns = body.bind("turns", elementwise.adds(turns, recipe.offset))
    return _whole(body, turns, recipe.rounding)


def _whole(body: Body, value: Expr, rounding: str) -> Var:
    """The value rounded to an integer, as FP32."""
    integer = body.bind("integer", elementwise.cast(value, DataType.INT32, rounding))
    return body.bind("whole", elementwise.cast(integer, DataType.FP32, "none"))


def _with_term(body: Body, rest: Expr, half_turns: Expr | None, factor: float) -> Var:
    if half_turns is None:
        return body.bind("rest", elementwise.adds(rest, factor))
    return body.bind("rest", elementwise.sub(rest, body.bind("part", elementwise.muls(half_turns, factor))))


def _sign(body: Body, half_turns: Expr) -> Var:
    """(-1)**k as floor(k / 2) * 4 - 2 * k + 1: 1 for even k, -1 for odd k."""
    pairs = _whole(body, body.bind("half", elementwise.muls(half_turns, 0.5)), "floor")
    even = body.bind("even", elementwise.muls(pairs, 4.0))
    all_ = body.bind("all", elementwise.muls(half_turns, -2.0))
    return body.bind("sign", elementwise.adds(body.bind("odd", elementwise.add(even, all_)), 1.0))


def _odd_polynomial(body: Body, t: Expr) -> Var:
    """The sine of t in [-pi/2, pi/2]: t times a polynomial in t * t, from the highest coefficient down."""
    square = body.bind("square", elementwise.mul(t, t))
    value = body.bind("product", elementwise.muls(square, HIGHEST_COEFFICIENT))
    for coefficient in LOWER_COEFFICIENTS[:-1]:
        value = body.bind("sum", elementwise.adds(value, coefficient))
        value = body.bind("product", elementwise.mul(value, square))
    value = body.bind("sum", elementwise.adds(value, LOWER_COEFFICIENTS[-1]))
    return body.bind("sine", elementwise.mul(t, value))

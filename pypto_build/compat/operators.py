# SPDX-License-Identifier: Apache-2.0
"""Python's operators on expressions: for foreign code `a + b` builds IR, with the place where it stands.

`==` builds a comparison too, so a foreign `x == y` is always true; between our own frames it is identity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pypto_build.compat.callers import caller_span, frame_at, is_own
from pypto_build.dsl.language.arithmetic import Arithmetic
from pypto_build.ir import Expr, ScalarType, binary
from pypto_build.ir.scalar import bit_not, neg

_BINARY: Final = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "truediv",
    "floordiv": "floordiv",
    "mod": "mod",
    "pow": "pow",
    "and": "bit_and",
    "or": "bit_or",
    "xor": "bit_xor",
    "lshift": "bit_shift_left",
    "rshift": "bit_shift_right",
}
_COMPARE: Final = ("lt", "le", "gt", "ge")


def _operand(value: object) -> Expr | int | float | None:
    if isinstance(value, Arithmetic):
        return value.unwrap()
    return value if isinstance(value, Expr | int | float) else None


def _binary(factory: str, *, swapped: bool) -> Callable[[Expr, object], object]:
    def operator(own: Expr, other: object) -> object:
        operand = _operand(other)
        if operand is None:
            return NotImplemented
        left, right = (operand, own) if swapped else (own, operand)
        return binary(factory, left, right, caller_span())

    return operator


def _equality(factory: str, *, same: bool) -> Callable[[Expr, object], object]:
    def operator(own: Expr, other: object) -> object:
        operand = _operand(other)
        if operand is None or is_own(frame_at(1)) or not isinstance(own.type, ScalarType):
            return (own is other) is same
        return binary(factory, own, operand, caller_span())

    return operator


def patch(set_attribute: Callable[[type, str, object], None]) -> None:
    """Put the operators on Expr."""
    for name, factory in _BINARY.items():
        set_attribute(Expr, f"__{name}__", _binary(factory, swapped=False))
        set_attribute(Expr, f"__r{name}__", _binary(factory, swapped=True))
    for name in _COMPARE:
        set_attribute(Expr, f"__{name}__", _binary(name, swapped=False))
    set_attribute(Expr, "__eq__", _equality("eq", same=True))
    set_attribute(Expr, "__ne__", _equality("ne", same=False))
    set_attribute(Expr, "__hash__", object.__hash__)
    set_attribute(Expr, "__neg__", _negated)
    set_attribute(Expr, "__invert__", _inverted)


def _negated(own: Expr) -> Expr:
    return neg(own, caller_span())


def _inverted(own: Expr) -> Expr:
    return bit_not(own, caller_span())

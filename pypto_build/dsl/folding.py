# SPDX-License-Identifier: Apache-2.0
"""Operators and built-in functions applied to Python values while a kernel is read, within bounds.

Python has none: `10**10**10`, `"a" * 10**10` or `list(range(10**10))` would take the machine with them.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sized
from typing import Final, cast

from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserTypeError, UnsupportedFeatureError

BITS: Final = 256  # of an integer that is computed; what the IR holds has 64
ITEMS: Final = 1 << 16  # of a list, a range or a text that is computed

PYTHON_OPERATORS: Final = cast("Mapping[str, Callable[..., object]]", vars(operator))
FOLDING: Final[Mapping[type[ast.AST], Callable[..., object]]] = {
    ast.Add: PYTHON_OPERATORS["add"],
    ast.Sub: PYTHON_OPERATORS["sub"],
    ast.Mult: PYTHON_OPERATORS["mul"],
    ast.Div: PYTHON_OPERATORS["truediv"],
    ast.FloorDiv: PYTHON_OPERATORS["floordiv"],
    ast.Mod: PYTHON_OPERATORS["mod"],
    ast.Pow: PYTHON_OPERATORS["pow"],
    ast.LShift: PYTHON_OPERATORS["lshift"],
    ast.RShift: PYTHON_OPERATORS["rshift"],
    ast.BitAnd: PYTHON_OPERATORS["and_"],
    ast.BitOr: PYTHON_OPERATORS["or_"],
    ast.BitXor: PYTHON_OPERATORS["xor"],
    ast.USub: PYTHON_OPERATORS["neg"],
    ast.UAdd: PYTHON_OPERATORS["pos"],
    ast.Invert: PYTHON_OPERATORS["invert"],
}
"""The operators that Python values can stand beside."""


def _power(base: object, exponent: object, modulus: object = None) -> object:
    if isinstance(base, int) and isinstance(exponent, int) and abs(exponent) * max(base.bit_length(), 1) > BITS:
        raise OverflowError("the power is too large")
    return pow(cast("int", base), cast("int", exponent), cast("int | None", modulus))


SAFE_BUILTINS: Final[Mapping[str, Callable[..., object]]] = {
    "abs": abs,
    "bool": bool,
    "dict": dict,
    "float": float,
    "int": int,
    "isinstance": isinstance,
    "len": len,
    "list": list,
    "max": max,
    "min": min,
    "pow": _power,
    "range": range,
    "round": round,
    "sorted": sorted,
    "str": str,
    "sum": sum,
    "tuple": tuple,
}
"""The functions of Python that a kernel may call with constants."""


def check_arguments(function: object, arguments: Iterable[object]) -> None:
    """Refuse to hand a long range to a built-in function that walks through it; OverflowError says so."""
    if function in SAFE_BUILTINS.values() and function is not len:
        for argument in arguments:
            if isinstance(argument, range) and not -ITEMS <= argument.stop - argument.start <= ITEMS:
                raise OverflowError(f"a range of more than {ITEMS} numbers")


def fold(context: Context, node: ast.expr, *, op: ast.AST, operands: tuple[object, ...]) -> object:
    """An operator applied to Python values."""
    function = FOLDING.get(type(op))
    if function is None:
        name = type(op).__name__
        context.fail(UnsupportedFeatureError, f"Unsupported binary operator: {name}", node)
    try:
        _check_size(op, operands)
        result = _power(*operands) if isinstance(op, ast.Pow) else function(*operands)
    except (TypeError, ValueError, ArithmeticError) as error:
        context.fail(ParserTypeError, f"Failed to evaluate expression '{ast.unparse(node)}': {error}", node)
    if isinstance(result, int) and result.bit_length() > BITS:
        context.fail(ParserTypeError, f"'{ast.unparse(node)}' is larger than any integer of the language", node)
    return result


def _check_size(op: ast.AST, operands: tuple[object, ...]) -> None:
    """OverflowError when the result would be large."""
    if isinstance(op, ast.LShift) and isinstance(operands[1], int) and operands[1] > BITS:
        raise OverflowError("the shift is too large")
    if isinstance(op, ast.Mult) and any(isinstance(one, Sized) for one in operands):
        items = 1
        for one in operands:
            items *= len(one) if isinstance(one, Sized) else one if isinstance(one, int) else 1
        if items > ITEMS:
            raise OverflowError(f"more than {ITEMS} items")
    if isinstance(op, ast.Mod) and isinstance(operands[0], str | bytes):
        raise TypeError("text is formatted with an f-string")

# SPDX-License-Identifier: Apache-2.0
"""Python's operators on scalars of the language: they build IR, as the same text inside a kernel does."""

from __future__ import annotations

from pypto_build.ir import Expr, binary
from pypto_build.ir.scalar import bit_not, neg


class Arithmetic:
    """Operators for a class that wraps a scalar expression; `wrap` makes the result."""

    __slots__ = ()

    def unwrap(self) -> Expr:
        """The scalar expression."""
        raise NotImplementedError(f"{type(self).__name__}.unwrap")

    def wrap(self, expr: Expr) -> object:
        """What an operator returns for an expression."""
        raise NotImplementedError(f"{type(self).__name__}.wrap")

    def _binary(self, name: str, other: object, *, swapped: bool = False) -> object:
        operand = other.unwrap() if isinstance(other, Arithmetic) else other
        if not isinstance(operand, Expr | int | float):
            return NotImplemented
        own = self.unwrap()
        left, right = (operand, own) if swapped else (own, operand)
        return self.wrap(binary(name, left, right))

    def __add__(self, other: object) -> object:
        return self._binary("add", other)

    def __radd__(self, other: object) -> object:
        return self._binary("add", other, swapped=True)

    def __sub__(self, other: object) -> object:
        return self._binary("sub", other)

    def __rsub__(self, other: object) -> object:
        return self._binary("sub", other, swapped=True)

    def __mul__(self, other: object) -> object:
        return self._binary("mul", other)

    def __rmul__(self, other: object) -> object:
        return self._binary("mul", other, swapped=True)

    def __truediv__(self, other: object) -> object:
        return self._binary("truediv", other)

    def __rtruediv__(self, other: object) -> object:
        return self._binary("truediv", other, swapped=True)

    def __floordiv__(self, other: object) -> object:
        return self._binary("floordiv", other)

    def __rfloordiv__(self, other: object) -> object:
        return self._binary("floordiv", other, swapped=True)

    def __mod__(self, other: object) -> object:
        return self._binary("mod", other)

    def __rmod__(self, other: object) -> object:
        return self._binary("mod", other, swapped=True)

    def __lt__(self, other: object) -> object:
        return self._binary("lt", other)

    def __le__(self, other: object) -> object:
        return self._binary("le", other)

    def __gt__(self, other: object) -> object:
        return self._binary("gt", other)

    def __ge__(self, other: object) -> object:
        return self._binary("ge", other)

    def __neg__(self) -> object:
        return self.wrap(neg(self.unwrap()))

    def __invert__(self) -> object:
        return self.wrap(bit_not(self.unwrap()))

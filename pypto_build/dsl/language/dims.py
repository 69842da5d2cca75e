# SPDX-License-Identifier: Apache-2.0
"""`pl.dynamic(name)`: a dimension that is known only when the kernel runs."""

from __future__ import annotations

from pypto_build.dsl.language.arithmetic import Arithmetic
from pypto_build.dsl.language.values import Scalar
from pypto_build.ir import DataType, Expr, Var, scalar_type


class DynVar(Arithmetic):
    """A dynamic dimension; every use of one object is the same IR variable."""

    __slots__ = ("_var", "name")

    def __init__(self, name: str) -> None:
        if not isinstance(name, str) or not name.isidentifier():  # type: ignore[unnecessary-isinstance]  # users' input
            raise ValueError(f"pl.dynamic() needs a name that is a Python identifier, got {name!r}")
        self.name = name
        self._var: Var | None = None

    def unwrap(self) -> Var:
        """The INDEX variable of this dimension, made on first use."""
        if self._var is None:
            self._var = Var(self.name, scalar_type(DataType.INDEX))
        return self._var

    def wrap(self, expr: Expr) -> Scalar:
        """The result of an operator."""
        return Scalar(expr=expr)

    def __repr__(self) -> str:
        return f"pl.dynamic({self.name!r})"


def dynamic(name: str) -> DynVar:
    """A dynamic dimension for shapes in annotations; keep the object and use it wherever the same extent is meant."""
    return DynVar(name)

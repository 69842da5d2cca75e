# SPDX-License-Identifier: Apache-2.0
"""The parameters of a specialized function: what its annotations say, completed by what it is given."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from pypto_build.dsl.annotations import AnnotationResolver, is_bare_class
from pypto_build.dsl.annotations_names import MISSING
from pypto_build.dsl.diagnostics import ParserTypeError
from pypto_build.dsl.jit.arguments import Number
from pypto_build.dsl.jit.function import Given
from pypto_build.dsl.language import values
from pypto_build.ir import (
    ArrayType,
    ConstInt,
    DataType,
    DistributedTensorType,
    Expr,
    ParamDirection,
    ScalarType,
    TensorLayout,
    TensorType,
    TileType,
    Type,
    Var,
    collect,
    rebuilt,
    scalar_type,
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as it is compiled; value is the number that its uses stand for."""

    type: Type
    direction: ParamDirection
    value: Number | None = None


_KINDS: Mapping[type, type[Type]] = {
    values.Tensor: TensorType,
    values.DistributedTensor: TensorType,
    values.Tile: TileType,
    values.Scalar: ScalarType,
    values.Array: ArrayType,
}


@dataclass(slots=True)
class ParameterReader:
    """Reads the parameters of one function; dimensions are those that the program's types have named."""

    resolver: AnnotationResolver
    function: str
    given: Mapping[str, Given]
    bound: Mapping[tuple[str, int], Var]
    dimensions: set[Var] = field(default_factory=set[Var])

    def read(self, argument: ast.arg) -> Parameter:
        """One parameter.

        Raises:
            ParserTypeError: it is not annotated, or its type is neither written nor given.
        """
        if argument.annotation is None:
            hint = "Write a: pl.Tensor, n: pl.Scalar[pl.INT32], or a whole type"
            raise self._error(f"Parameter '{argument.arg}' is missing type annotation", argument, hint)
        given = self.given.get(argument.arg, Given())
        kind, direction = self._declared(argument, argument.annotation, given)
        if isinstance(kind, TensorType | TileType):
            kind = rebuilt(kind, {"shape": self._extents(argument, kind.shape)})
            self.dimensions.update(var for extent in kind.shape for var in collect(extent, Var))
        return Parameter(kind, direction, self._value(argument, kind, given.value))

    def _declared(self, argument: ast.arg, annotation: ast.expr, given: Given) -> tuple[Type, ParamDirection]:
        direction, inner = self.resolver.split_direction(annotation)
        held = self.resolver.names.value(inner) if isinstance(inner, ast.Name | ast.Attribute) else MISSING
        if isinstance(held, DataType):
            return scalar_type(held), direction
        if isinstance(held, type) and is_bare_class(held) and held in _KINDS:
            return self._filled(argument, held, given.type), direction
        return self.resolver.resolve_param(annotation)

    def _filled(self, argument: ast.arg, head: type, given: Type | None) -> Type:
        """The type of an argument as that of the parameter; the place in memory stays the caller's."""
        wanted, name = _KINDS[head], argument.arg
        if given is None:
            raise self._error(
                f"Nothing says what the parameter '{name}' of '{self.function}' is",
                argument,
                _FORMS[head].format(argument.arg),
            )
        if not isinstance(given, wanted):
            kind = type(given).__name__.removesuffix("Type")
            raise self._error(
                f"Parameter '{name}' of '{self.function}' is a {head.__name__}, it is given a {kind}", argument
            )
        if not isinstance(given, TensorType | TileType):
            return given
        shape = self._extents(argument, given.shape)
        for extent in shape:
            self._check_extent(argument, extent)
        if isinstance(given, TileType):
            return rebuilt(given, {"shape": shape, "memref": None})
        view = given.tensor_view if given.tensor_view and given.tensor_view.layout is not TensorLayout.ND else None
        cls = DistributedTensorType if head is values.DistributedTensor else TensorType
        return cls(shape, given.dtype, None, view)

    def _check_extent(self, argument: ast.arg, extent: Expr) -> None:
        if isinstance(extent, ConstInt) or all(var in self.dimensions for var in collect(extent, Var)):
            return
        where = f"Parameter '{argument.arg}' of '{self.function}'"
        raise self._error(
            f"{where} is given an extent that is known only when the program runs: {extent}",
            argument,
            'Declare it: M = pl.dynamic("M") in front of the function, and pl.Tensor[[M, 64], pl.FP32] here',
        )

    def _extents(self, argument: ast.arg, shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """A shape with the extents that `bind_dynamic` names."""
        named = {axis: var for (name, axis), var in self.bound.items() if name == argument.arg}
        for axis in named:
            if not 0 <= axis < len(shape):
                hint = f"It has {len(shape)} dimensions"
                raise self._error(f"'{argument.arg}' has no dimension {axis} to bind", argument, hint)
        self.dimensions.update(named.values())
        return tuple(named.get(axis, extent) for axis, extent in enumerate(shape))

    def _value(self, argument: ast.arg, kind: Type, value: Number | None) -> Number | None:
        """A number as a value of the parameter's type."""
        if value is None:
            return None
        if not isinstance(kind, ScalarType):
            raise self._error(
                f"Parameter '{argument.arg}' of '{self.function}' is no number, it is given {value}", argument
            )
        whole = isinstance(value, int) or value.is_integer()
        if kind.dtype.is_float():
            return float(value)
        if kind.dtype is DataType.BOOL and value in (0, 1):
            return bool(value)
        if kind.dtype.is_int() and whole and not isinstance(value, float):
            return int(value)
        raise self._error(f"Parameter '{argument.arg}' of '{self.function}' is {kind}, it is given {value}", argument)

    def _error(self, message: str, argument: ast.arg, hint: str | None = None) -> ParserTypeError:
        return self.resolver.names.error(message, argument, hint)


_FORMS: Mapping[type, str] = {
    values.Tensor: "Give its type, as in {}=f32[64,64], or write it: pl.Tensor[[64, 64], pl.FP32]",
    values.DistributedTensor: "Give its type, as in {}=f32[64], or write it: pld.DistributedTensor[[64], pl.FP32]",
    values.Tile: "Write the type of {}: pl.Tile[[64, 64], pl.FP32]",
    values.Scalar: "Give it, as in {0}=7 or {0}=i32, or write its type: pl.Scalar[pl.INT32]",
    values.Array: "Write the type of {}: pl.Array[16, pl.INT32]",
}

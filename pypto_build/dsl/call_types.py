# SPDX-License-Identifier: Apache-2.0
"""The type of a call of a function: the callee's result types with its dimensions replaced by the caller's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pypto_build.dsl.callees import Signature
from pypto_build.ir import (
    UNKNOWN_TYPE,
    BinaryExpr,
    ConstInt,
    Expr,
    Rewriter,
    ScalarType,
    ShapedType,
    TensorType,
    TileType,
    TupleType,
    Type,
    Var,
    same_value,
)


def call_type(signature: Signature, arguments: Sequence[Expr], return_types: Sequence[Type]) -> Type:
    """The type of a call; ValueError when two arguments give one dimension different sizes."""
    types = substituted(signature, arguments, return_types)
    if not types:
        return UNKNOWN_TYPE
    return types[0] if len(types) == 1 else TupleType(types)


def substituted(signature: Signature, arguments: Sequence[Expr], types: Sequence[Type]) -> tuple[Type, ...]:
    """The callee's types as the caller sees them."""
    if not types:
        return ()
    bindings = _bindings(signature, arguments)
    if not bindings:
        return tuple(types)
    rewriter = Rewriter(bindings)
    return tuple(rewriter.visit_type(one) for one in types)


def _bindings(signature: Signature, arguments: Sequence[Expr]) -> dict[Var, Expr]:
    found: dict[Var, Expr] = {}
    repeated: list[tuple[Var, Expr]] = []
    for param, argument in zip(signature.params, arguments, strict=False):
        if isinstance(param.type, ScalarType):
            found.setdefault(param, argument)
        for formal, actual in _dimensions(param.type, argument.type):
            _bind(found, repeated, formal, actual=actual)
    for var, value in list(found.items()):
        others = {other: given for other, given in found.items() if other is not var and not _mentions(given, other)}
        found[var] = Rewriter(others).visit(value) if not isinstance(value, ConstInt) else value
    for var, value in repeated:
        _check(signature, var, found[var], again=Rewriter(found).visit(value))
    return {var: value for var, value in found.items() if value is not var}


def _dimensions(formal: Type, actual: Type) -> Iterator[tuple[Expr, Expr]]:
    if isinstance(formal, ShapedType) and isinstance(actual, ShapedType):
        yield from zip(formal.shape, actual.shape, strict=False)
        yield from zip(_valid_shape(formal), _valid_shape(actual), strict=False)
    elif isinstance(formal, TupleType) and isinstance(actual, TupleType):
        for one, other in zip(formal.types, actual.types, strict=False):
            yield from _dimensions(one, other)


def _valid_shape(kind: ShapedType) -> Sequence[Expr]:
    view = kind.tile_view if isinstance(kind, TileType) else kind.tensor_view if isinstance(kind, TensorType) else None
    return () if view is None else view.valid_shape


def _bind(found: dict[Var, Expr], repeated: list[tuple[Var, Expr]], formal: Expr, *, actual: Expr) -> None:
    """Bind a dimension; a composite one only where both sides have the same shape of expression."""
    if isinstance(formal, Var):
        known = found.get(formal)
        if known is None or known is formal:
            found[formal] = actual
        elif not same_value(known, actual):
            repeated.append((formal, actual))
    elif isinstance(formal, BinaryExpr) and type(formal) is type(actual):
        assert isinstance(actual, BinaryExpr)
        if isinstance(formal.left, Var) and same_value(formal.right, actual.right):
            _bind(found, repeated, formal.left, actual=actual.left)
        elif isinstance(formal.right, Var) and same_value(formal.left, actual.left):
            _bind(found, repeated, formal.right, actual=actual.right)


def _check(signature: Signature, var: Var, first: Expr, *, again: Expr) -> None:
    if isinstance(first, ConstInt) and isinstance(again, ConstInt) and first.value != again.value:
        raise ValueError(
            f"Dynamic dimension '{var.name_hint}' of function '{signature.name}' has conflicting bindings: "
            f"{first.value} and {again.value}"
        )


def _mentions(value: Expr, var: Var) -> bool:
    if isinstance(value, BinaryExpr):
        return _mentions(value.left, var) or _mentions(value.right, var)
    return value is var

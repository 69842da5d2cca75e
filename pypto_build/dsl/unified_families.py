# SPDX-License-Identifier: Apache-2.0
"""Families of operations that choose their level by the first operand; each function here makes one operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pypto_build.dsl.language.builders import builder
from pypto_build.dsl.language.signatures import signature_of
from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Expr, ScalarType, TensorType, TileType
from pypto_build.ir import binary as binary_expr
from pypto_build.ir.scalar import as_expr

Operation = Callable[..., object]


def kind_of(value: object) -> str:
    """`Tensor`, `Tile` or `Scalar` for a value of that kind, else the name of its class."""
    kind = value.type if isinstance(value, Expr) else None
    if isinstance(kind, TensorType):
        return "Tensor"
    if isinstance(kind, TileType):
        return "Tile"
    if isinstance(kind, ScalarType) or (isinstance(value, int | float) and not isinstance(value, bool)):
        return "Scalar"
    return type(kind if kind is not None else value).__name__


def level_of(name: str, value: object, *, plural: str = "") -> str:
    """The namespace that serves a first operand; TypeError when none does."""
    kind = kind_of(value)
    if kind in ("Tensor", "Tile"):
        return kind.lower()
    advice = "; scalars are combined with Python operators" if kind == "Scalar" else ""
    raise TypeError(f"pl.{name}: expected Tensor or Tile{plural}, got {kind}{advice}")


def build(level: str, name: str, *args: object, **kwargs: object) -> object:
    """The call of `level.name`."""
    function = builder(level, name)
    if function is None:
        raise TypeError(f"pl.{name}: expected Tensor or Tile operands of its own level, there is no pl.{level}.{name}")
    return function(*args, **kwargs)


def refuse(name: str, given: Mapping[str, tuple[object, object]], reason: str) -> None:
    """TypeError for the first argument (name -> value, default) that differs from its default."""
    for argument, (value, default) in given.items():
        if value is not default:
            raise TypeError(f"pl.{name}: '{argument}' is not supported for {reason}")


def named(function: Operation, name: str, module_doc: str) -> Operation:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = module_doc
    return function


def unary(name: str) -> Operation:
    def operation(input: object, span: Span = UNKNOWN_SPAN) -> object:
        return build(level_of(name, input), name, input, span=span)

    return named(operation, name, f"`tensor.{name}` or `tile.{name}`.")


def precise(name: str) -> Operation:
    def operation(input: object, high_precision: bool = False, span: Span = UNKNOWN_SPAN) -> object:
        return build(level_of(name, input), name, input, high_precision=high_precision, span=span)

    return named(operation, name, f"`tensor.{name}` or `tile.{name}`; high_precision picks the slower, exacter path.")


def pair(name: str, lhs: object, rhs: object) -> str:
    """The level of two operands that must be of one kind, or of a scalar on the right."""
    kinds = {kind_of(lhs), kind_of(rhs)}
    if kinds == {"Tensor", "Tile"}:
        raise TypeError(f"pl.{name}: cannot mix Tensor and Tile operands")
    return level_of(name, lhs, plural=" operands")


def binary(name: str) -> Operation:
    variant = f"{name.removesuffix('_')}s"

    def operation(lhs: object, rhs: object, span: Span = UNKNOWN_SPAN) -> object:
        level = pair(name, lhs, rhs)
        chosen = variant if kind_of(rhs) == "Scalar" and builder(level, variant) is not None else name
        return build(level, chosen, lhs, rhs, span=span)

    return named(operation, name, f"`tensor.{name}` or `tile.{name}`; a scalar on the right selects `{variant}`.")


def arithmetic(name: str, scalar: str, *, variant: str | None = None) -> Operation:
    def operation(lhs: object, rhs: object, span: Span = UNKNOWN_SPAN) -> object:
        kinds = (kind_of(lhs), kind_of(rhs))
        if kinds == ("Scalar", "Scalar"):
            return scalars(scalar, lhs, rhs, span=span)
        level = pair(name, lhs, rhs)
        chosen = variant if variant is not None and kinds[1] == "Scalar" else name
        return build(level, chosen, lhs, rhs, span=span)

    return named(operation, name, f"`{name}` of tensors, tiles or scalars; a scalar on the right selects `{variant}`.")


def scalars(factory: str, lhs: object, rhs: object, *, span: Span) -> Expr:
    left, right = (value if isinstance(value, Expr | int | float) else 0 for value in (lhs, rhs))
    return binary_expr(factory, as_expr(left, span), as_expr(right, span), span)


def reduction(name: str, needs_scratch: bool = True) -> Operation:
    def operation(input: object, tmp_tile: object = None, span: Span = UNKNOWN_SPAN) -> object:
        level = level_of(name, input)
        if level == "tensor":
            refuse(name, {"tmp_tile": (tmp_tile, None)}, "Tensor inputs, which get their scratch tile later")
            return build(level, name, input, span=span)
        if tmp_tile is None:
            if needs_scratch:
                raise TypeError(f"pl.{name}: Tile inputs require tmp_tile, a scratch tile that the caller owns")
            return build(level, name, input, span=span)
        return build(level, name, input, tmp_tile, span=span)

    return named(operation, name, f"`tensor.{name}`, or `tile.{name}` with a scratch tile.")


def light_reduction(name: str) -> Operation:
    return reduction(name, needs_scratch=False)


def expansion(name: str) -> Operation:
    def operation(lhs: object, rhs: object, span: Span = UNKNOWN_SPAN) -> object:
        return build(pair(name, lhs, rhs), name, lhs, rhs, span=span)

    return named(operation, name, f"`tensor.{name}` or `tile.{name}`.")


def scratch_expansion(name: str) -> Operation:
    def operation(lhs: object, rhs: object, tmp: object = None, span: Span = UNKNOWN_SPAN) -> object:
        level = pair(name, lhs, rhs)
        if level == "tensor" and tmp is not None:
            raise TypeError(f"pl.{name}: Tensor inputs must not pass tmp")
        return build(level, name, lhs, rhs, *(() if tmp is None else (tmp,)), span=span)

    return named(operation, name, f"`tensor.{name}` or `tile.{name}`.")


def with_scratch(name: str) -> Operation:
    def operation(lhs: object, rhs: object, tmp: object = None, span: Span = UNKNOWN_SPAN) -> object:
        level = level_of(name, lhs, plural=" operands")
        if level == "tensor":
            if tmp is not None:
                raise TypeError(f"pl.{name}: Tensor inputs must not pass tmp")
            return build(level, name, lhs, rhs, span=span)
        if tmp is None:
            raise TypeError(f"pl.{name}: Tile inputs require an explicit scratch tile")
        return build(level, name, lhs, rhs, tmp, span=span)

    return named(operation, name, f"`tensor.{name}`, or `tile.{name}` with a scratch tile.")


def forward(name: str, written: str) -> Operation:
    """An operation whose arguments have the same order at both levels; its signature here, as text."""
    signature = signature_of(written)
    parameters = [one.name for one in signature.parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD]

    def operation(*args: object, span: Span = UNKNOWN_SPAN, **kwargs: object) -> object:
        placed = list(args)
        while len(placed) < len(parameters) and parameters[len(placed)] in kwargs:
            placed.append(kwargs.pop(parameters[len(placed)]))
        if not placed:
            raise TypeError(f"pl.{name}: missing argument '{parameters[0]}'")
        level = level_of(name, placed[0])
        if level == "tensor" and kwargs.get("tmp") is not None:
            raise TypeError(f"pl.{name}: Tensor inputs must not pass tmp")
        return build(level, name, *placed, span=span, **kwargs)

    operation.__signature__ = signature
    return named(operation, name, f"`tensor.{name}` or `tile.{name}`.")


def scalar_pair(name: str, factory: str) -> Operation:
    def operation(lhs: object, rhs: object, span: Span = UNKNOWN_SPAN) -> object:
        if (kind_of(lhs), kind_of(rhs)) == ("Scalar", "Scalar"):
            return scalars(factory, lhs, rhs, span=span)
        return build("tile", name, lhs, rhs, span=span)

    return named(operation, name, f"The {name} of two scalars.")


def table(make: Callable[[str], Operation], names: Iterable[str]) -> dict[str, Operation]:
    return {name: make(name) for name in names}

# SPDX-License-Identifier: Apache-2.0
"""The operations by name, and the one place where calls of them are made, checked and typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from functools import cached_property

from pypto_build.errors import UNKNOWN_SPAN, Span, UserError
from pypto_build.ir import (
    EMPTY_MAP,
    Call,
    Expr,
    MakeTuple,
    MemorySpace,
    ScalarType,
    ShapedType,
    TileType,
    TupleType,
    Type,
    as_int,
    frozen_map,
)
from pypto_build.ops.deduce import format_dim, in_space
from pypto_build.ops.definition import FromInput, FromKwarg, KwargDef, OpDef
from pypto_build.ops.operands import Operands, kind_of
from pypto_build.ops.validation import validate


class OpRegistry:
    """An immutable mapping from names to definitions."""

    def __init__(self, definitions: Iterable[OpDef]) -> None:
        """Take over definitions that keep the rules of `validate`.

        Raises:
            ValueError: a rule is broken, or two definitions have the same name.
        """
        listed = tuple(definitions)
        validate(listed)
        self._by_name = {definition.name: definition for definition in listed}
        if len(self._by_name) != len(listed):
            names = sorted(d.name for d in listed if self._by_name[d.name] is not d)
            raise ValueError(f"operators defined twice: {', '.join(names)}")

    def get(self, name: str) -> OpDef:
        """The definition of this name; ValueError when there is none."""
        found = self._by_name.get(name)
        if found is None:
            raise ValueError(f"Operator '{name}' not found in registry")
        return found

    def has(self, name: str) -> bool:
        """Whether there is an operation of this name."""
        return name in self._by_name

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All names, sorted."""
        return tuple(sorted(self._by_name))

    def extended(self, definitions: Iterable[OpDef]) -> OpRegistry:
        """A registry with further operations, checked by the same rules."""
        return OpRegistry((*self._by_name.values(), *definitions))

    def create_call(
        self,
        name: str,
        args: Sequence[Expr],
        kwargs: Mapping[str, object] | None = None,
        span: Span = UNKNOWN_SPAN,
        attrs: Mapping[str, object] | None = None,
    ) -> Call:
        """A call with checked arguments and attributes and the deduced type.

        Raises:
            ValueError: unknown operation or attribute, wrong number or kind of arguments; ends with ` at file:l:c`.
            TypeError: an attribute of the wrong type.
        """
        definition = self.get(name)
        values = _checked_kwargs(definition, kwargs) if kwargs else EMPTY_MAP
        operands = Operands(name, tuple(args), values, span)
        try:
            _check_presence(definition, operands)
            result = definition.deduce(operands)
            _check_output_arity(definition, result)
            _check_extents(operands, result)
        except Exception as error:
            _add_place(error, span)
            raise
        placed = _placed(definition, operands, result)
        return Call(definition.op, operands.args, values, frozen_map(attrs), placed, span)


def _checked_kwargs(definition: OpDef, kwargs: Mapping[str, object]) -> Mapping[str, object]:
    checked: dict[str, object] = {}
    for name, value in kwargs.items():
        schema = definition.kwarg(name)
        if schema is None:
            raise ValueError(f"Unknown kwarg '{name}' for operator '{definition.name}'")
        checked[name] = _checked_value(definition, schema, value)
    return frozen_map(checked)


def _checked_value(definition: OpDef, schema: KwargDef, value: object) -> object:
    wanted = schema.type
    if wanted is int and isinstance(value, int) and not isinstance(value, bool):
        return int(value) if isinstance(value, IntEnum) else value
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if wanted is not int and isinstance(value, wanted):
        return value
    raise TypeError(
        f"Kwarg '{schema.name}' for operator '{definition.name}' has incompatible type: "
        f"expected {wanted.__name__}, got {type(value).__name__}"
    )


def _check_presence(definition: OpDef, operands: Operands) -> None:
    count, least, most = len(operands.args), definition.least_args, definition.most_args
    if count < least or (most is not None and count > most):
        wanted = f"exactly {least}" if least == most else f"at least {least}" if most is None else f"{least} to {most}"
        plural = "" if wanted == "exactly 1" else "s"
        raise ValueError(f"The operator {definition.name} requires {wanted} argument{plural}, but got {count}")
    for kwarg in definition.kwargs:
        if kwarg.required and kwarg.name not in operands.kwargs:
            raise ValueError(f"The operator {definition.name} requires a '{kwarg.name}' kwarg")


def _check_output_arity(definition: OpDef, result: Type) -> None:
    found = len(result.types) if isinstance(result, TupleType) else 1
    arity = definition.output_arity
    if found != arity or (found == 1 and isinstance(result, TupleType)):
        shown = f"a tuple of {found}" if isinstance(result, TupleType) else kind_of(result)
        raise ValueError(f"The operator {definition.name} declares {arity} result(s), but its type is {shown}")


def _check_extents(operands: Operands, result: Type) -> None:
    """What no deduction may let through: lists of anything but integers, and results of a negative size."""
    for number, arg in enumerate(operands.args):
        for element in arg.elements if isinstance(arg, MakeTuple) else ():
            kind = element.type
            if not isinstance(kind, ScalarType) or not kind.dtype.is_int():
                message = f"requires integers in the list of argument {number}, but got {format_dim(element)}"
                raise operands.error(message)
    for extent in result.shape if isinstance(result, ShapedType) else ():
        size = as_int(extent)
        if size is not None and size < 0:
            raise operands.error(f"requires sizes that are not negative, but makes {size}")


def _add_place(error: Exception, span: Span) -> None:
    if not span.is_valid():
        return
    text = str(error)
    if isinstance(error, UserError):
        error.message = f"{text} at {span}"
    error.args = (f"{text} at {span}",)


def _placed(definition: OpDef, operands: Operands, result: Type) -> Type:
    """The type with a memory space on every tile that deduction left without one."""
    if isinstance(result, TileType):
        if result.memory_space is not None:
            return result
        space = output_space(definition, operands)
        return result if space is None else in_space(result, space)
    if isinstance(result, TupleType):
        elements = tuple(_placed(definition, operands, element) for element in result.types)
        return result if all(a is b for a, b in zip(elements, result.types, strict=True)) else TupleType(elements)
    return result


def output_space(definition: OpDef, operands: Operands) -> MemorySpace | None:
    """The space of the result: as the memory spec says, else that of the first tile argument."""
    output = definition.memory.output if definition.memory is not None else None
    if isinstance(output, MemorySpace):
        return output
    if isinstance(output, FromKwarg):
        value = operands.kwargs.get(output.name, output.default)
        return value if isinstance(value, MemorySpace) else None
    if definition.no_memory and not isinstance(output, FromInput):
        return None
    return next((arg.type.memory_space for arg in operands.args if isinstance(arg.type, TileType)), None)

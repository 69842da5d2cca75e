# SPDX-License-Identifier: Apache-2.0
"""The function that builds the call of an operation: written for it, or made from its entry in the registry."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import isfunction
from typing import TYPE_CHECKING, Final, cast

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import DataType, Expr, MakeTuple
from pypto_build.ir.scalar import as_expr

if TYPE_CHECKING:
    from pypto_build.ops import OpRegistry

Builder = Callable[..., object]

NAMESPACES: Final[Mapping[str, tuple[str, ...]]] = {
    "tile": ("tile",),
    "tensor": ("tensor",),
    "system": ("system",),
    "array": ("array",),
    "prefetch": ("prefetch",),
    "pld": ("distributed",),
    "pld.tensor": ("distributed_tensor",),
    "pld.tile": ("distributed_tile",),
    "pld.system": ("distributed_system",),
    "builtin.tensor": (),
    "dist": (),
    "test": (),
}
"""The namespaces of operations, and the modules of builders that answer for each."""

_OF_TILES: Final = ("tpush_", "tpop_")  # operations on tiles that the language also offers under `system`


def builder(namespace: str, name: str) -> Builder | None:
    """The function that builds `namespace.name`; None when there is no such operation."""
    from pypto_build.ops import current_registry  # the registry is loaded when the first operation is asked for

    return _builtin(namespace, name) or _from_registry(f"{namespace}.{name}", current_registry())


@cache
def _builtin(namespace: str, name: str) -> Builder | None:
    if namespace == "system" and name.startswith(_OF_TILES):
        return _builtin("tile", name)
    for module_name in NAMESPACES[namespace]:
        module = _module(module_name)
        found = getattr(module, name, None) if name in getattr(module, "__all__", ()) else None
        if isfunction(found):
            return found
    from pypto_build.ops import builtin_registry

    return _from_registry(f"{namespace}.{name}", builtin_registry())


@cache
def _module(name: str) -> object:
    dotted = f"pypto_build.ops.build.{name}"
    return importlib.import_module(dotted) if importlib.util.find_spec(dotted) is not None else None


@cache
def _from_registry(name: str, registry: OpRegistry) -> Builder | None:
    if not registry.has(name):
        return None

    def build(*args: object, span: Span = UNKNOWN_SPAN, **kwargs: object) -> Expr:
        operands = tuple(operand(argument, span) for argument in args)
        return registry.create_call(name, operands, kwargs, span)

    build.__name__ = name
    return build


def operand(value: object, span: Span) -> Expr:
    """A Python value as an operand: numbers become constants, lists become tuples."""
    if isinstance(value, list | tuple):
        return MakeTuple(tuple(operand(item, span) for item in cast("Sequence[object]", value)), span)
    if isinstance(value, Expr | int | float):
        return as_expr(value, span)
    if isinstance(value, DataType):
        raise TypeError(f"a dtype is passed by keyword, got {value!r}")
    raise TypeError(f"expected an IR value, a number or a list of them, got {type(value).__name__}")

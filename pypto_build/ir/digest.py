# SPDX-License-Identifier: Apache-2.0
"""The digest of a function or program: SHA-256 of its canonical form.

The canonical form walks the field table: no places, no comments, names included, Vars numbered by first appearance.
Every token is self-delimiting (strings are quoted, tuples and mappings state their size), so two forms agree only if
the structures do. One hash over one large text is twice as fast as hashing node by node; a digest is remembered
beside the function, which is safe because a function never changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, cast
from weakref import WeakKeyDictionary

from pypto_build.errors import InternalError
from pypto_build.ir.dtype import DataType
from pypto_build.ir.expr import GlobalVar, Op, Var
from pypto_build.ir.node import Entity
from pypto_build.ir.program import Function, Program

_remembered: WeakKeyDictionary[Function, str] = WeakKeyDictionary()


def function_digest(function: Function) -> str:
    """The hexadecimal SHA-256 of a function's canonical form."""
    known = _remembered.get(function)
    if known is None:
        known = hashlib.sha256(canonical_form(function).encode()).hexdigest()
        _remembered[function] = known
    return known


def program_digest(program: Program) -> str:
    """The hexadecimal SHA-256 over the program's name and its functions' digests in name order."""
    lines = [repr(program.name), *(function_digest(function) for function in program.functions.values())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def signature_digest(function: Function) -> str:
    """The digest of what callers see: name, parameters, directions, results, kind and attributes."""
    encoder = _Encoder()
    for part in (
        function.name,
        function.params,
        function.param_directions,
        function.return_types,
        function.func_type,
        function.level,
        function.role,
        function.attrs,
        function.requires_runtime_binding,
    ):
        encoder.value(part)
    return hashlib.sha256("\n".join(encoder.tokens).encode()).hexdigest()


def canonical_form(entity: Entity) -> str:
    """The text that is hashed, one token a line; two texts can be compared to see what changed."""
    encoder = _Encoder()
    encoder.value(entity)
    return "\n".join(encoder.tokens)


class _Encoder:
    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.numbers: dict[Var, int] = {}

    def value(self, value: object) -> None:
        encode = _ENCODERS.get(type(value))
        if encode is not None:
            self.tokens.append(encode(value))
        elif isinstance(value, Entity):
            self._entity(value)
        elif isinstance(value, tuple):
            items = cast("tuple[object, ...]", value)
            self.tokens.append(f"({len(items)}")
            for item in items:
                self.value(item)
        elif isinstance(value, Mapping):
            self._mapping(cast("Mapping[str, object]", value))
        elif isinstance(value, Enum):
            self.tokens.append(f"{type(value).__name__}.{value.name}")
        else:
            raise InternalError(f"a value of type {type(value).__name__} cannot be part of the IR")

    def _entity(self, entity: Entity) -> None:
        if isinstance(entity, Var):
            number = self.numbers.get(entity)
            if number is not None:
                self.tokens.append(f"%{number}")
                return
            self.numbers[entity] = len(self.numbers)
        self.tokens.append(type(entity).__name__)
        if isinstance(entity, Program):
            self._mapping({name.name: function for name, function in entity.functions.items()})
        for row in entity.DIGESTED:
            self.value(getattr(entity, row.name))

    def _mapping(self, mapping: Mapping[str, object]) -> None:
        self.tokens.append(f"{{{len(mapping)}")
        for key in sorted(mapping):
            self.tokens.append(repr(key))
            self.value(mapping[key])


def _nothing(value: Any) -> str:
    del value
    return "-"


def _dtype(value: Any) -> str:
    return f":{value}"


def _op(value: Any) -> str:
    return f"op {value.name!r}"


def _function_name(value: Any) -> str:
    return f"@{value.name!r}"


_ENCODERS: dict[type, Callable[[Any], str]] = {
    type(None): _nothing,
    bool: repr,
    int: repr,
    float: float.hex,
    str: repr,
    DataType: _dtype,
    Op: _op,
    GlobalVar: _function_name,
}

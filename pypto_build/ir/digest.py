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
from functools import cache
from operator import attrgetter
from typing import Any
from weakref import WeakKeyDictionary

from pypto_build.errors import InternalError
from pypto_build.ir.dtype import DataType
from pypto_build.ir.expr import GlobalVar, Op, Var
from pypto_build.ir.node import Entity
from pypto_build.ir.program import Function, Program
from pypto_build.ir.types import Type

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
        self._mentions = 0  # of Vars, so far
        self._closed: dict[int, tuple[Type, str]] = {}  # types that mention no Var, by identity, with their text

    def value(self, value: object) -> None:
        encode = _LEAVES.get(type(value))
        if encode is not None:
            self.tokens.append(encode(value))
        else:
            (_BRANCHES.get(type(value)) or _branch(type(value)))(self, value)

    def entity(self, entity: Entity) -> None:
        """Its class and its fields."""
        self.tokens.append(type(entity).__name__)
        tokens = self.tokens
        for value_of in _getters(type(entity)):
            value = value_of(entity)
            encode = _LEAVES.get(type(value))
            if encode is not None:
                tokens.append(encode(value))
            else:
                (_BRANCHES.get(type(value)) or _branch(type(value)))(self, value)

    def var(self, var: Var) -> None:
        """Itself where it appears first, its number after that."""
        self._mentions += 1
        number = self.numbers.get(var)
        if number is not None:
            self.tokens.append(f"%{number}")
            return
        self.numbers[var] = len(self.numbers)
        self.entity(var)

    def type(self, kind: Type) -> None:
        """A type; most mention no Var and appear often, and then their text is known."""
        known = self._closed.get(id(kind))
        if known is not None:
            self.tokens.append(known[1])
            return
        start, mentions = len(self.tokens), self._mentions
        self.entity(kind)
        if mentions == self._mentions:
            self._closed[id(kind)] = (kind, "\n".join(self.tokens[start:]))

    def program(self, program: Program) -> None:
        """The functions by name, and the name."""
        self.tokens.append(type(program).__name__)
        self.mapping({name.name: function for name, function in program.functions.items()})
        for row in program.DIGESTED:
            self.value(getattr(program, row.name))

    def items(self, items: tuple[object, ...]) -> None:
        """The size and the items."""
        self.tokens.append(f"({len(items)}")
        for item in items:
            self.value(item)

    def mapping(self, mapping: Mapping[str, object]) -> None:
        """The size and the entries in the order of their names."""
        self.tokens.append(f"{{{len(mapping)}")
        for key in sorted(mapping):
            self.tokens.append(repr(key))
            self.value(mapping[key])

    def member(self, value: Enum) -> None:
        """A member of an enumeration."""
        self.tokens.append(f"{type(value).__name__}.{value.name}")


def _nothing(value: Any) -> str:
    del value
    return "-"


def _dtype(value: Any) -> str:
    return f":{value}"


def _op(value: Any) -> str:
    return f"op {value.name!r}"


def _function_name(value: Any) -> str:
    return f"@{value.name!r}"


_LEAVES: dict[type, Callable[[Any], str]] = {
    type(None): _nothing,
    bool: repr,
    int: repr,
    float: float.hex,
    str: repr,
    DataType: _dtype,
    Op: _op,
    GlobalVar: _function_name,
}
_BRANCHES: dict[type, Callable[[_Encoder, Any], None]] = {tuple: _Encoder.items, Program: _Encoder.program}
_KINDS: tuple[tuple[type, Callable[[_Encoder, Any], None]], ...] = (
    (Var, _Encoder.var),
    (Type, _Encoder.type),
    (Entity, _Encoder.entity),
    (Mapping, _Encoder.mapping),
    (Enum, _Encoder.member),
    (tuple, _Encoder.items),
)


def _branch(kind: type) -> Callable[[_Encoder, Any], None]:
    """How values of a class are encoded; asked once per class."""
    for base, encode in _KINDS:
        if issubclass(kind, base):
            return _BRANCHES.setdefault(kind, encode)
    raise InternalError(f"a value of type {kind.__name__} cannot be part of the IR")


@cache
def _getters(kind: type[Entity]) -> tuple[Callable[[Entity], object], ...]:
    """Readers of the fields that the digest sees."""
    return tuple([attrgetter(row.name) for row in kind.DIGESTED])

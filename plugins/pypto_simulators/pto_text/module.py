# SPDX-License-Identifier: Apache-2.0
"""A module of PTO assembly in typed form: kernels, regions, operations, values.

Values are compared by identity: a name is looked up once, where it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pypto_build.errors import Span
from pypto_simulators.pto_text.types import Type

Attribute = bool | int | float | str
"""A value in braces; `#pto<cmp eq>` is its text."""


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """What an operation, a parameter or a region argument defines; the name begins with `%`."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One operation.

    operands: what it reads, in order. destinations: the buffers and views behind `outs`.
    named: operands that stand under a name, such as `offsets`. attributes: what stands in braces and words.
    """

    name: str
    span: Span
    operands: tuple[Value, ...] = ()
    destinations: tuple[Value, ...] = ()
    named: Mapping[str, tuple[Value, ...]] = field(default_factory=dict[str, tuple[Value, ...]])
    attributes: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])
    results: tuple[Value, ...] = ()
    regions: tuple[Region, ...] = ()

    def at(self, span: Span) -> Operation:
        """The same operation at another place."""
        return replace(self, span=span)


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Operations in braces, and the values that are given when it is entered."""

    arguments: tuple[Value, ...]
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """A function; `kind` is vector, cube, or empty for one that is neither alone.

    The arguments of the body are the parameters.
    """

    name: str
    kind: str
    body: Region
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """What one file holds; `arch` is the hardware that it is for."""

    arch: str
    kernels: tuple[Kernel, ...]

# SPDX-License-Identifier: Apache-2.0
"""How operations are written: a function for each form, and a table that says which operation has which.

Instructions on tiles are in destination-passing form, `pto.x ins(...) outs(...)`, unless the table says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from pypto_simulators.pto_text.module import Attribute, Operation, Value
from pypto_simulators.pto_text.type_reader import read_attributes, read_type
from pypto_simulators.pto_text.types import TileBuffer

if TYPE_CHECKING:
    from pypto_simulators.pto_text.reader import Head, Reader

Form = Callable[["Reader", "Head"], Operation]


def form_of(name: str, *, generic: bool) -> Form | None:
    """How an operation is written; None for one that is not known. A name in quotes is the generic form of MLIR."""
    if generic:
        return generic_form
    return _forms().get(name) or (destination_passing if name.startswith("pto.") else None)


@cache
def _forms() -> Mapping[str, Form]:
    from pypto_simulators.pto_text import crossing_forms, memory_forms, scalar_forms, structure_forms

    families = (scalar_forms, structure_forms, memory_forms, crossing_forms)
    return {name: form for family in families for name, form in family.FORMS.items()}


def destination_passing(reader: Reader, head: Head) -> Operation:
    """`ins(%a, %b {attributes} : A, B) outs(%d : D) {attributes}`; also `outs : T` for a scalar that is a result."""
    cursor = reader.cursor
    cursor.expect("ins")
    operands, attributes = _inputs(reader)
    destinations: tuple[Value, ...] = ()
    results: tuple[Value, ...] = ()
    if cursor.accept("outs"):
        if cursor.accept(":"):
            results = reader.results(head, read_type(cursor))
        else:
            destinations = parenthesized(reader)
    if cursor.at("{"):
        attributes |= read_attributes(cursor)
    return Operation(head.name, head.span, operands, destinations=destinations, attributes=attributes, results=results)


def _inputs(reader: Reader) -> tuple[tuple[Value, ...], dict[str, Attribute]]:
    """What stands behind `ins`: values, and attributes behind or between them."""
    cursor = reader.cursor
    operands: list[Value] = []
    attributes: dict[str, Attribute] = {}
    cursor.expect("(")
    while True:
        if cursor.at("{"):
            attributes |= read_attributes(cursor)
        else:
            operands.append(reader.use())
        if not cursor.at("{") and not cursor.accept(","):
            break
    cursor.expect(":")
    reader.typed(*operands)
    if cursor.accept(","):
        attributes["direction"] = cursor.string()
    cursor.expect(")")
    return tuple(operands), attributes


def parenthesized(reader: Reader) -> tuple[Value, ...]:
    """`(%a, %b : A, B)`."""
    reader.cursor.expect("(")
    values = reader.uses()
    if values:
        reader.cursor.expect(":")
        reader.typed(*values)
    reader.cursor.expect(")")
    return values


def generic_form(reader: Reader, head: Head) -> Operation:
    """`"pto.x"(%a, %d) {attributes} : (A, D) -> ()`; the tile at the end is the destination."""
    cursor = reader.cursor
    cursor.expect("(")
    values = reader.uses()
    cursor.expect(")")
    attributes = read_attributes(cursor) if cursor.at("{") else {}
    cursor.expect(":")
    cursor.expect("(")
    reader.typed(*values)
    cursor.expect(")")
    cursor.expect("->")
    cursor.expect("(")
    cursor.expect(")")
    count = len(values) - (1 if values and isinstance(values[-1].type, TileBuffer) else 0)
    return Operation(head.name, head.span, values[:count], destinations=values[count:], attributes=attributes)

# SPDX-License-Identifier: Apache-2.0
"""How loops, branches and returns are written: the dialect `scf`, and `return`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pypto_simulators.pto_text.lexer import Kind, Token
from pypto_simulators.pto_text.module import Operation, Region, Value
from pypto_simulators.pto_text.type_reader import read_type
from pypto_simulators.pto_text.types import Type

if TYPE_CHECKING:
    from pypto_simulators.pto_text.forms import Form
    from pypto_simulators.pto_text.reader import Head, Reader

YIELD, CONDITION, RETURN = "scf.yield", "scf.condition", "return"


def _for(reader: Reader, head: Head) -> Operation:
    """`scf.for %i = %low to %high step %by iter_args(%a = %init) -> (T) { ... }`."""
    cursor = reader.cursor
    counter = cursor.expect_kind(Kind.VALUE, "the counter of a loop")
    cursor.expect("=")
    low = reader.use()
    cursor.expect("to")
    high = reader.use()
    cursor.expect("step")
    by = reader.use()
    names, inits, types = _carried(reader) if cursor.accept("iter_args") else ((), (), ())
    region = reader.region([(counter, low.type), *zip(names, types, strict=True)])
    _check_yield(reader, head, region, types)
    named = {"bounds": (low, high, by), "carried": inits}
    return Operation(head.name, head.span, named=named, results=reader.results(head, *types), regions=(region,))


def _carried(reader: Reader) -> tuple[tuple[Token, ...], tuple[Value, ...], tuple[Type, ...]]:
    """`(%a = %init, ...) -> (T, ...)`."""
    names, inits = _initial_values(reader)
    reader.cursor.expect("->")
    return names, inits, _checked_types(reader, inits)


def _initial_values(reader: Reader) -> tuple[tuple[Token, ...], tuple[Value, ...]]:
    cursor = reader.cursor
    names: list[Token] = []
    inits: list[Value] = []
    cursor.expect("(")
    while not cursor.accept(")"):
        names.append(cursor.expect_kind(Kind.VALUE, "a name"))
        cursor.expect("=")
        inits.append(reader.use())
        if not cursor.at(")"):
            cursor.expect(",")
    return tuple(names), tuple(inits)


def _types(reader: Reader) -> tuple[Type, ...]:
    """`(A, B)`."""
    cursor = reader.cursor
    found: list[Type] = []
    cursor.expect("(")
    while not cursor.accept(")"):
        found.append(read_type(cursor))
        if not cursor.at(")"):
            cursor.expect(",")
    return tuple(found)


def _checked_types(reader: Reader, values: Sequence[Value]) -> tuple[Type, ...]:
    token = reader.cursor.token
    types = _types(reader)
    if types != tuple(value.type for value in values):
        raise reader.cursor.error(f"{len(types)} types do not fit the {len(values)} values that are carried", token)
    return types


def _check_yield(reader: Reader, head: Head, region: Region, types: Sequence[Type]) -> None:
    """A region that carries values ends with a yield of as many, of the same types."""
    yielded = yields_of(region)
    if tuple(value.type for value in yielded) != tuple(types):
        message = f"a region of {head.name} yields {len(yielded)} values for {len(types)} results"
        raise reader.cursor.error_at(message, head.span)


def yields_of(region: Region) -> tuple[Value, ...]:
    """The values that a region yields at its end."""
    last = region.operations[-1:]
    return last[0].operands if last and last[0].name == YIELD else ()


def _if(reader: Reader, head: Head) -> Operation:
    """`scf.if %c -> (T) { ... } else { ... }`."""
    cursor = reader.cursor
    condition = reader.use()
    types = _types(reader) if cursor.accept("->") else ()
    regions = [reader.region()]
    if cursor.accept("else"):
        regions.append(reader.region())
    if types and len(regions) < 2:
        raise reader.cursor.error_at(f"{head.name} has results, but no else", head.span)
    for region in regions:
        _check_yield(reader, head, region, types)
    return Operation(head.name, head.span, (condition,), results=reader.results(head, *types), regions=tuple(regions))


def _while(reader: Reader, head: Head) -> Operation:
    """`scf.while (%a = %init) : (T) -> (T) { ... scf.condition(%c) %a : T } do { ^bb0(%b : T): ... }`."""
    cursor = reader.cursor
    names, inits = _initial_values(reader) if cursor.at("(") else ((), ())
    cursor.expect(":")
    types = _checked_types(reader, inits)
    cursor.expect("->")
    made = _types(reader)
    before = reader.region(list(zip(names, types, strict=True)))
    cursor.expect("do")
    after = reader.region()
    passed = before.operations[-1].operands[1:] if before.operations else ()
    if not tuple(one.type for one in after.arguments) == tuple(one.type for one in passed) == made:
        raise reader.cursor.error_at(f"{head.name} passes {len(passed)} values to its second region", head.span)
    _check_yield(reader, head, after, types)
    named = {"carried": inits}
    return Operation(head.name, head.span, named=named, results=reader.results(head, *made), regions=(before, after))


def _terminator(reader: Reader, head: Head) -> Operation:
    """`scf.yield %a : T`, `return`."""
    values = reader.uses()
    if values:
        reader.cursor.expect(":")
        reader.typed(*values)
    return Operation(head.name, head.span, values)


def _condition(reader: Reader, head: Head) -> Operation:
    """`scf.condition(%c) %a : T`."""
    reader.cursor.expect("(")
    condition = reader.use()
    reader.cursor.expect(")")
    rest = _terminator(reader, head)
    return Operation(head.name, head.span, (condition, *rest.operands))


FORMS: Mapping[str, Form] = {
    "scf.for": _for,
    "scf.if": _if,
    "scf.while": _while,
    YIELD: _terminator,
    CONDITION: _condition,
    RETURN: _terminator,
}

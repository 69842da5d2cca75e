# SPDX-License-Identifier: Apache-2.0
"""How operations are written: a function for each form, and a table that says which operation has which.

Instructions on tiles are in destination-passing form, `pto.x ins(...) outs(...)`, unless the table says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from pypto_simulators.pto_text.lexer import Kind
from pypto_simulators.pto_text.module import Attribute, Operation, Value
from pypto_simulators.pto_text.type_reader import read_attribute, read_attributes, read_type
from pypto_simulators.pto_text.types import TileBuffer, Type

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
    from pypto_simulators.pto_text.scalar_forms import FORMS as SCALARS
    from pypto_simulators.pto_text.structure_forms import FORMS as STRUCTURES

    return {**FORMS, **SCALARS, **STRUCTURES}


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


def _allocation(reader: Reader, head: Head) -> Operation:
    """`pto.alloc_tile addr = %a valid_row = %r valid_col = %c : T`."""
    named: dict[str, tuple[Value, ...]] = {}
    cursor = reader.cursor
    while cursor.token.kind is Kind.WORD:
        name = cursor.take().text
        cursor.expect("=")
        named[name] = (reader.use(),)
    cursor.expect(":")
    return Operation(head.name, head.span, named=named, results=reader.results(head, read_type(cursor)))


def _view(reader: Reader, head: Head) -> Operation:
    """`pto.x %v, name = [%a], name = [%b] {attributes} : [V ->] T`."""
    cursor = reader.cursor
    source = reader.use()
    named: dict[str, tuple[Value, ...]] = {}
    while cursor.accept(","):
        name = cursor.expect_kind(Kind.WORD, "the name of an operand").text
        cursor.expect("=")
        named[name] = _listed(reader)
    attributes = read_attributes(cursor) if cursor.at("{") else {}
    cursor.expect(":")
    made = _converted(reader, source) if head.name == "pto.partition_view" else read_type(cursor)
    return Operation(
        head.name, head.span, (source,), named=named, attributes=attributes, results=reader.results(head, made)
    )


def _listed(reader: Reader) -> tuple[Value, ...]:
    """`[%a, %b]`."""
    reader.cursor.expect("[")
    values = reader.uses()
    reader.cursor.expect("]")
    return values


def _converted(reader: Reader, *values: Value) -> Type:
    """`A, B -> T`."""
    reader.typed(*values)
    reader.cursor.expect("->")
    return read_type(reader.cursor)


def _subview(reader: Reader, head: Head) -> Operation:
    """`pto.subview %s[%r, %c] sizes [16, 128] valid [%a, %b] : S -> T`."""
    cursor = reader.cursor
    source = reader.use()
    named = {"offsets": _listed(reader)}
    token = cursor.expect("sizes")
    cursor.expect("[")
    sizes = [cursor.integer("an extent")]
    while cursor.accept(","):
        sizes.append(cursor.integer("an extent"))
    cursor.expect("]")
    if cursor.accept("valid"):
        named["valid"] = _listed(reader)
    cursor.expect(":")
    made = _converted(reader, source)
    if not isinstance(made, TileBuffer) or made.shape != tuple(sizes):
        raise cursor.error(f"a window of sizes {sizes} cannot be {made}", token)
    return Operation(head.name, head.span, (source,), named=named, results=reader.results(head, made))


def _conversion(reader: Reader, head: Head) -> Operation:
    """`pto.x %s : S -> T`, `pto.x %p, %o : P -> T`, `pto.x %p[%o] : P -> T`."""
    source = reader.use()
    named = {"offsets": _listed(reader)} if reader.cursor.at("[") else {}
    rest = (reader.use(),) if reader.cursor.accept(",") else ()
    reader.cursor.expect(":")
    made = _converted(reader, source)
    return Operation(head.name, head.span, (source, *rest), named=named, results=reader.results(head, made))


def _declaration(reader: Reader, head: Head) -> Operation:
    """`pto.x {attributes} -> T`, `pto.x(%a, %b) {attributes} -> T`."""
    cursor = reader.cursor
    operands: tuple[Value, ...] = ()
    if cursor.accept("("):
        operands = reader.uses()
        cursor.expect(")")
    attributes = read_attributes(cursor) if cursor.at("{") else {}
    cursor.expect("->")
    made = read_type(cursor)
    return Operation(head.name, head.span, operands, attributes=attributes, results=reader.results(head, made))


def _element_written(reader: Reader, head: Head) -> Operation:
    """`pto.store_scalar %v, %p[%o] : P, V`."""
    value = reader.use()
    reader.cursor.expect(",")
    target = reader.use()
    named = {"offsets": _listed(reader)}
    reader.cursor.expect(":")
    reader.typed(target, value)
    return Operation(head.name, head.span, (value,), destinations=(target,), named=named)


def _array_element_written(reader: Reader, head: Head) -> Operation:
    """`pto.local_array_set %a[%i], %v : A, V`."""
    target = reader.use()
    named = {"offsets": _listed(reader)}
    reader.cursor.expect(",")
    value = reader.use()
    reader.cursor.expect(":")
    reader.typed(target, value)
    return Operation(head.name, head.span, (value,), destinations=(target,), named=named)


def _described(reader: Reader, head: Head) -> Operation:
    """`pto.set_validshape %t, %r, %c : T`."""
    values = reader.uses()
    reader.cursor.expect(":")
    reader.typed(*values[:1])
    return Operation(head.name, head.span, values[1:], destinations=values[:1])


def _pushed(reader: Reader, head: Head) -> Operation:
    """`pto.tpush_to_aiv(%t : T) {attributes}`; with `(name = %v : T)` behind them."""
    cursor = reader.cursor
    operands = parenthesized(reader) if cursor.at("(") else ()
    attributes = read_attributes(cursor) if cursor.at("{") else {}
    named: dict[str, tuple[Value, ...]] = {}
    if cursor.accept("("):
        while not cursor.accept(")"):
            name = cursor.expect_kind(Kind.WORD, "the name of an operand").text
            cursor.expect("=")
            named[name] = (reader.use(),)
            cursor.expect(":")
            reader.typed(*named[name])
            cursor.accept(",")
    return Operation(head.name, head.span, operands, named=named, attributes=attributes)


def _barrier_of_cores(reader: Reader, head: Head) -> Operation:
    """`pto.syncall(%v : T) mode = #..., core_type = #...`."""
    cursor = reader.cursor
    operands = parenthesized(reader)
    attributes: dict[str, Attribute] = {}
    while cursor.token.kind is Kind.WORD and not cursor.begins_line() and not cursor.at("loc"):
        name = cursor.take().text
        cursor.expect("=")
        attributes[name] = read_attribute(cursor)
        cursor.accept(",")
    return Operation(head.name, head.span, operands, attributes=attributes)


def _ordering(reader: Reader, head: Head) -> Operation:
    """What only orders memory accesses, to the end of its line: a run in the order of the text needs none of it."""
    cursor = reader.cursor
    while not cursor.begins_line() and not cursor.at("loc"):
        cursor.take()
    return Operation(head.name, head.span)


def _not_read(reader: Reader, head: Head) -> Operation:
    """What works across devices or beside the kernel, to the end of its line: it is known, but cannot be simulated."""
    cursor = reader.cursor
    made: tuple[Type, ...] = ()
    while not cursor.begins_line() and not cursor.at("loc"):
        if cursor.accept("->") and head.results:
            made = (read_type(cursor),)
        else:
            cursor.take()
    return Operation(head.name, head.span, results=reader.results(head, *made))


ORDERING = ("pto.barrier", "pto.fence.barrier_all", "pto.cmo.cacheinvalid", "pto.sync.set", "pto.sync.wait")
"""Operations without which a run in the order of the text comes to the same."""

_NOT_SIMULATED = (
    *(f"pto.comm.{name}" for name in ("tput", "tget", "tnotify", "twait", "wait_async_event")),
    *("pto.make_prefetch_async_context", "pto.get_prefetch_async_session", "pto.tprefetch_async", "func.call"),
)

FORMS: Mapping[str, Form] = {
    "pto.alloc_tile": _allocation,
    "pto.alloc_multi_tile": _allocation,
    "pto.make_tensor_view": _view,
    "pto.partition_view": _view,
    "pto.subview": _subview,
    "pto.treshape": _conversion,
    "pto.addptr": _conversion,
    "pto.load_scalar": _conversion,
    "pto.local_array_get": _conversion,
    "pto.multi_tile_get": _conversion,
    "pto.store_scalar": _element_written,
    "pto.local_array_set": _array_element_written,
    "pto.declare_local_array": _declaration,
    "pto.reserve_buffer": _declaration,
    "pto.import_reserved_buffer": _declaration,
    "pto.tpop_from_aic": _declaration,
    "pto.tpop_from_aiv": _declaration,
    "pto.tpush_to_aic": _pushed,
    "pto.tpush_to_aiv": _pushed,
    "pto.tfree_from_aic": _pushed,
    "pto.tfree_from_aiv": _pushed,
    "pto.aic_initialize_pipe": _pushed,
    "pto.aiv_initialize_pipe": _pushed,
    "pto.set_validshape": _described,
    "pto.syncall": _barrier_of_cores,
    "pto.set_ffts": _ordering,
    **dict.fromkeys(ORDERING, _ordering),
    **dict.fromkeys(_NOT_SIMULATED, _not_read),
}

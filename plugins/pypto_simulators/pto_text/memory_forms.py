# SPDX-License-Identifier: Apache-2.0
"""How tiles, views of global memory, arrays and their single elements are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pypto_simulators.pto_text.lexer import Kind
from pypto_simulators.pto_text.module import Operation, Value
from pypto_simulators.pto_text.type_reader import read_attributes, read_type
from pypto_simulators.pto_text.types import TileBuffer, Type

if TYPE_CHECKING:
    from pypto_simulators.pto_text.forms import Form
    from pypto_simulators.pto_text.reader import Head, Reader


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


def declaration(reader: Reader, head: Head) -> Operation:
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
    "pto.declare_local_array": declaration,
    "pto.set_validshape": _described,
}

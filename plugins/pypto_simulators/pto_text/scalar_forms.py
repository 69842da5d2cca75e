# SPDX-License-Identifier: Apache-2.0
"""How operations on scalars are written: the dialects `arith` and `math`, and the cast between signs of integers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from pypto_build.ir import DataType
from pypto_simulators.pto_text.lexer import Kind
from pypto_simulators.pto_text.module import Attribute, Operation
from pypto_simulators.pto_text.scalars import BINARY, CASTS, COMPARISONS, UNARY
from pypto_simulators.pto_text.type_reader import read_type
from pypto_simulators.pto_text.types import Scalar, Type, Vector

if TYPE_CHECKING:
    from pypto_simulators.pto_text.forms import Form
    from pypto_simulators.pto_text.reader import Head, Reader

_TRUTH: Final = Scalar(DataType.BOOL)


def _constant(reader: Reader, head: Head) -> Operation:
    """`arith.constant 64 : index`, `arith.constant dense<0> : vector<4xi16>`."""
    cursor = reader.cursor
    token = cursor.token
    dense = cursor.accept("dense")
    if dense:
        cursor.expect("<")
    bits = 0
    if cursor.token.kind is Kind.HEXADECIMAL:
        bits = 8 * (len(cursor.token.text) - 2) // 2
    value: Attribute = cursor.take().text == "true" if cursor.at("true", "false") else cursor.number(bits=bits)
    if dense:
        cursor.expect(">")
    kind = _stated(reader, value)
    if isinstance(kind, Vector) is not dense:
        raise cursor.error(f"{token.text} is no constant of type {kind}", token)
    return Operation(head.name, head.span, attributes={"value": value}, results=reader.results(head, kind))


def _stated(reader: Reader, value: Attribute) -> Type:
    """The type of a constant, which must suit its value; one of truth values needs none."""
    cursor = reader.cursor
    if not cursor.at(":") and isinstance(value, bool):
        return _TRUTH
    cursor.expect(":")
    token, kind = cursor.token, read_type(cursor)
    if not isinstance(kind, Scalar | Vector) or kind.dtype.is_unsigned_int():
        raise cursor.error(f"a constant cannot be of type {kind}", token)
    if kind.dtype.is_float() is not isinstance(value, float):
        raise cursor.error(f"{value} is no constant of type {kind}", token)
    return kind


def _comparison(reader: Reader, head: Head) -> Operation:
    """`arith.cmpi slt, %a, %b : T`."""
    cursor = reader.cursor
    predicate = cursor.expect_kind(Kind.WORD, "a predicate")
    if predicate.text not in COMPARISONS[head.name]:
        raise cursor.error(f"{head.name} has no predicate {predicate.text}", predicate)
    cursor.expect(",")
    return _with_operands(reader, head, 2, made=_TRUTH, attributes={"predicate": predicate.text})


def _with_operands(
    reader: Reader, head: Head, count: int, *, made: Type | None = None, attributes: Mapping[str, Attribute] = {}
) -> Operation:
    """`%a, %b : T`, of which all operands are; the result as well unless stated otherwise."""
    cursor = reader.cursor
    token, values = cursor.token, reader.uses()
    if len(values) != count:
        raise cursor.error(f"{head.name} has {count} operands", token)
    cursor.expect(":")
    _check_signless(reader, head)
    token, kind = cursor.token, read_type(cursor)
    for value in values:
        if value.type != kind:
            raise cursor.error(f"{value.name} is used as {kind}, but it is {value.type}", token)
    return Operation(head.name, head.span, values, attributes=attributes, results=reader.results(head, made or kind))


def _check_signless(reader: Reader, head: Head) -> None:
    """Operations of `arith` take integers of which the operation says the sign, not the type."""
    if reader.cursor.token.text.startswith("ui"):
        raise reader.cursor.error(f"{head.name} takes no operand of type {reader.cursor.token.text}")


def _binary(reader: Reader, head: Head) -> Operation:
    """`arith.addi %a, %b : T`."""
    return _with_operands(reader, head, 2)


def _unary(reader: Reader, head: Head) -> Operation:
    """`arith.negf %a : T`."""
    return _with_operands(reader, head, 1)


def _cast(reader: Reader, head: Head) -> Operation:
    """`arith.extsi %a : A to T`."""
    value = reader.use()
    reader.cursor.expect(":")
    if head.name.startswith("arith."):
        _check_signless(reader, head)
    reader.typed(value)
    reader.cursor.expect("to")
    if head.name.startswith("arith."):
        _check_signless(reader, head)
    made = read_type(reader.cursor)
    return Operation(head.name, head.span, (value,), results=reader.results(head, made))


def _selection(reader: Reader, head: Head) -> Operation:
    """`arith.select %c, %a, %b : T`."""
    cursor = reader.cursor
    token, values = cursor.token, reader.uses()
    if len(values) != 3 or values[0].type != _TRUTH:
        raise cursor.error(f"{head.name} has a truth value and two operands", token)
    cursor.expect(":")
    reader.typed(values[1])
    return Operation(head.name, head.span, values, results=reader.results(head, values[1].type))


FORMS: Mapping[str, Form] = {
    "arith.constant": _constant,
    "arith.select": _selection,
    **dict.fromkeys(COMPARISONS, _comparison),
    **dict.fromkeys(BINARY, _binary),
    **dict.fromkeys(UNARY, _unary),
    **dict.fromkeys(CASTS, _cast),
}

# SPDX-License-Identifier: Apache-2.0
"""How the traffic between cores is written: pipes, pushed and popped tiles, barriers; and what is only read over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pypto_simulators.pto_text.forms import parenthesized
from pypto_simulators.pto_text.lexer import Kind
from pypto_simulators.pto_text.memory_forms import declaration
from pypto_simulators.pto_text.module import Attribute, Operation, Value
from pypto_simulators.pto_text.type_reader import read_attribute, read_attributes, read_type
from pypto_simulators.pto_text.types import Type

if TYPE_CHECKING:
    from pypto_simulators.pto_text.forms import Form
    from pypto_simulators.pto_text.reader import Head, Reader


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
    "pto.reserve_buffer": declaration,
    "pto.import_reserved_buffer": declaration,
    "pto.tpop_from_aic": declaration,
    "pto.tpop_from_aiv": declaration,
    "pto.tpush_to_aic": _pushed,
    "pto.tpush_to_aiv": _pushed,
    "pto.tfree_from_aic": _pushed,
    "pto.tfree_from_aiv": _pushed,
    "pto.aic_initialize_pipe": _pushed,
    "pto.aiv_initialize_pipe": _pushed,
    "pto.syncall": _barrier_of_cores,
    "pto.set_ffts": _ordering,
    **dict.fromkeys(ORDERING, _ordering),
    **dict.fromkeys(_NOT_SIMULATED, _not_read),
}

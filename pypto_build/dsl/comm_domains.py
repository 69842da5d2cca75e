# SPDX-License-Identifier: Apache-2.0
"""`with pld.comm_domain(...)`: devices that share window buffers, as printed after the buffers have been gathered."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import cast

from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.ir import (
    Call,
    CommDomainScopeStmt,
    DistributedTensorType,
    Expr,
    Var,
    WindowBuffer,
    frozen_map,
    rebuilt,
)


@dataclass(slots=True)
class _Slot:
    """A buffer of the domain; what it is appears when the body allocates it."""

    name: str
    size: Expr | None = None
    load_from_host: bool = False
    store_to_host: bool = False
    buffer: WindowBuffer | None = None


def read_comm_domain(context: Context, scope: ast.With, call: ast.Call) -> None:
    """`with pld.comm_domain(devices=[...], slots=[...], name_hint=...):`"""
    devices: tuple[int, ...] = ()
    slots: list[_Slot] = []
    name_hint = ""
    attrs: dict[str, object] = {}
    for keyword in call.keywords:
        if keyword.arg == "slots":
            slots = _slots(context, keyword.value)
            continue
        value = context.value(keyword.value)
        if keyword.arg == "devices" and isinstance(value, list | tuple):
            devices = tuple(cast("list[int]", value))
        elif keyword.arg == "name_hint" and isinstance(value, str):
            name_hint = value
        elif keyword.arg == "attrs" and isinstance(value, dict):
            attrs = cast("dict[str, object]", value)
        else:
            context.fail(ParserSyntaxError, f"pld.comm_domain() does not accept '{keyword.arg}='", keyword)
    opened = context.notes.setdefault("slots", {})
    opened.update({slot.name: slot for slot in slots})
    end = context.comments.limit if context.comments else 0
    with context.block("comm_domain") as block:
        context.statements(scope.body, end)
    buffers = tuple(_buffer(context, slot, scope) for slot in slots)
    span = context.span(scope)
    body = context.body(block, context.span(scope.body[0]))
    context.emit(CommDomainScopeStmt(body, devices, buffers, name_hint, frozen_map(attrs), span))


def _slots(context: Context, node: ast.expr) -> list[_Slot]:
    if not isinstance(node, ast.List):
        context.fail(ParserSyntaxError, "pld.comm_domain(slots=...) must be a list literal", node)
    return [_slot(context, element) for element in node.elts]


def _slot(context: Context, node: ast.expr) -> _Slot:
    """`"name"`, or `pld.WindowBuffer("name", size, load_from_host=, store_to_host=)`"""
    call = node if isinstance(node, ast.Call) else None
    name = context.value(call.args[0] if call is not None and call.args else node)
    if not isinstance(name, str):
        context.fail(ParserSyntaxError, "A slot of pld.comm_domain() is named by a string", node)
    slot = _Slot(name)
    if call is None:
        return slot
    if len(call.args) > 1:
        slot.size = context.expr(call.args[1])
    flags = {keyword.arg: context.value(keyword.value) is True for keyword in call.keywords}
    slot.load_from_host = flags.get("load_from_host", False)
    slot.store_to_host = flags.get("store_to_host", False)
    return slot


def _buffer(context: Context, slot: _Slot, scope: ast.With) -> WindowBuffer:
    if slot.buffer is None:
        context.fail(ParserSyntaxError, f"The body of pld.comm_domain() allocates no buffer named '{slot.name}'", scope)
    return slot.buffer


def bind_slot(context: Context, var: Var, size: Expr) -> None:
    """The allocation of a slot's buffer."""
    slot = context.notes.get("slots", {}).get(var.name_hint)
    if isinstance(slot, _Slot):
        slot.buffer = WindowBuffer(
            var.name_hint,
            span=var.span,
            base=var,
            size=slot.size or size,
            load_from_host=slot.load_from_host,
            store_to_host=slot.store_to_host,
        )
        context.notes.setdefault("slot_buffers", {})[var] = slot.buffer


def with_buffer(context: Context, result: object) -> object:
    """A window of a slot's buffer refers to that buffer."""
    buffers = context.notes.get("slot_buffers")
    if not buffers or not isinstance(result, Call) or result.op.name != "pld.tensor.window":
        return result
    buffer, kind = buffers.get(result.args[0]), result.type
    if buffer is None or not isinstance(kind, DistributedTensorType):
        return result
    return rebuilt(result, {"type": rebuilt(kind, {"window_buffer": buffer})})

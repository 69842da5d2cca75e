# SPDX-License-Identifier: Apache-2.0
"""Carries that change together: a parallel copy put into an order, with temporaries where they go round in a circle."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pypto_build.ir import Expr, Var
from pypto_targets.orchestration.text import Name
from pypto_targets.orchestration.values import Array
from pypto_targets.orchestration.writer import Writer, vars_in


@dataclass(frozen=True, slots=True)
class Copy:
    """A carry and the value that it takes."""

    target: Name
    text: str
    expr: Expr


def emit_copies(writer: Writer, copies: list[Copy]) -> None:
    """Assign every carry once nobody else needs its old value any more; break a circle by keeping one (CIC-42)."""
    pending = [copy for copy in copies if copy.text != copy.target.text]
    reads = {copy.target: _names(writer, copy.expr) for copy in pending}
    saved: dict[Name, str] = {}
    while pending:
        ready = next((copy for copy in pending if not _is_read(copy, pending, reads, saved=saved)), None)
        if ready is None:
            _save(writer, pending[0], saved)
            continue
        writer.source.emit(f"{ready.target} = {_text(ready, reads, saved=saved)};")
        pending.remove(ready)


def _is_read(copy: Copy, pending: list[Copy], reads: dict[Name, set[Name]], *, saved: dict[Name, str]) -> bool:
    others = (reads[other.target] for other in pending if other is not copy)
    return copy.target not in saved and any(copy.target in names for names in others)


def _save(writer: Writer, copy: Copy, saved: dict[Name, str]) -> None:
    """Keep the old value of a carry under another name."""
    kind = writer.cpp_type(copy.expr.type, copy.expr)
    name = writer.source.name(f"{copy.target}_before")
    writer.source.emit(f"{kind} {name} = {copy.target};")
    saved[copy.target] = name.text


def _text(copy: Copy, reads: dict[Name, set[Name]], *, saved: dict[Name, str]) -> str:
    """The new value, in terms of old values that were kept."""
    text = copy.text
    for name in reads[copy.target] & saved.keys():
        text = re.sub(rf"\b{name}\b", saved[name], text)
    return text


def _names(writer: Writer, expr: Expr) -> set[Name]:
    found: set[Name] = set()
    for var in {expr} if isinstance(expr, Var) else vars_in((expr,)):
        value = writer.values.get(var)
        if isinstance(value, Name):
            found.add(value)
        elif isinstance(value, Array):
            found.add(value.name)
    return found

# SPDX-License-Identifier: Apache-2.0
"""Text in parts: a part is a string or an iterator of parts, joined without recursion.

Every printing function is a generator that yields its parts in order. The joining loop keeps the open generators on a
list of its own, so the depth of an expression or of nested loops is bounded by memory, and the cost is linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, cast

Part: TypeAlias = "str | Iterator[Part]"
Parts: TypeAlias = Iterator[Part]


def joined(part: Part) -> str:
    """The text of a part."""
    if isinstance(part, str):
        return part
    done: list[str] = []
    append = cast("Callable[[Part], None]", done.append)
    open_parts = [part]
    while open_parts:
        for inner in open_parts[-1]:
            if inner.__class__ is str:
                append(inner)
            else:
                open_parts.append(cast("Iterator[Part]", inner))
                break
        else:
            open_parts.pop()
    return "".join(done)


def separated(parts: Iterable[Part], separator: str = ", ") -> Parts:
    """The parts with a separator between them."""
    first = True
    for part in parts:
        if not first:
            yield separator
        first = False
        yield part


def bracketed(parts: Iterable[Part]) -> Parts:
    """The parts as a Python list."""
    yield "["
    yield separated(parts)
    yield "]"


def keyword(name: str, value: Part) -> Parts:
    """`name=value`"""
    yield f"{name}="
    yield value


def called(function: str, arguments: Iterable[Part]) -> Parts:
    """`function(arguments)`"""
    yield function
    yield "("
    yield separated(arguments)
    yield ")"

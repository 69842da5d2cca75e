# SPDX-License-Identifier: Apache-2.0
"""The generated C++ as it grows: blocks within blocks, and the names that are visible in each.

A line may go into any open block, so that what outlives a scope is declared before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pypto_build.errors import Span
from pypto_build.ir import Var
from pypto_targets.orchestration.cpp import RESERVED

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]")
_INDENT = "    "
Line = tuple[str, Span]


class Block:
    """Lines between a header and a footer, and the names declared there."""

    def __init__(self, header: str, footer: str, parent: Block | None, *, span: Span) -> None:
        self.header = header
        self.footer = footer
        self.parent = parent
        self.span = span
        self.names: set[str] = set()
        self.parts: list[Line | Block] = []

    def lines(self, level: int) -> Iterator[Line]:
        """The text, indented."""
        nowhere = Span.unknown()
        yield f"{_INDENT * level}{self.header}", self.span
        for part in self.parts:
            if isinstance(part, Block):
                yield from part.lines(level + 1)
            else:
                text, span = part
                yield (f"{_INDENT * (level + 1)}{text}" if text else ""), span
        if self.footer:
            yield f"{_INDENT * level}{self.footer}", nowhere


class Name:
    """A declared name: where it is visible, and the variable to declare further out if that is not enough."""

    __slots__ = ("block", "text", "var")

    def __init__(self, text: str, block: Block, var: Var | None) -> None:
        self.text = text
        self.block = block
        self.var = var

    def __str__(self) -> str:
        return self.text


class Source:
    """The blocks that are open, outermost first."""

    def __init__(self, header: str) -> None:
        self.root = Block(header, "}", None, span=Span.unknown())
        self.stack = [self.root]
        self.span = Span.unknown()

    @property
    def depth(self) -> int:
        """The place of the innermost block."""
        return len(self.stack) - 1

    @property
    def block(self) -> Block:
        """The innermost block."""
        return self.stack[-1]

    def emit(self, text: str, *, depth: int | None = None) -> None:
        """One line of a block, the innermost unless another is named; an empty one separates."""
        block = self.stack[self.depth if depth is None else depth]
        block.parts.append((text, self.span if text else Span.unknown()))

    def open(self, header: str, *, footer: str = "}") -> Block:
        """Begin a block; it joins its parent when it is closed, so that lines can still go before it."""
        block = Block(header, footer, self.block, span=self.span)
        self.stack.append(block)
        return block

    def close(self) -> None:
        """End the innermost block."""
        self.join(self.take())

    def take(self) -> Block:
        """End the innermost block without putting it anywhere yet."""
        return self.stack.pop()

    def join(self, *blocks: Block) -> None:
        """Put ended blocks at the end of the innermost one."""
        self.block.parts.extend(blocks)

    def name(self, hint: str, *, depth: int | None = None, var: Var | None = None) -> Name:
        """A name that hides none and is hidden by none, declared in a block."""
        wanted = _NOT_IN_NAMES.sub("_", hint) or "value"
        if wanted[0].isdigit() or wanted in RESERVED:
            wanted = f"v_{wanted}"
        text, number = wanted, 0
        while any(text in block.names for block in self.stack):
            number += 1
            text = f"{wanted}_{number}"
        block = self.stack[self.depth if depth is None else depth]
        block.names.add(text)
        return Name(text, block, var)

    def visible_depth(self, name: Name) -> int:
        """The innermost open block among those around a name's declaration."""
        block: Block | None = name.block
        while block is not None:
            if block in self.stack:
                return self.stack.index(block)
            block = block.parent
        return 0

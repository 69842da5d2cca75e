# SPDX-License-Identifier: Apache-2.0
"""The tree of a YAML document, in which every value and every key knows its place."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pypto_build.errors import Span

ScalarValue = bool | int | float | str | None
Plain = ScalarValue | list["Plain"] | dict[str, "Plain"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """Text, a number, a boolean or nothing."""

    value: ScalarValue
    span: Span
    size: int = 1


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list."""

    items: tuple[Node, ...]
    span: Span
    size: int = 1


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys in the order written, each with the place of the key."""

    entries: tuple[tuple[str, Span, Node], ...]
    span: Span
    size: int = 1

    def get(self, key: str) -> Node | None:
        """The value of a key."""
        return next((value for name, _, value in self.entries if name == key), None)

    def keys(self) -> tuple[str, ...]:
        """The keys in the order written."""
        return tuple(key for key, _, _ in self.entries)


Node = Scalar | Sequence | Mapping
Path = tuple[str | int, ...]


def plain(node: Node) -> Plain:
    """The data alone."""
    match node:
        case Scalar(value=value):
            return value
        case Sequence(items=items):
            return [plain(item) for item in items]
        case Mapping(entries=entries):
            return {key: plain(value) for key, _, value in entries}


def child(node: Node, step: str | int) -> Node | None:
    """The item or value one step down, if there is one."""
    if isinstance(node, Mapping) and isinstance(step, str):
        return node.get(step)
    if isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
        return node.items[step]
    return None


def node_at(node: Node, path: Path) -> Node | None:
    """The node at a path, if there is one."""
    found: Node | None = node
    for step in path:
        found = child(found, step) if found is not None else None
    return found


def nearest_node(node: Node, path: Path) -> Node:
    """The node at a path, or the last one on the way that exists."""
    for step in path:
        following = child(node, step)
        if following is None:
            break
        node = following
    return node


def key_span(node: Node, path: Path) -> Span:
    """The place of the key that a path ends with; of the item when it ends in a list."""
    parent = nearest_node(node, path[:-1])
    if isinstance(parent, Mapping):
        return next((span for name, span, _ in parent.entries if name == path[-1]), parent.span)
    return nearest_node(node, path).span


def without(node: Node, path: Path) -> Node:
    """The tree without what a path names."""
    step, rest = path[0], path[1:]
    match node:
        case Mapping(entries=entries):
            kept = tuple(
                (key, span, without(value, rest) if rest and key == step else value)
                for key, span, value in entries
                if rest or key != step
            )
            return replace(node, entries=kept)
        case Sequence(items=items):
            kept = tuple(
                without(item, rest) if rest and index == step else item
                for index, item in enumerate(items)
                if rest or index != step
            )
            return replace(node, items=kept)
        case Scalar():
            return node

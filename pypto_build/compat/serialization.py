# SPDX-License-Identifier: Apache-2.0
"""Nodes as bytes and files; what is written here is read here."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from pypto_build.ir import Entity, Node, decode, encode


def serialize(node: Node) -> bytes:
    """A node as bytes, places included."""
    return encode(cast("Entity", node), spans=True)


def deserialize(data: bytes) -> Node:
    """The node that `serialize` wrote; ValueError for anything else."""
    try:
        return decode(data)
    except Exception as error:  # whatever is wrong with the bytes, they are no node
        raise ValueError(f"cannot deserialize: {error}") from error


def serialize_to_file(node: Node, path: str) -> None:
    """Write a node to a file."""
    Path(path).write_bytes(serialize(node))


def deserialize_from_file(path: str) -> Node:
    """The node in a file; ValueError when it cannot be read."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error}") from error
    return deserialize(data)

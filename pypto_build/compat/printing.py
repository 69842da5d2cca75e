# SPDX-License-Identifier: Apache-2.0
"""Printing with the public arguments, and the callback that lays printed text out."""

from __future__ import annotations

from collections.abc import Callable

from pypto_build.ir import Node, Type

Formatter = Callable[[str], str]
_formatters: list[Formatter] = []


def register_format_callback(callback: Formatter | None) -> None:
    """Use this function on printed text from now on; None for none."""
    _formatters[:] = [] if callback is None else [callback]


def python_print(
    node: Node | Type, prefix: str = "pl", concise: bool = False, format: bool = True, explicit_layout: bool = False
) -> str:
    """A node or type as text of the language."""
    from pypto_build.ir import printing

    if isinstance(node, Type):
        return python_print_type(node, prefix, format, explicit_layout)
    text = printing.python_print(node, prefix, concise=concise, explicit_layout=explicit_layout)
    return _formatters[0](text) if format and _formatters else text


def python_print_type(type: Type, prefix: str = "pl", format: bool = True, explicit_layout: bool = False) -> str:
    """A type as text of the language."""
    from pypto_build.ir import printing

    del format
    return printing.print_type(type, prefix, explicit_layout=explicit_layout)

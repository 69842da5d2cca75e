# SPDX-License-Identifier: Apache-2.0
"""Tables: drawn by rich on a terminal, plain columns otherwise."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under a head."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(title=title)
        for name in head:
            table.add_column(name)
        for row in rows:
            table.add_row(*row)
        Console().print(table)
        return
    print(f"{title}:")
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    for row in (head, *rows):
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())

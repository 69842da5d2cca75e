# SPDX-License-Identifier: Apache-2.0
"""What a subcommand of `pypto-build` is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from pypto_build.host.manager import PluginHost


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand: `configure` adds its arguments to a parser, `run` does the work and returns the exit status.

    `run` raises `UserError` for wrong input; it never prints a traceback or exits by itself.
    """

    name: str
    help: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, PluginHost], int]

# SPDX-License-Identifier: Apache-2.0
"""Operations that only the host can do."""

from __future__ import annotations

import ast
from typing import Final

from pypto_build.dsl.context import Context
from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.ir import Level

HOST_ONLY: Final = frozenset({("pld", "world_size"), ("pld", "system", "world_size")})
_ON_DEVICE: Final = ("in_core", "spmd", "spmd_with", "split_aiv")


def check_host(context: Context, call: ast.Call, name: str) -> None:
    """Refuse an operation outside functions of the host and inside its kernels."""
    level = context.facts.level
    if level is None or level.value < Level.HOST.value:
        context.fail(
            ParserSyntaxError,
            f"{name}() is only available in functions of level HOST and above",
            call,
            hint="@pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)",
        )
    if context.inside(*_ON_DEVICE):
        context.fail(ParserSyntaxError, f"{name}() is not available inside an InCore scope", call)

# SPDX-License-Identifier: Apache-2.0
"""Which functions hand out work to several chips."""

from __future__ import annotations

from pypto_build.ir import Function, Level, Role


def is_host_orchestration(function: Function) -> bool:
    """Whether a function runs on the host and starts the orchestrations of the chips."""
    return function.level is Level.HOST and function.role is Role.Orchestrator

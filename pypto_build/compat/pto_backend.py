# SPDX-License-Identifier: Apache-2.0
"""`pypto.backend.pto_backend`: which kernels share a module, and whether assembly says where its lines come from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from pypto_build.ir import Call, Function, FunctionType, Program, Submit, collect

_KERNELS: Final = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV)
_OFF: Final = frozenset({"0", "false", "off", "no"})


def build_group_mapping(program: Program) -> tuple[dict[str, list[Function]], list[Function]]:
    """The kernels of each group, which share a module, by its name; and those that stand alone."""
    kernels = {f.name: f for f in program.functions.values() if f.func_type in _KERNELS}
    groups: dict[str, list[Function]] = {}
    for function in program.functions.values():
        if function.func_type is FunctionType.Group:
            called = dict.fromkeys(call.op.name for call in collect(function.body, Call, Submit))
            members = [kernels[name] for name in called if name in kernels]
            groups.update({function.name: members} if members else {})
    grouped = {member.name for members in groups.values() for member in members}
    return groups, [kernel for name, kernel in kernels.items() if name not in grouped]


def emit_source_loc_default() -> bool:
    """Whether assembly carries source places unless a caller says: yes, unless the environment forbids it."""
    return os.environ.get("PYPTO_EMIT_PTO_LOC", "1").strip().lower() not in _OFF


NAMES: Final[Mapping[str, object]] = {
    "_build_group_mapping": build_group_mapping,
    "emit_source_loc_default": emit_source_loc_default,
}
"""What the public module calls them."""

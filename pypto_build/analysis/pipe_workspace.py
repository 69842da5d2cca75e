# SPDX-License-Identifier: Apache-2.0
"""How much global memory the pipes between two cores take, and where each pipe's part begins.

Both cores of a kernel see one workspace, so both must count alike. Source: the public description of pipes
(a pipe has one ring of slots per direction; the assembler's depth is 8 slots, or 4 per ring with both directions).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pypto_build.ir import Call, Function, Var, collect

WORKSPACE: Final = "__gm_pipe_buffer"
"""The parameter that is the workspace, where pipes go through global memory; a tensor of FP32."""
_ELEMENT_BYTES = 4
INITIALIZE = frozenset({"system.aic_initialize_pipe", "system.aiv_initialize_pipe"})
_BOTH = 3  # dir_mask of a pipe that goes both ways
_DEPTH, _DEPTH_OF_BOTH = 8, 4


def pipe_calls(function: Function) -> tuple[Call, ...]:
    """The calls that set up the pipes of a function, by pipe id."""
    calls = (call for call in collect(function.body, Call) if call.op.name in INITIALIZE)
    return tuple(sorted(calls, key=pipe_id))


def pipe_id(call: Call) -> int:
    """The number of a pipe; the only one needs none."""
    return _integer(call, "id", 0)


def pipe_bytes(call: Call) -> int:
    """The bytes of global memory that the slots of a pipe take."""
    both = _integer(call, "dir_mask", 1) == _BOTH
    depth = _integer(call, "slot_num", _DEPTH_OF_BOTH if both else _DEPTH)
    return (2 if both else 1) * depth * _integer(call, "slot_size", 0)


def pipe_offsets(calls: Iterable[Call]) -> dict[int, int]:
    """The byte at which the part of each pipe begins, by pipe id."""
    offsets: dict[int, int] = {}
    end = 0
    for call in calls:
        if pipe_id(call) not in offsets:
            offsets[pipe_id(call)] = end
            end += pipe_bytes(call)
    return offsets


def workspace_bytes(function: Function) -> int:
    """The bytes of global memory that all pipes of a function take."""
    pipes = {pipe_id(call): pipe_bytes(call) for call in reversed(pipe_calls(function))}
    return sum(pipes.values())


def workspace_elements(function: Function) -> int:
    """The same in elements of the workspace."""
    return workspace_bytes(function) // _ELEMENT_BYTES


def is_workspace(param: Var) -> bool:
    """Whether a parameter is the workspace, under whatever version of its name."""
    return param.name_hint.startswith(WORKSPACE)


def _integer(call: Call, name: str, default: int) -> int:
    value = call.kwargs.get(name)
    return value if isinstance(value, int) else default

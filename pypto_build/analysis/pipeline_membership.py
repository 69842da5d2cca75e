# SPDX-License-Identifier: Apache-2.0
"""Which stage of which pipeline a tile belongs to: the attribute `pipeline_membership`, `group:stage;group:stage`.

The innermost pipeline comes first. Stages are numbers: the tenth comes after the ninth (CIO-50).
"""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.ir import Call, FrozenMap, MemorySpace, TileType, rebuilt

MEMBERSHIP = "pipeline_membership"
STAGES = "pipeline_stages"
OVERLAP_STORES = "pipeline_overlap_stores"
DOUBLE_BUFFER_C = "pipeline_double_buffer_c"
LOOP_ATTRS = (STAGES, OVERLAP_STORES, DOUBLE_BUFFER_C)

Membership = tuple[tuple[int, int], ...]


def membership(attrs: Mapping[str, object]) -> Membership:
    """The (group, stage) pairs of a call's attributes, innermost first; malformed tokens are skipped (CIO-49)."""
    text = attrs.get(MEMBERSHIP)
    if not isinstance(text, str):
        return ()
    pairs: list[tuple[int, int]] = []
    for token in text.split(";"):
        group, _, stage = token.partition(":")
        if group.strip().isdecimal() and stage.strip().isdecimal():
            pairs.append((int(group), int(stage)))
    return tuple(pairs)


def with_membership(call: Call, pairs: Membership) -> Call:
    """The call as a member of these stages."""
    text = ";".join(f"{group}:{stage}" for group, stage in pairs)
    return rebuilt(call, {"attrs": FrozenMap({**call.attrs, MEMBERSHIP: text})})


def without_membership(call: Call) -> Call:
    """The call without a note of stages."""
    if MEMBERSHIP not in call.attrs:
        return call
    return rebuilt(call, {"attrs": FrozenMap({key: value for key, value in call.attrs.items() if key != MEMBERSHIP})})


def is_accumulation(call: Call) -> bool:
    """Whether the cube accumulates into the result; moving data into an accumulator is something else."""
    kind = call.type
    in_accumulator = isinstance(kind, TileType) and kind.memory_space is MemorySpace.Acc
    return in_accumulator and call.op.name.startswith(("tile.matmul", "tile.gemv", "tile.batch_matmul"))

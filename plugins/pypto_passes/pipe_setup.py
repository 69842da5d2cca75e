# SPDX-License-Identifier: Apache-2.0
"""What both halves of a kernel begin with: the rings of slots that tiles go through, and the pipe that knows them.

The consumer of a direction reserves its ring, the producer imports it. One pipe serves both directions, so its slots
have room for the largest tile of either. Source: the public description of automatic pipe set-up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod
from typing import Final

from pypto_build.analysis.pipe_workspace import INITIALIZE
from pypto_build.errors import UserError
from pypto_build.ir import AssignStmt, Call, EvalStmt, Stmt, TileType, Var, as_int, collect, sequence, statements
from pypto_build.ops.build.system import aic_initialize_pipe, aiv_initialize_pipe, import_peer_buffer, reserve_buffer
from pypto_passes.kernel_groups import CUBE_HALF, VECTOR_HALF
from pypto_passes.tile_storage import packed_bytes

Initialize = Callable[..., Call]
SLOTS: Final = 2  # of a ring, unless the kernel says otherwise
_TO_VECTOR: Final = ("tile.tpush_to_aiv", "tile.tpop_from_aic")
_TO_CUBE: Final = ("tile.tpush_to_aic", "tile.tpop_from_aiv")
_C2V, _V2C = 1, 2  # bits of dir_mask


@dataclass(frozen=True, slots=True)
class PipeSetup:
    """The pipe between the halves of a kernel: its directions, the bytes of a slot and the number of slots."""

    kernel: str
    directions: int
    slot_size: int
    slot_num: int = SLOTS

    @staticmethod
    def of(kernel: str, bodies: Iterable[Stmt], slot_num: object = None) -> PipeSetup | None:
        """The pipe that some bodies need; None when nothing crosses, or when they set up pipes themselves.

        Raises:
            UserError: the size of a tile that crosses is not known at compile time.
        """
        calls = [call for body in bodies for call in collect(body, Call)]
        if any(call.op.name in INITIALIZE for call in calls):
            return None
        bits = ((_C2V, _TO_VECTOR), (_V2C, _TO_CUBE))
        directions = sum(bit for bit, names in bits if any(call.op.name in names for call in calls))
        if not directions:
            return None
        moved = [call for call in calls if call.op.name in (*_TO_VECTOR, *_TO_CUBE)]
        size = max(_bytes(call) for call in moved)
        return PipeSetup(kernel, directions, size, slot_num if isinstance(slot_num, int) else SLOTS)

    def on_cube(self, body: Stmt) -> Stmt:
        """The cube half with its side of the pipe: it takes what the vector cores send."""
        return self._on(body, aic_initialize_pipe, taken=_V2C, peer=self.kernel + VECTOR_HALF)

    def on_vector(self, body: Stmt) -> Stmt:
        """The vector half with its side of the pipe: it takes what the cube core sends."""
        return self._on(body, aiv_initialize_pipe, taken=_C2V, peer=self.kernel + CUBE_HALF)

    def _on(self, body: Stmt, initialize: Initialize, *, taken: int, peer: str) -> Stmt:
        span = body.span
        rings: dict[int, Var] = {}
        prologue: list[Stmt] = []
        for direction, way in ((_V2C, "v2c"), (_C2V, "c2v")):
            if not self.directions & direction:
                continue
            name = f"{self.kernel}_{way}_slot_buffer"
            if direction == taken:
                made = reserve_buffer(name=name, size=self.slot_size * self.slot_num, span=span)
            else:
                made = import_peer_buffer(name=name, peer_func=peer, span=span)
            rings[direction] = Var(name if direction == taken else f"{name}_import", made.type, span)
            prologue.append(AssignStmt(rings[direction], made, span))
        pipe = initialize(
            rings.get(_C2V, 0),
            rings.get(_V2C, 0),
            dir_mask=self.directions,
            slot_size=self.slot_size,
            slot_num=self.slot_num,
            span=span,
        )
        return sequence([*prologue, EvalStmt(pipe, span), *statements(body)], span)


def _bytes(call: Call) -> int:
    """The bytes of the tile that a call pushes or pops."""
    kind = call.args[0].type if call.args else call.type
    sizes = [as_int(dim) for dim in kind.shape] if isinstance(kind, TileType) else [None]
    if not isinstance(kind, TileType) or None in sizes:
        text = f"{call.op.name} needs a tile whose size is known at compile time"
        raise UserError("CORE003", text, call.span, help="give the tile a constant shape, and narrow what is valid")
    return packed_bytes(prod(size or 0 for size in sizes), kind.dtype)

# SPDX-License-Identifier: Apache-2.0
"""Tiles that cross between the cube core and its vector cores: pushed and popped, or divided and joined by lane."""

from __future__ import annotations

from typing import Final

from pypto_build.errors import UserError
from pypto_build.ir import TileType
from pypto_simulators.functional.crossing import NO_SPLIT, Team, axis_of, half_of, whole_of
from pypto_simulators.functional.errors import WAITS_FOREVER, WRONG_VALUE
from pypto_simulators.functional.operation import Operation, Semantics
from pypto_simulators.functional.semantics.tables import twins
from pypto_simulators.functional.values import Block, Value

_TO_VECTOR: Final = "to_aiv"
_TO_CUBE: Final = "to_aic"


def _pipe(op: Operation, direction: str) -> tuple[str, object]:
    return direction, op.kwargs.get("id", 0)


def _team(op: Operation) -> Team:
    return op.frame.launch.team


def _stride(op: Operation) -> int | None:
    stride = op.kwargs.get("lane_stride")
    return stride if isinstance(stride, int) else None


def _split(op: Operation) -> int | None:
    """The axis that is divided between the lanes."""
    split = op.integer("split", NO_SPLIT)
    axis = axis_of(split)
    if split != NO_SPLIT and axis is None:
        raise op.error(f"has no split mode {split}", code=WRONG_VALUE)
    return axis


def _pushed_to_vector(op: Operation) -> Value:
    """Each lane gets its half, or without a split everything."""
    tile, axis, team, pipe = op.block(0), _split(op), _team(op), _pipe(op, _TO_VECTOR)
    for lane in range(team.lanes if axis is None else 2):
        part = tile if axis is None else half_of(tile, lane, axis=axis, stride=_stride(op))
        team.push(pipe, lane, part)
    op.frame.machine.scheduler.progress()


def _pushed_to_cube(op: Operation) -> Value:
    _team(op).push(_pipe(op, _TO_CUBE), op.frame.launch.lane, op.block(0))
    op.frame.machine.scheduler.progress()


def _popped_from_cube(op: Operation) -> Value:
    return _popped(op, _pipe(op, _TO_VECTOR), (op.frame.launch.lane,))


def _popped_from_vector(op: Operation) -> Value:
    """With a split both halves as one, without one what the first lane pushed (the others must push as well)."""
    axis, lanes = _split(op), _team(op).lanes
    return _popped(op, _pipe(op, _TO_CUBE), range(2 if axis is not None else lanes), axis=axis)


def _popped(
    op: Operation, pipe: tuple[str, object], lanes: range | tuple[int, ...], *, axis: int | None = None
) -> Value:
    team = _team(op)

    def stuck() -> UserError:
        return op.error("waits for a tile that nobody pushes", code=WAITS_FOREVER)

    op.frame.machine.scheduler.wait(lambda: all(team.pending(pipe, lane) for lane in lanes), stuck)
    tiles = [team.pop(pipe, lane) for lane in lanes]
    tile = tiles[0] if axis is None else whole_of(tiles[0], tiles[1], axis=axis)
    return _typed(op, tile)


def _typed(op: Operation, tile: Block) -> Block:
    """The tile in the shape that the result's type states, which may be another one of as many elements."""
    kind = op.call.type
    shape = op.frame.known_shape_of(kind) if isinstance(kind, TileType) else None
    if shape is None or shape == tile.shape:
        return tile
    if len(shape) == len(tile.shape) and any(map(int.__lt__, shape, tile.valid)):
        raise op.error(f"gets {list(tile.shape)} where its type says {list(shape)}")
    return op.viewed(tile.full().reshape(shape))


def _shard(op: Operation) -> Value:
    axis = _split(op)
    if axis is None:
        return op.block(0).snapshot()
    return half_of(op.block(0), op.frame.launch.lane, axis=axis, stride=_stride(op))


def _gathered(op: Operation) -> Value:
    """Both halves; this lane waits for the other one."""
    axis, team, lane = _split(op), _team(op), op.frame.launch.lane
    if axis is None or op.frame.launch.lanes < 2:
        return op.block(0).snapshot()
    place = id(op.call)
    team.deposit(place, lane, op.block(0))

    def stuck() -> UserError:
        return op.error("waits for the half of the other lane", code=WAITS_FOREVER)

    op.frame.machine.scheduler.progress()
    op.frame.machine.scheduler.wait(lambda: len(team.halves(place, lane)) == 2, stuck)
    halves = team.halves(place, lane)
    return whole_of(halves[0], halves[1], axis=axis)


def _barrier(op: Operation) -> Value:
    op.frame.machine.scheduler.barrier(op.kwargs.get("core_type", "mix"))


# Operations that wait for another core: only a kernel that contains one is run beside others.
WAITING: Final = frozenset(
    ("tile.tpop_from_aic", "tile.tpop_from_aiv", "tile.aic_gather", "tensor.aic_gather", "system.syncall")
)

TABLE: Final[dict[str, Semantics]] = {
    "tile.tpush_to_aiv": _pushed_to_vector,
    "tile.tpush_to_aic": _pushed_to_cube,
    "tile.tpop_from_aic": _popped_from_cube,
    "tile.tpop_from_aiv": _popped_from_vector,
    "system.syncall": _barrier,
    **twins({"aiv_shard": _shard, "aic_gather": _gathered}),
}

# SPDX-License-Identifier: Apache-2.0
"""How a transport says which part of a tile each of the two vector lanes gets.

The operations `tile.aiv_shard` and `tile.aic_gather` name an axis (1: rows, 2: columns). The transport wants more: the
second lane finds its part by its own extent, so the extents of the lanes must be equal (codes 1 and 2) or the first one
larger by one (codes 3 and 4). A lane that gets nothing finds nothing, whatever the code is.
Source: the public description of split codes.
"""

from __future__ import annotations

from typing import Final

from pypto_build.errors import UserError
from pypto_build.ir import Call, TileType, Type, as_int

NO_SPLIT: Final = 0
_ODD: Final = 2  # from an axis to the code of lanes that differ by one


def shard_split(call: Call) -> tuple[int, int | None]:
    """The code of a transport to the vector lanes, and the stated start of the second lane's part, if there is one.

    Raises:
        UserError: the extents of the lanes differ by more than one.
    """
    axis, stride = _number(call, "split") or NO_SPLIT, _number(call, "lane_stride")
    extents = _extents(call.args[0].type, axis, stride)
    if extents is None:
        return axis, stride
    first, second = extents
    if second and first > second + 1:
        raise UserError(
            "SPLIT002",
            f"{call.op.name} leaves the two AIV lanes {first} and {second} cells, which no transport can express",
            call.span,
            help="the valid extents of both lanes must be equal, or the first one larger by one: pad the tile",
        )
    return axis + _ODD if second and first > second else axis, stride


def gather_split(call: Call, joined: Type) -> int:
    """The code of a transport from the vector lanes.

    Raises:
        UserError: the lanes give parts of different extents.
    """
    axis = _number(call, "split") or NO_SPLIT
    extents = _extents(joined, axis, None)
    if extents is not None and extents[0] != extents[1]:
        raise UserError(
            "SPLIT002",
            f"{call.op.name} would join {extents[0]} and {extents[1]} cells of the two AIV lanes, which must be equal",
            call.span,
            help="pad the tile, and narrow the result on the cube core",
        )
    return axis


def _extents(kind: Type, axis: int, stride: int | None) -> tuple[int, int] | None:
    """The valid extents of both lanes along an axis (1 or 2); None without an axis, or where they are not constant."""
    if axis == NO_SPLIT or not isinstance(kind, TileType):
        return None
    box, valid = as_int(kind.shape[axis - 1]), as_int(kind.effective_tile_view().valid_shape[axis - 1])
    if box is None or valid is None:
        return None
    part = -(-box // 2) if stride is None else stride
    return min(valid, part), min(max(valid - part, 0), part)


def _number(call: Call, name: str) -> int | None:
    value = call.kwargs.get(name)
    return value if isinstance(value, int) else None

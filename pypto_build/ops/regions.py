# SPDX-License-Identifier: Apache-2.0
"""How the valid region moves through a read of a window and through a write into a destination.

Both regions are boxes that start at the origin, so a union that is no such box is refused, and nothing is ever claimed
to be valid that was not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pypto_build.ir import Expr
from pypto_build.ops.arithmetic import is_constant, is_zero, plus, remaining, smaller
from pypto_build.ops.deduce import format_dim
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import (
    provably_above,
    provably_at_most,
    provably_equal,
    provably_negative,
    same_dimensions,
)

Region = tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class WindowRead:
    """A read of `window` elements at `offsets`.

    requested is the extent that the caller says is read, None for the whole window. With `clamp` the window may reach
    beyond the source and is cut there; with `whole_window` the window must fit even where less is read. With `exact`
    the symbols of the source's type are bound, so they cut what is read. `hint` is put behind the message of a read
    that does not fit.
    """

    shape: Region
    valid: Region
    window: Region
    offsets: Region
    requested: Region | None = None
    clamp: bool = False
    whole_window: bool = False
    exact: bool = False
    hint: str = ""


def read_region(operands: Operands, read: WindowRead) -> Region:
    """The valid region of what is read: what was asked for, cut where the source has no data.

    A window of another rank than the source is a reinterpretation, so it keeps what was asked for. An extent that
    names a symbol of the source's type is left out where nothing is known about it, unless the read is exact: the
    caller's word stands.

    Raises:
        ValueError: the window provably starts before or ends behind the source, or more is asked for than it holds.
    """
    asked = read.window if read.requested is None else read.requested
    if len(asked) != len(read.window):
        raise operands.error(
            f"requires valid_shape to have the same rank as the window, but got {len(asked)} and {len(read.window)}"
        )
    if len(read.window) != len(read.shape) or len(read.offsets) != len(read.shape):
        return asked
    return tuple(_read_axis(operands, read, axis) for axis in range(len(read.window)))


def _read_axis(operands: Operands, read: WindowRead, axis: int) -> Expr:
    window, offset, extent, valid = read.window[axis], read.offsets[axis], read.shape[axis], read.valid[axis]
    asked = window if read.requested is None else read.requested[axis]
    if provably_negative(offset):
        raise operands.error(f"reads at an offset that is provably negative in dimension {axis}: {format_dim(offset)}")
    if provably_above(asked, window):
        raise operands.error(
            f"is asked for {format_dim(asked)} valid elements in dimension {axis}, "
            f"which exceeds the window extent {format_dim(window)}"
        )
    symbolic = not is_constant(valid)
    if not read.clamp:
        _check_end(operands, read, axis)
        if provably_equal(valid, extent) and not (read.exact and symbolic):
            return asked
    available = remaining(valid, offset, window)
    if read.requested is None or provably_at_most(available, asked):
        return available
    if symbolic and not read.exact and not provably_at_most(asked, available):
        return asked
    return smaller(asked, available)


def _check_end(operands: Operands, read: WindowRead, axis: int) -> None:
    taken = read.window if read.whole_window or read.requested is None else read.requested
    end = plus(read.offsets[axis], taken[axis])
    if provably_above(end, read.shape[axis]):
        raise operands.error(
            f"reads past the end of dimension {axis}: offset {format_dim(read.offsets[axis])} + extent "
            f"{format_dim(taken[axis])} > {format_dim(read.shape[axis])}{read.hint}"
        )


@dataclass(frozen=True, slots=True)
class RegionWrite:
    """A write of `source_valid` elements at `offsets`; `moved` is what must fit, if that is more than the valid part.

    `hint` is put behind the message of a write that does not fit.
    """

    shape: Region
    valid: Region
    source_valid: Region
    offsets: Region
    moved: Region | None = None
    hint: str = ""


def written_region(operands: Operands, write: RegionWrite) -> Region:
    """The valid region of the destination afterwards: the union with what was written.

    Raises:
        ValueError: the write provably does not fit, or the union is no box that starts at the origin.
    """
    for axis in range(len(write.shape)):
        _check_fit(operands, write, axis)
    if same_dimensions(write.valid, write.shape) or any(map(is_zero, write.source_valid)):
        return write.valid
    origin = all(map(is_zero, write.offsets))
    if any(map(is_zero, write.valid)):
        operands.check(origin, "writes into an empty region, but the written part does not start at the origin")
        return write.source_valid
    growing = [axis for axis in range(len(write.shape)) if not provably_at_most(_end(write, axis), write.valid[axis])]
    if not growing:
        return write.valid
    if origin and all(map(provably_at_most, write.valid, write.source_valid)):
        return write.source_valid
    return _grown(operands, write, growing)


def _end(write: RegionWrite, axis: int) -> Expr:
    return plus(write.offsets[axis], write.source_valid[axis])


def _check_fit(operands: Operands, write: RegionWrite, axis: int) -> None:
    offset, moved = write.offsets[axis], (write.moved or write.source_valid)[axis]
    if provably_negative(offset):
        raise operands.error(f"writes at an offset that is provably negative in dimension {axis}: {format_dim(offset)}")
    if provably_above(plus(offset, moved), write.shape[axis]):
        raise operands.error(
            f"writes past the end of dimension {axis}: offset {format_dim(offset)} + extent "
            f"{format_dim(moved)} > {format_dim(write.shape[axis])}{write.hint}"
        )


def _grown(operands: Operands, write: RegionWrite, growing: Sequence[int]) -> Region:
    axis = growing[0]
    if len(growing) > 1:
        raise operands.error(f"extends the valid region in dimensions {axis} and {growing[1]} at once")
    if not (is_zero(write.offsets[axis]) or provably_at_most(write.offsets[axis], write.valid[axis])):
        raise operands.error(
            f"leaves a gap in dimension {axis}: it starts at {format_dim(write.offsets[axis])}, "
            f"but only {format_dim(write.valid[axis])} are valid"
        )
    for other in range(len(write.shape)):
        if other != axis:
            _check_passenger(operands, write, other)
    return (*write.valid[:axis], _end(write, axis), *write.valid[axis + 1 :])


def _check_passenger(operands: Operands, write: RegionWrite, axis: int) -> None:
    operands.check(
        is_zero(write.offsets[axis]),
        f"extends the valid region, so the written part must span dimension {axis} from the origin",
    )
    written, valid = write.source_valid[axis], write.valid[axis]
    operands.check(
        provably_equal(written, valid),
        f"extends the valid region, so the written extent {format_dim(written)} in dimension {axis} "
        f"must provably equal the target valid extent {format_dim(valid)}",
    )

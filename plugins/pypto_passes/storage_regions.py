# SPDX-License-Identifier: Apache-2.0
"""Which part of a buffer a tensor is: all of it, a box of constant extent, or a part that is not known.

A part that is not known overlaps everything and surely contains nothing. A window whose place is computed at run time
is told apart from one that is merely hard to describe, because the runtime finds out where the former lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pypto_build.ir import Call, Expr, MakeTuple, PadValue, TensorLayout, TensorType, as_int
from pypto_build.ops.deduce_tensor import is_packed

Ints = tuple[int, ...]


class Extent(Enum):
    """How much is known about a part."""

    WHOLE = "whole"
    BOX = "box"
    UNKNOWN = "unknown"
    DYNAMIC = "dynamic"


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a buffer; `begin` and `end` of a box are in elements per axis of the buffer."""

    extent: Extent
    begin: Ints = ()
    end: Ints = ()

    def may_overlap(self, other: Region) -> bool:
        """Whether an element may be in both."""
        return not self._are_boxes(other) or self._meets(other)

    def surely_overlaps(self, other: Region) -> bool:
        """Whether an element is certainly in both."""
        if self._are_boxes(other):
            return self._meets(other)
        extents = (self.extent, other.extent)
        return Extent.WHOLE in extents and Extent.DYNAMIC not in extents

    def contains(self, other: Region) -> bool:
        """Whether all of the other is certainly in this one."""
        if self.extent is Extent.WHOLE:
            return True
        inside = zip(self.begin, other.begin, other.end, self.end, strict=False)
        return self._are_boxes(other) and all(low <= begin and end <= high for low, begin, end, high in inside)

    def joined(self, other: Region) -> Region:
        """Either of the two."""
        if self == other:
            return self
        return DYNAMIC if Extent.DYNAMIC in (self.extent, other.extent) else UNKNOWN

    def _are_boxes(self, other: Region) -> bool:
        boxes = self.extent is Extent.BOX and other.extent is Extent.BOX
        return boxes and len(self.begin) == len(other.begin)

    def _meets(self, other: Region) -> bool:
        axes = zip(self.begin, self.end, other.begin, other.end, strict=True)
        return all(max(begin, low) < min(end, high) for begin, end, low, high in axes)


WHOLE = Region(Extent.WHOLE)
UNKNOWN = Region(Extent.UNKNOWN)
DYNAMIC = Region(Extent.DYNAMIC)


def window_of(region: Region, call: Call) -> Region:
    """The part that a `tensor.slice` of a part is."""
    source, result = call.args[0].type, call.type
    window, offsets = _constants(call.args[1]), _constants(call.args[2])
    narrowed = any(_constants(arg) is None for arg in call.args[3:])
    if region.extent is Extent.DYNAMIC or window is None or offsets is None or narrowed:
        return DYNAMIC
    plain = _is_plain(source) and _is_plain(result) and len(call.args) == 3 and not call.kwargs.get("clamp")
    rank = len(source.shape) if isinstance(source, TensorType) else 0
    if region.extent is Extent.UNKNOWN or not plain or not len(window) == len(offsets) == rank:
        return UNKNOWN
    begin = region.begin or (0,) * rank
    low = tuple(start + offset for start, offset in zip(begin, offsets, strict=True))
    return Region(Extent.BOX, low, tuple(start + extent for start, extent in zip(low, window, strict=True)))


def view_of(region: Region) -> Region:
    """The part that another view of a part is: the same elements, but its axes are others."""
    return DYNAMIC if region.extent is Extent.DYNAMIC else UNKNOWN


def _constants(expr: Expr) -> Ints | None:
    values = [as_int(item) for item in expr.elements] if isinstance(expr, MakeTuple) else [None]
    known = [value for value in values if value is not None]
    return tuple(known) if len(known) == len(values) else None


def _is_plain(kind: object) -> bool:
    """Whether a tensor lies row by row without gaps, all of it valid."""
    if not isinstance(kind, TensorType):
        return False
    view = kind.tensor_view
    if view is None:
        return True
    return view.layout is TensorLayout.ND and not view.valid_shape and view.pad is PadValue.null and is_packed(kind)

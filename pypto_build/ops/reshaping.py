# SPDX-License-Identifier: Apache-2.0
"""How the valid region of a buffer reads in another shape of the same buffer.

A reshape moves nothing, so it cannot make data valid: a region that is no box in the new shape is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.ir import Expr, as_int, const_index
from pypto_build.ops.arithmetic import ONE, ZERO, is_zero, times
from pypto_build.ops.deduce import format_shape
from pypto_build.ops.operands import Operands
from pypto_build.ops.proof import product, provably_at_most, provably_equal, same_dimensions
from pypto_build.ops.regions import Region


def reshaped_region(operands: Operands, shape: Region, valid: Region, *, target: Region, row_major: bool) -> Region:
    """The valid region in the target shape; `row_major` says whether elements lie row by row without gaps.

    Raises:
        ValueError: the region is no box that starts at the origin of the target shape.
    """
    if same_dimensions(valid, shape):
        return target
    if any(map(is_zero, valid)):
        return (ZERO,) * len(target)
    mapped = _without_unit_axes(shape, valid, target)
    if mapped is not None:
        return mapped
    operands.check(row_major, "cannot map a partly valid source into another shape: it is not stored row-major")
    axis = _prefix_axis(shape, valid)
    if axis is None:
        raise operands.error(
            f"cannot map the valid region {format_shape(valid)} of {format_shape(shape)} into "
            f"{format_shape(target)}: the real data is scattered across the buffer"
        )
    return _prefix_box(operands, shape, valid, target=target, axis=axis)


def _is_one(value: Expr) -> bool:
    return as_int(value) == 1


def _without_unit_axes(shape: Region, valid: Region, target: Region) -> Region | None:
    """Axes of extent 1 that are full come and go; the others must be the same, one by one."""
    kept = [i for i, dim in enumerate(shape) if not (_is_one(dim) and _is_one(valid[i]))]
    wanted = [i for i, dim in enumerate(target) if not _is_one(dim)]
    if not same_dimensions([shape[i] for i in kept], [target[i] for i in wanted]):
        return None
    extents = dict(zip(wanted, (valid[i] for i in kept), strict=True))
    return tuple(extents.get(i, ONE) for i in range(len(target)))


def _prefix_axis(shape: Region, valid: Region) -> int | None:
    """The axis whose first elements are valid, with all of the axes behind it and one element of those before it."""
    axis = next((i for i, extent in enumerate(valid) if not _is_one(extent)), len(valid) - 1)
    full = all(map(provably_equal, valid[axis + 1 :], shape[axis + 1 :]))
    return axis if full else None


def _prefix_box(operands: Operands, shape: Region, valid: Region, *, target: Region, axis: int) -> Region:
    row = product(shape[axis + 1 :])
    rows = as_int(valid[axis])
    for i in range(len(target)):
        step = product(target[i + 1 :])
        if row is None or step is None:
            continue
        extent = _box_extent(target[i], rows=rows, row=row, step=step, valid=valid[axis], source=shape[axis])
        if extent is not None:
            return (ONE,) * i + (extent,) + target[i + 1 :]
    if rows is None:
        whole = format_shape(target)
        raise operands.error(f"cannot map {format_shape(valid)}: no axis of {whole} has the matching row size")
    raise operands.error(
        f"cannot map {format_shape(valid)}: its elements do not fill a whole number of rows of {format_shape(target)}"
    )


def _box_extent(target: Expr, *, rows: int | None, row: int, step: int, valid: Expr, source: Expr) -> Expr | None:
    """How many elements of a target axis (of `step` elements each) the prefix fills, or None when it is no number."""
    if rows is None:
        return valid if step == row and provably_at_most(source, target) else None
    count, rest = divmod(rows * row, step)
    limit = as_int(target)
    return const_index(count) if not rest and (limit is None or count <= limit) else None


def leading_collapse(shape: Region, region: Region) -> tuple[Region, Region]:
    """All axes but the last as one; an empty target where the region is no box then."""
    if len(shape) < 2 or not is_prefix(shape[:-1], region[:-1]):
        return (), ()
    return (volume(shape[:-1]), shape[-1]), (volume(region[:-1]), region[-1])


def prefix_collapse(shape: Region, region: Region) -> tuple[Region, Region]:
    """All axes as one row; an empty target where the valid elements are not the first ones."""
    if not is_prefix(shape, region):
        return (), ()
    return (ONE, volume(shape)), (ONE, volume(region))


def is_prefix(shape: Region, region: Region) -> bool:
    """Whether the valid elements are the first ones: one along the first axes, some along one, all behind it."""
    axis = next((i for i, extent in enumerate(region) if as_int(extent) != 1), len(region))
    return same_dimensions(shape[axis + 1 :], region[axis + 1 :])


def volume(shape: Sequence[Expr]) -> Expr:
    """The number of elements, as an expression."""
    count: Expr = ONE
    for dim in shape:
        count = times(count, dim)
    return count

# SPDX-License-Identifier: Apache-2.0
"""How the layout tag of a tensor and its strides belong together: packed strides, the tag that strides imply, checks.

ND and DN each have one packed form and a family of strided sub-views that inherit the parent's strides; NZ and the MX
layouts have no strides at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.ir import Expr, TensorLayout, TensorView, as_int
from pypto_build.ops.arithmetic import ONE, times
from pypto_build.ops.proof import difference, product

MX_LAYOUTS = (TensorLayout.MX_A_ZZ, TensorLayout.MX_B_NN)


def packed_strides(shape: Sequence[Expr], layout: TensorLayout) -> tuple[Expr, ...]:
    """The strides of a tensor that lies in memory without gaps.

    Raises:
        ValueError: the layout has no strides, or DN with fewer than two dimensions.
    """
    if not shape:
        return ()
    if layout is TensorLayout.ND:
        return _row_major(shape)
    if layout is not TensorLayout.DN:
        raise ValueError(f"{layout.name} layout has no logical strides: it is not a flat order of elements")
    if len(shape) < 2:
        raise ValueError(f"DN layout requires rank >= 2, but got rank {len(shape)}")
    rows, columns = shape[-2], shape[-1]
    outer = _row_major((*shape[:-2], times(rows, columns)))[:-1]
    return (*outer, ONE, rows)


def _row_major(shape: Sequence[Expr]) -> tuple[Expr, ...]:
    strides: list[Expr] = [ONE]
    for dim in reversed(shape[1:]):
        strides.append(times(strides[-1], dim))
    return tuple(reversed(strides))


def layout_of_strides(shape: Sequence[Expr], stride: Sequence[Expr]) -> TensorLayout | None:
    """The layout whose family these strides belong to; None when there is none."""
    if not shape or len(shape) != len(stride):
        return None
    if as_int(stride[-1]) == 1:
        return TensorLayout.ND
    return TensorLayout.DN if len(stride) >= 2 and as_int(stride[-2]) == 1 else None


def packed_view(shape: Sequence[Expr], layout: TensorLayout) -> TensorView:
    """A view with the packed strides spelled out."""
    return TensorView(packed_strides(shape, layout), layout)


def shape_product(shape: Sequence[Expr]) -> int:
    """The number of elements; -1 when an extent is not a constant."""
    count = product(shape)
    return -1 if count is None else count


def canonical_problem(
    shape: Sequence[Expr], stride: Sequence[Expr], layout: TensorLayout, *, relaxed_symbolic: bool = True
) -> str | None:
    """Why these strides do not belong to the layout's family, or None when they do.

    With `relaxed_symbolic`, a stride whose size cannot be proven is taken on trust; without it, none with symbols is.
    """
    if layout is TensorLayout.NZ:
        return "NZ layout is not allowed on a tensor: it is a fractal order of tiles"
    if not shape and not stride:
        return None
    if not stride:
        return "stride is empty: the strides are not spelled out"
    if len(shape) != len(stride):
        return f"stride rank {len(stride)} does not match shape rank {len(shape)}"
    if layout is TensorLayout.DN:
        return _dn_problem(shape, stride, relaxed_symbolic)
    if layout is not TensorLayout.ND:
        return f"{layout.name} layout has no logical strides"
    if as_int(stride[-1]) != 1:
        return "ND layout requires an innermost stride of 1"
    return _outer_problem(shape, stride, len(shape) - 2, relaxed_symbolic)


def _dn_problem(shape: Sequence[Expr], stride: Sequence[Expr], relaxed: bool) -> str | None:
    if len(shape) < 2:
        return f"DN layout requires rank >= 2, but got rank {len(shape)}"
    if as_int(stride[-2]) != 1:
        return "DN layout requires stride[-2] to be 1"
    problem = _too_small(stride[-1], shape[-2], relaxed, "DN layout requires the trailing stride to be >= shape[-2]")
    if problem is not None or len(shape) == 2:
        return problem
    need = times(stride[-1], shape[-1])
    problem = _too_small(stride[-3], need, relaxed, f"stride[{len(shape) - 3}] is smaller than packed")
    return problem or _outer_problem(shape, stride, len(shape) - 4, relaxed)


def _outer_problem(shape: Sequence[Expr], stride: Sequence[Expr], last: int, relaxed: bool) -> str | None:
    for axis in range(last, -1, -1):
        need = times(stride[axis + 1], shape[axis + 1])
        problem = _too_small(stride[axis], need, relaxed, f"stride[{axis}] is smaller than packed")
        if problem is not None:
            return problem
    return None


def _too_small(stride: Expr, least: Expr, relaxed: bool, message: str) -> str | None:
    if not relaxed and (as_int(stride) is None or as_int(least) is None):
        return f"{message}: symbolic strides are not taken on trust"
    gap = difference(stride, least)
    return None if gap is None or gap >= 0 else f"{message} (by {-gap})"

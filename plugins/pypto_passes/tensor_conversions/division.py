# SPDX-License-Identifier: Apache-2.0
"""Division of tensors: both tiles of one type, and a column divisor by the operation that repeats it along the rows."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.errors import UserError
from pypto_build.ir import Call, DataType, Expr, ScalarType, as_int
from pypto_build.ops.deduce import valid_shape_of
from pypto_build.ops.proof import provably_at_most, same_dimensions
from pypto_passes.tensor_conversions.building import Building, Shape, tensor_type, tile_type
from pypto_passes.tensor_conversions.by_name import namesake

_ROW_DTYPES = (DataType.FP16, DataType.FP32)
_UNSUPPORTED = "TILE004"


def divided(to: Building, call: Call, args: Sequence[Expr]) -> Expr:
    """A quotient."""
    if isinstance(args[1].type, ScalarType):
        return namesake(to, call, args)
    left, right = to.tile(args[0]), to.tile(args[1])
    shapes = tile_type(left).shape, tile_type(right).shape
    by_row = _is_column(*shapes)
    if by_row:
        _check_row_division(call, left, right)
    else:
        _check_same_region(call, left, right)
    wanted = tensor_type(call).dtype
    left, right = to.cast("div_lhs", left, wanted), to.cast("div_rhs", right, wanted)
    return to.op("tile.row_expand_div", left, right) if by_row else to.op("tile.div", left, right, **call.kwargs)


def _is_column(shape: Shape, column: Shape) -> bool:
    """Whether a shape is a single column beside another."""
    same_rows = len(shape) == len(column) > 1 and same_dimensions(shape[:-1], column[:-1])
    return same_rows and as_int(column[-1]) == 1 and as_int(shape[-1]) != 1


def _check_row_division(call: Call, left: Expr, right: Expr) -> None:
    if call.kwargs.get("high_precision"):
        raise _refused(call, "with high_precision=True does not support row broadcasting")
    if tensor_type(call).dtype not in _ROW_DTYPES:
        raise _refused(call, f"with row broadcasting supports only FP16 or FP32, but got {tensor_type(call).dtype}")
    rows, covered = (valid_shape_of(tile_type(value))[:-1] for value in (left, right))
    if not all(map(provably_at_most, rows, covered)):
        text = "requires the divisor valid rows to cover the dividend rows for every row"
        raise _refused(call, text, code="TILE003")


def _check_same_region(call: Call, left: Expr, right: Expr) -> None:
    kinds = tile_type(left), tile_type(right)
    if _is_column(kinds[1].shape, kinds[0].shape):
        raise _refused(call, "does not support a row-vector lhs broadcast")
    for what, regions in (
        ("physical shape", [kind.shape for kind in kinds]),
        ("valid_shape", [valid_shape_of(kind) for kind in kinds]),
    ):
        if not same_dimensions(*regions):
            raise _refused(call, f"requires src0, src1, and dst to have the same {what}", code="TILE003")


def _refused(call: Call, how: str, *, code: str = _UNSUPPORTED) -> UserError:
    return UserError(
        code,
        f"{call.op.name} {how}",
        call.span,
        help="expand the smaller operand first (pl.row_expand, pl.col_expand, pl.fillpad)",
    )

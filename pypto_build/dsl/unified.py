# SPDX-License-Identifier: Apache-2.0
"""`pl.add`, `pl.exp`, ...: operations that exist for tensors and for tiles, chosen by their first operand.

An argument that only the other level can honour is refused, never dropped: a dropped `b_trans` compiles wrong numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pypto_build.dsl.unified_families import (
    Operation,
    arithmetic,
    binary,
    build,
    expansion,
    forward,
    kind_of,
    level_of,
    light_reduction,
    pair,
    precise,
    reduction,
    refuse,
    scalar_pair,
    scratch_expansion,
    table,
    unary,
    with_scratch,
)
from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import DataType, Expr, TileType
from pypto_build.ir.scalar import as_expr, cast_to


def div(lhs: object, rhs: object, high_precision: bool = False, span: Span = UNKNOWN_SPAN) -> object:
    """lhs / rhs; high_precision needs two tensors or two tiles."""
    kinds = (kind_of(lhs), kind_of(rhs))
    if kinds[1] == "Scalar":
        refuse("div", {"high_precision": (high_precision, False)}, "a scalar divisor")
        return _DIVIDE(lhs, rhs, span=span)
    return build(pair("div", lhs, rhs), "div", lhs, rhs, high_precision=high_precision, span=span)


_DIVIDE = arithmetic("div", "truediv", variant="divs")


def rsqrt(input: object, high_precision: bool = False, span: Span = UNKNOWN_SPAN) -> object:
    """1 / sqrt(input); a tile selects the precise path with a scratch tile instead of the flag."""
    level = level_of("rsqrt", input)
    if level == "tile":
        refuse("rsqrt", {"high_precision": (high_precision, False)}, "Tile operands: use pl.tile.rsqrt(tile, tmp)")
        return build(level, "rsqrt", input, span=span)
    return build(level, "rsqrt", input, high_precision=high_precision, span=span)


_ROUNDING: Final = ("none", "rint", "round", "floor", "ceil", "trunc", "odd")


def cast(input: object, target_type: DataType, mode: object = "round", span: Span = UNKNOWN_SPAN) -> object:
    """The input converted to another element type."""
    if kind_of(input) != "Scalar":
        return build(level_of("cast", input), "cast", input, target_type, mode, span=span)
    if not isinstance(target_type, DataType):  # type: ignore[unnecessary-isinstance]  # users' input
        raise TypeError(f"pl.cast: target_type must be a dtype such as pl.FP32, got {type(target_type).__name__}")
    if mode not in _ROUNDING:
        raise ValueError(f"Invalid rounding mode {mode!r}, use one of {', '.join(map(repr, _ROUNDING))}")
    if mode != "round":
        raise TypeError("pl.cast: Scalar inputs do not support non-default mode")
    operand = as_expr(input if isinstance(input, Expr | int | float) else 0, span)
    return cast_to(operand, target_type, span)


_TRANSPOSE_ADVICE = "Tile operands: a transposed tile is a view, use pl.tile.transpose_view"


def matmul(  # noqa: PLR0917  # the public argument order
    lhs: object,
    rhs: object,
    out_dtype: object = None,
    a_trans: bool = False,
    b_trans: bool = False,
    c_matrix_nz: bool = False,
    span: Span = UNKNOWN_SPAN,
) -> object:
    """Matrix product; the transposition flags and c_matrix_nz are for tensors."""
    level = pair("matmul", lhs, rhs)
    if level == "tensor":
        return build(level, "matmul", lhs, rhs, out_dtype, a_trans, b_trans, c_matrix_nz, span=span)
    refuse("matmul", {"a_trans": (a_trans, False), "b_trans": (b_trans, False)}, _TRANSPOSE_ADVICE)
    refuse("matmul", {"c_matrix_nz": (c_matrix_nz, False)}, "Tile operands: state it in the Acc tile type")
    made = build(level, "matmul", lhs, rhs, span=span)
    result = made.type if isinstance(made, Expr) else None
    if out_dtype is not None and isinstance(result, TileType) and result.dtype is not out_dtype:
        raise TypeError(f"pl.matmul: out_dtype {out_dtype} is not what Tile operands give, {result.dtype}; use pl.cast")
    return made


def matmul_acc(  # noqa: PLR0917  # the public argument order
    acc: object,
    lhs: object,
    rhs: object,
    a_trans: bool = False,
    b_trans: bool = False,
    init_cond: object = None,
    span: Span = UNKNOWN_SPAN,
) -> object:
    """Matrix product added to acc; the transposition flags are for tensors."""
    level = pair("matmul_acc", acc, lhs)
    if level == "tensor":
        return build(level, "matmul_acc", acc, lhs, rhs, a_trans, b_trans, init_cond, span=span)
    refuse("matmul_acc", {"a_trans": (a_trans, False), "b_trans": (b_trans, False)}, _TRANSPOSE_ADVICE)
    return build(level, "matmul_acc", acc, lhs, rhs, init_cond, span=span)


def slice(  # noqa: PLR0917  # the public argument order
    input: object,
    shape: object,
    offset: object,
    valid_shape: object = None,
    drop_dims: object = None,
    pad_value: object = None,
    clamp: bool = False,
    span: Span = UNKNOWN_SPAN,
) -> object:
    """A window of the input; clamp is for tensors."""
    level = level_of("slice", input)
    if level == "tensor":
        return build(level, "slice", input, shape, offset, valid_shape, drop_dims, pad_value, clamp, span=span)
    if clamp:
        raise TypeError("pl.slice: clamp=True is not supported for a Tile: a window of a tile ends inside it")
    return build(level, "slice", input, shape, offset, valid_shape, drop_dims, pad_value, span=span)


def assemble(
    target: object, source: object, offset: object, *, atomic: object = None, span: Span = UNKNOWN_SPAN
) -> object:
    """The target with a window replaced by the source; atomic is for tensors."""
    level = level_of("assemble", target)
    if atomic is None:
        return build(level, "assemble", target, source, offset, span=span)
    if level == "tile":
        refuse("assemble", {"atomic": (atomic, None)}, "Tile operands")
    return build(level, "assemble", target, source, offset, atomic=atomic, span=span)


def batch_matmul(lhs: object, rhs: object, span: Span = UNKNOWN_SPAN) -> object:
    """Matrix products of a batch of tiles; tensors use pl.matmul."""
    if kind_of(lhs) != "Tile":
        raise TypeError(f"pl.batch_matmul: expected Tensor or Tile operands that are tiles, got {kind_of(lhs)}")
    return build("tile", "batch_matmul", lhs, rhs, span=span)


_EXPANSIONS: Final = ("sub", "mul", "div", "max", "min", "expdif")
_FORWARDED: Final[Mapping[str, str]] = {
    "ands": "lhs, rhs",
    "cmp": "lhs, rhs, cmp_type=0",
    "concat": "src0, src1",
    "expands": "target, scalar",
    "fillpad": "value, pad_value?",
    "fillpad_expand": "value, shape, pad_value?",
    "fmods": "lhs, rhs",
    "gather_row": "dst, src, dst_offset, src_offset, shapes, transpose=False, *, valid_shape?",
    "mrgsort": "src0, src1?, src2?, src3?, tmp?, *, exhausted=False, block_len?",
    "ors": "lhs, rhs",
    "read": "src, offset",
    "reinterpret_view": "data, dtype, *, shape?",
    "reshape": "input, shape",
    "scatter_update": "input, *args, **kwargs",
    "set_validshape": "input, valid_rows, valid_cols",
    "shls": "lhs, rhs",
    "shrs": "lhs, rhs",
    "sort32": "src, idx",
    "transpose": "input, axis1, axis2",
    "write": "dst, offset, value",
}

UNIFIED: Final[Mapping[str, Operation]] = {
    **table(unary, ("abs", "cos", "exp", "neg", "not_", "sin", "sqrt", "col_max", "col_min", "col_prod")),
    **table(precise, ("log", "recip")),
    **{name: arithmetic(name, name, variant=f"{name}s") for name in ("add", "sub", "mul")},
    **table(binary, ("and_", "or_", "shl", "shr", "fmod", "maximum", "minimum")),
    **table(binary, ("part_add", "part_max", "part_min", "part_mul")),
    **table(reduction, ("row_max", "row_min", "row_sum", "row_prod", "row_argmax", "row_argmin")),
    **table(reduction, ("col_argmax", "col_argmin")),
    **table(light_reduction, ("col_sum",)),
    **table(scratch_expansion, ("row_expand_add",)),
    **table(expansion, ("row_expand", "col_expand", "col_expand_add")),
    **table(expansion, [f"{side}_expand_{name}" for side in ("row", "col") for name in _EXPANSIONS]),
    **table(with_scratch, ("xor", "xors")),
    **{name: forward(name, written) for name, written in _FORWARDED.items()},
    "assemble": assemble,
    "batch_matmul": batch_matmul,
    "cast": cast,
    "div": div,
    "matmul": matmul,
    "matmul_acc": matmul_acc,
    "max": scalar_pair("max", "max_"),
    "min": scalar_pair("min", "min_"),
    "rsqrt": rsqrt,
    "slice": slice,
}
"""The operations that choose their level."""

_FROM: Final[Mapping[str, str]] = {
    "tile": "addc addsc aic_gather aiv_shard cmps gatherb gemv gemv_acc gemv_bias load lrelu matmul_bias matmul_mx "
    "matmul_mx_acc matmul_mx_bias maximums mgather minimums move mscatter prelu relu rem rems sel sels store subc "
    "subsc tri",
    "tensor": "arange create_l1 dim dump_tag expand_clone full gather get_block_idx get_block_num get_subblock_idx "
    "no_dep paged_gather random scatter",
    "system": "aic_initialize_pipe aiv_initialize_pipe import_peer_buffer reserve_buffer tfree_to_aic tfree_to_aiv "
    "tpop_from_aic tpop_from_aiv tpush_to_aic tpush_to_aiv",
}

PROMOTED: Final[Mapping[str, tuple[str, str]]] = {
    **{name: (namespace, name) for namespace, listed in _FROM.items() for name in listed.split()},
    "create_tensor": ("tensor", "create"),
    "create_tile": ("tile", "create"),
}
"""The operations of one namespace that `pl` offers too."""

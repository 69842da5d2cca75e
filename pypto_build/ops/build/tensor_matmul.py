# SPDX-License-Identifier: Apache-2.0
"""Builders of matrix products of tensors."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, DataType, Expr, as_expr
from pypto_build.ops.build.normal import call


def matmul(  # noqa: PLR0917  # the signature that programs call
    lhs: Expr,
    rhs: Expr,
    out_dtype: DataType | None = None,
    a_trans: bool = False,
    b_trans: bool = False,
    c_matrix_nz: bool = False,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """The matrix product, of transposed operands if asked for."""
    flags = {"a_trans": a_trans, "b_trans": b_trans, "c_matrix_nz": c_matrix_nz}
    _check_flags("tensor.matmul", flags)
    return call("tensor.matmul", (lhs, rhs), {"out_dtype": out_dtype, **flags}, span)


def matmul_acc(  # noqa: PLR0917  # the signature that programs call
    acc: Expr,
    lhs: Expr,
    rhs: Expr,
    a_trans: bool = False,
    b_trans: bool = False,
    init_cond: Expr | bool | None = None,
    *,
    span: Span = UNKNOWN_SPAN,
) -> Call:
    """acc + lhs @ rhs; where init_cond holds, the product replaces the accumulator."""
    condition = () if init_cond is None else (as_expr(init_cond, span),)
    flags = {"a_trans": a_trans, "b_trans": b_trans}
    _check_flags("tensor.matmul_acc", flags)
    return call("tensor.matmul_acc", (acc, lhs, rhs, *condition), flags, span)


def _check_flags(name: str, flags: Mapping[str, object]) -> None:
    """Refuse None, which stands for an attribute that is left out: a flag is one or the other."""
    for flag, value in flags.items():
        if value is None:
            raise TypeError(f"{name}: {flag} must be True or False, got None")

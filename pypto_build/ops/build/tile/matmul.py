# SPDX-License-Identifier: Apache-2.0
"""Builders of matrix products."""

from __future__ import annotations

from pypto_build.errors import UNKNOWN_SPAN, Span
from pypto_build.ir import Call, Expr, as_expr
from pypto_build.ops.build.normal import call

_PLAIN = "unspecified"


def _phase(acc_phase: str) -> str | None:
    return None if acc_phase == _PLAIN else acc_phase


def matmul(lhs: Expr, rhs: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs @ rhs"""
    return call("tile.matmul", (lhs, rhs), None, span)


def matmul_acc(
    acc: Expr, lhs: Expr, rhs: Expr, init_cond: Expr | bool | None = None, *, span: Span = UNKNOWN_SPAN
) -> Call:
    """acc + lhs @ rhs; just lhs @ rhs where init_cond holds."""
    condition = () if init_cond is None else (as_expr(init_cond, span),)
    return call("tile.matmul_acc", (acc, lhs, rhs, *condition), None, span)


def matmul_bias(lhs: Expr, rhs: Expr, bias: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs @ rhs + bias, a row"""
    return call("tile.matmul_bias", (lhs, rhs, bias), None, span)


def batch_matmul(lhs: Expr, rhs: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs @ rhs for each matrix of a batch"""
    return call("tile.batch_matmul", (lhs, rhs), None, span)


def batch_matmul_acc(acc: Expr, lhs: Expr, rhs: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """acc + lhs @ rhs for each matrix of a batch"""
    return call("tile.batch_matmul_acc", (acc, lhs, rhs), None, span)


def gemv(lhs: Expr, rhs: Expr, acc_phase: str = _PLAIN, *, span: Span = UNKNOWN_SPAN) -> Call:
    """A row times a matrix; acc_phase is partial while more of K follows, and final at the end."""
    return call("tile.gemv", (lhs, rhs), {"acc_phase": _phase(acc_phase)}, span)


def gemv_acc(acc: Expr, lhs: Expr, rhs: Expr, acc_phase: str = _PLAIN, *, span: Span = UNKNOWN_SPAN) -> Call:
    """acc + a row times a matrix"""
    return call("tile.gemv_acc", (acc, lhs, rhs), {"acc_phase": _phase(acc_phase)}, span)


def gemv_bias(lhs: Expr, rhs: Expr, bias: Expr, acc_phase: str = _PLAIN, *, span: Span = UNKNOWN_SPAN) -> Call:
    """A row times a matrix + bias, a row"""
    return call("tile.gemv_bias", (lhs, rhs, bias), {"acc_phase": _phase(acc_phase)}, span)


def matmul_mx(lhs: Expr, lhs_scale: Expr, rhs: Expr, rhs_scale: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """lhs @ rhs, both with a scale for each 32 elements along K"""
    return call("tile.matmul_mx", (lhs, lhs_scale, rhs, rhs_scale), None, span)


def matmul_mx_acc(
    acc: Expr, lhs: Expr, lhs_scale: Expr, rhs: Expr, rhs_scale: Expr, *, span: Span = UNKNOWN_SPAN
) -> Call:
    """acc + lhs @ rhs, both scaled"""
    return call("tile.matmul_mx_acc", (acc, lhs, lhs_scale, rhs, rhs_scale), None, span)


def matmul_mx_bias(
    lhs: Expr, lhs_scale: Expr, rhs: Expr, rhs_scale: Expr, bias: Expr, *, span: Span = UNKNOWN_SPAN
) -> Call:
    """lhs @ rhs + bias, both scaled"""
    return call("tile.matmul_mx_bias", (lhs, lhs_scale, rhs, rhs_scale, bias), None, span)


def tget_scale_addr(dst_scale: Expr, src: Expr, *, span: Span = UNKNOWN_SPAN) -> Call:
    """A scale tile placed where the hardware expects the scales of src; made by passes."""
    return call("tile.tget_scale_addr", (dst_scale, src), None, span)

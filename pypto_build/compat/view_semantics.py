# SPDX-License-Identifier: Apache-2.0
"""`pypto.ir.tensor_view_semantics`: strides, layouts and whether they belong together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pypto_build.ir import Expr, TensorLayout
from pypto_build.ops import tensor_layout


def _strides(shape: Sequence[Expr], layout: TensorLayout) -> list[Expr]:
    return list(tensor_layout.packed_strides(tuple(shape), layout))


def _check(
    shape: Sequence[Expr], stride: Sequence[Expr], layout: TensorLayout, relaxed_symbolic: bool = True
) -> tuple[bool, str]:
    problem = tensor_layout.canonical_problem(tuple(shape), tuple(stride), layout, relaxed_symbolic=relaxed_symbolic)
    return problem is None, problem or ""


NAMES: Final[dict[str, Any]] = {
    "build_logical_strides_from_layout": _strides,
    "canonicalize_view": tensor_layout.packed_view,
    "check_canonical_view": _check,
    "compute_shape_product": tensor_layout.shape_product,
    "derive_layout_from_strides": tensor_layout.layout_of_strides,
}

# SPDX-License-Identifier: Apache-2.0
"""Tensor views and the partitions that loads and stores move."""

from __future__ import annotations

from collections.abc import Sequence

from pypto_build.errors import InternalError
from pypto_build.ir import ConstInt, Expr, TensorLayout, TensorType, Var, as_int
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.text import Value
from pypto_targets.pto.types import partition, tensor_view

_LAYOUTS = {
    TensorLayout.ND: "nd",
    TensorLayout.DN: "dn",
    TensorLayout.NZ: "nz",
    TensorLayout.MX_A_ZZ: "mx_a_zz",
    TensorLayout.MX_B_NN: "mx_b_nn",
}


def declare_view(kernel: Kernel, var: Var, pointer: Value) -> None:
    """Write the view of a tensor over its pointer."""
    kind = var.type
    if not isinstance(kind, TensorType):
        raise InternalError(f"{var.name_hint} is no tensor", var.span)
    layout = _layout(kind)
    shape = [kernel.index(extent).name for extent in kind.shape]
    strides = [value.name for value in _strides(kernel, kind, layout)]
    text = (
        f"pto.make_tensor_view {pointer.name}, shape = [{', '.join(shape)}], strides = [{', '.join(strides)}] "
        f"{{layout = #pto.layout<{_LAYOUTS[layout]}>}} : {tensor_view(kind)}"
    )
    kernel.views[var] = kernel.text.define(text, tensor_view(kind), f"{var.name_hint}_view")


def _layout(kind: TensorType) -> TensorLayout:
    """The stated layout; a tensor whose last extent is the constant 1 is a column and therefore DN."""
    stated = kind.tensor_view.layout if kind.tensor_view is not None else TensorLayout.ND
    if stated is TensorLayout.ND and len(kind.shape) >= 2 and as_int(kind.shape[-1]) == 1:
        return TensorLayout.DN
    return stated


def _strides(kernel: Kernel, kind: TensorType, layout: TensorLayout) -> list[Value]:
    if kind.tensor_view is not None and kind.tensor_view.stride and layout is kind.tensor_view.layout:
        return [kernel.index(stride) for stride in kind.tensor_view.stride]
    order = list(range(len(kind.shape)))
    if layout is TensorLayout.DN and len(order) >= 2:
        order[-2:] = [order[-1], order[-2]]
    strides: dict[int, Value] = {}
    known: int | None = 1
    running = kernel.text.integer(1, "index")
    for dim in reversed(order):
        strides[dim] = running
        extent = as_int(kind.shape[dim])
        if known is not None and extent is not None:
            known *= extent
            running = kernel.text.integer(known, "index")
        else:
            known = None
            operand = kernel.index(kind.shape[dim])
            running = kernel.text.define(f"arith.muli {running.name}, {operand.name} : index", "index")
    return [strides[dim] for dim in range(len(order))]


def part(kernel: Kernel, tensor: Expr, offsets: Sequence[Expr], extents: tuple[Expr, ...], hint: str = "") -> Value:
    """The partition of a tensor at some offsets; an offset known only at run time is kept from being negative."""
    root = kernel.tensor(tensor)
    view = kernel.views.get(root)
    kind = root.type
    if view is None or not isinstance(kind, TensorType):
        raise InternalError(f"tensor {root.name_hint} has no view in kernel {kernel.function.name}", root.span)
    places = ", ".join(_offset(kernel, offset).name for offset in offsets)
    sizes = ", ".join(kernel.index(extent).name for extent in extents)
    made = partition(extents, kind.dtype)
    text = f"pto.partition_view {view.name}, offsets = [{places}], sizes = [{sizes}] : {view.type} -> {made}"
    return kernel.text.define(text, made, hint or f"{root.name_hint}_pview")


def _offset(kernel: Kernel, offset: Expr) -> Value:
    if isinstance(offset, ConstInt):
        return kernel.text.integer(max(offset.value, 0), "index")
    value, zero = kernel.index(offset), kernel.text.integer(0, "index")
    return kernel.text.define(f"arith.maxsi {value.name}, {zero.name} : index", "index")


def flat_offset(kernel: Kernel, indices: Sequence[Expr], shape: Sequence[Expr]) -> Value:
    """The row-major position of an element."""
    position = kernel.index(indices[0])
    for index, extent in zip(indices[1:], shape[1:], strict=True):
        scale = kernel.index(extent)
        scaled = kernel.text.define(f"arith.muli {position.name}, {scale.name} : index", "index")
        position = kernel.text.define(f"arith.addi {scaled.name}, {kernel.index(index).name} : index", "index")
    return position

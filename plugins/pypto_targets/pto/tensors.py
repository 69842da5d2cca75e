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
    kernel.views[var] = view_over(kernel, var, pointer, f"{var.name_hint}_view")


def view_over(kernel: Kernel, var: Var, pointer: Value, hint: str = "") -> Value:
    """The view of a tensor over some pointer to memory that lies like the tensor's."""
    kind = var.type
    if not isinstance(kind, TensorType):
        raise InternalError(f"{var.name_hint} is no tensor", var.span)
    layout = stated_layout(kind)
    if var in kernel.function.params and _is_column(kind, layout):
        layout = TensorLayout.DN
        strides = _packed(kernel, kind.shape, layout if len(kind.shape) == 2 else TensorLayout.ND)
    else:
        strides = strides_of(kernel, kind)
    return strided_view(kernel, kind, pointer, layout=layout, strides=strides, hint=hint)


def strided_view(
    kernel: Kernel,
    kind: TensorType,
    pointer: Value,
    *,
    layout: TensorLayout,
    strides: Sequence[Value],
    hint: str = "",
) -> Value:
    """A view of these strides."""
    shape = ", ".join(kernel.index(extent).name for extent in kind.shape)
    steps = ", ".join(value.name for value in strides)
    text = (
        f"pto.make_tensor_view {pointer.name}, shape = [{shape}], strides = [{steps}] "
        f"{{layout = #pto.layout<{_LAYOUTS[layout]}>}} : {tensor_view(kind)}"
    )
    return kernel.text.define(text, tensor_view(kind), hint)


def stated_layout(kind: TensorType) -> TensorLayout:
    """The layout in a tensor's type."""
    return kind.tensor_view.layout if kind.tensor_view is not None else TensorLayout.ND


def strides_of(kernel: Kernel, kind: TensorType) -> list[Value]:
    """The strides of a tensor in elements: those in its type, or those that leave no gaps."""
    view = kind.tensor_view
    if view is not None and view.stride:
        return [kernel.index(stride) for stride in view.stride]
    return _packed(kernel, kind.shape, stated_layout(kind))


def _is_column(kind: TensorType, layout: TensorLayout) -> bool:
    """A last extent of the constant 1 reads as DN to the assembler, so a parameter says so."""
    return layout is TensorLayout.ND and len(kind.shape) >= 2 and as_int(kind.shape[-1]) == 1


def _packed(kernel: Kernel, shape: Sequence[Expr], layout: TensorLayout) -> list[Value]:
    """Strides without gaps, in elements."""
    order = list(range(len(shape)))
    if layout is TensorLayout.DN and len(order) >= 2:
        order[-2:] = [order[-1], order[-2]]
    strides: dict[int, Value] = {}
    running, known = kernel.text.integer(1, "index"), 1
    for dim in reversed(order):
        strides[dim] = running
        extent = as_int(shape[dim])
        if dim == order[0]:
            break
        if known and extent is not None:
            known *= extent
            running = kernel.text.integer(known, "index")
            continue
        operand = kernel.index(shape[dim])
        alone = known == 1
        product = f"arith.muli {running.name}, {operand.name} : index"
        running, known = operand if alone else kernel.text.define(product, "index"), 0
    return [strides[dim] for dim in range(len(order))]


def part(kernel: Kernel, tensor: Expr, offsets: Sequence[Expr], extents: tuple[Expr, ...], hint: str = "") -> Value:
    """The partition of a tensor at some offsets; an offset known only at run time is kept from being negative."""
    root = kernel.tensor(tensor)
    view = kernel.views.get(root)
    kind = root.type
    if view is None or not isinstance(kind, TensorType):
        raise InternalError(f"tensor {root.name_hint} has no view in kernel {kernel.function.name}", root.span)
    return partition_of(kernel, view, kind, offsets=offsets, extents=extents, hint=hint or f"{root.name_hint}_pview")


def whole(kernel: Kernel, tensor: Expr, hint: str = "") -> Value:
    """The partition that is all of a tensor."""
    kind = kernel.tensor(tensor).type
    if not isinstance(kind, TensorType):
        raise InternalError(f"{tensor} is no tensor", tensor.span)
    origin = [ConstInt(0)] * len(kind.shape)
    return part(kernel, tensor, origin, kind.shape, hint)


def partition_of(
    kernel: Kernel,
    view: Value,
    kind: TensorType,
    *,
    offsets: Sequence[Expr],
    extents: tuple[Expr, ...],
    hint: str,
) -> Value:
    """A partition of a view."""
    places = ", ".join(_offset(kernel, offset).name for offset in offsets)
    sizes = ", ".join(kernel.index(extent).name for extent in extents)
    made = partition(extents, kind.dtype)
    text = f"pto.partition_view {view.name}, offsets = [{places}], sizes = [{sizes}] : {view.type} -> {made}"
    return kernel.text.define(text, made, hint)


def _offset(kernel: Kernel, offset: Expr) -> Value:
    if isinstance(offset, ConstInt):
        return kernel.text.integer(max(offset.value, 0), "index")
    value, zero = kernel.index(offset), kernel.text.integer(0, "index")
    return kernel.text.define(f"arith.maxsi {value.name}, {zero.name} : index", "index")


def flat_offset(kernel: Kernel, indices: Sequence[Expr], shape: Sequence[Expr]) -> Value:
    """The row-major position of an element; a constant where everything is."""
    numbers, extents = [as_int(index) for index in indices], [as_int(extent) for extent in shape]
    if None not in numbers and None not in extents[1:]:
        flat = numbers[0] or 0
        for number, extent in zip(numbers[1:], extents[1:], strict=True):
            flat = flat * (extent or 0) + (number or 0)
        return kernel.text.integer(flat, "index")
    position = kernel.index(indices[0])
    for index, extent in zip(indices[1:], shape[1:], strict=True):
        scale = kernel.index(extent)
        scaled = kernel.text.define(f"arith.muli {position.name}, {scale.name} : index", "index", "flat_offset_mul")
        text = f"arith.addi {scaled.name}, {kernel.index(index).name} : index"
        position = kernel.text.define(text, "index", "flat_offset")
    return position

# SPDX-License-Identifier: Apache-2.0
"""Loads and stores, single elements of tiles and tensors, and views of tensors."""

from __future__ import annotations

from pypto_build.errors import UserError
from pypto_build.ir import AtomicType, Call, Expr, ShapedType, TensorLayout, TensorType, TileType, Var, as_int
from pypto_targets.pto.kernel import Kernel, tuple_items
from pypto_targets.pto.operations import Handler, argument, in_place, result, tensor_of, tile_of, write
from pypto_targets.pto.tensors import declare_view, flat_offset, part, stated_layout
from pypto_targets.pto.types import element

_MX = {TensorLayout.MX_A_ZZ: "mx_a_zz", TensorLayout.MX_B_NN: "mx_b_nn"}
ATOMIC = "{atomicType = #pto<atomic_type atomic_add>}"


def load(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.load(tensor, offsets, shapes[, valid_shape])`."""
    tensor, offsets = call.args[0], tuple_items(call.args[1])
    destination = result(kernel, call, var)
    narrower = argument(call, 3)
    source = part(kernel, tensor, offsets, tuple_items(call.args[2] if narrower is None else narrower))
    layout = stated_layout(tensor_of(call, 0))
    outs = f"{{layout = #pto.layout<{_MX[layout]}>}}" if layout in _MX else ""
    write(kernel, "pto.tload", [source], [destination], outs=outs)


def store(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.store(tile, offsets, tensor[, shapes])`; the result is another name for the tensor."""
    tile, offsets, tensor = call.args[0], tuple_items(call.args[1]), call.args[2]
    target = part(kernel, tensor, offsets, _stored_extents(tile_of(call, 0), tensor, call))
    write(kernel, "pto.tstore", [kernel.value(tile)], [target], outs=atomic_attribute(call))
    if var is not None:
        kernel.alias(var, tensor)


def atomic_attribute(call: Call) -> str:
    """Whether a store adds to what is there."""
    return ATOMIC if call.kwargs.get("atomic", AtomicType.None_.value) == AtomicType.Add.value else ""


def _stored_extents(kind: TileType, tensor: Expr, call: Call) -> tuple[Expr, ...]:
    if len(call.args) > 3:
        return tuple_items(call.args[3])
    valid = kind.effective_tile_view().valid_shape
    whole = tensor.type
    if isinstance(whole, ShapedType) and len(whole.shape) != len(valid):
        raise UserError(
            "PTO007",
            "a window of another rank than its tensor has no PTO form",
            call.span,
            help="give offsets and shapes one entry for each dimension of the tensor",
        )
    return valid


def read(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.read(tile, indices)`: one element into a scalar."""
    if var is None:
        return
    tile, kind = kernel.value(call.args[0]), tile_of(call, 0)
    offset = flat_offset(kernel, tuple_items(call.args[1]), kind.shape)
    text = f"pto.tgetval ins({tile.name}, {offset.name} : {tile.type}, index) outs : {element(kind.dtype)}"
    kernel.bind(var, text, element(kind.dtype))


def write_element(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.write(tile, indices, value)`: one element."""
    tile, kind = in_place(kernel, call, var), tile_of(call, 0)
    offset = flat_offset(kernel, tuple_items(call.args[1]), kind.shape)
    value = kernel.scalar(call.args[2], kind.dtype)
    write(kernel, "pto.tsetval", [offset, value], [tile])


def tensor_read(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tensor.read(tensor, indices)`: one element of global memory."""
    kind = kernel.tensor(call.args[0]).type
    if var is None or not isinstance(kind, TensorType):
        return
    offset = flat_offset(kernel, tuple_items(call.args[1]), kind.shape)
    pointer = kernel.pointer(call.args[0])
    text = f"pto.load_scalar {pointer.name}[{offset.name}] : {pointer.type} -> {element(kind.dtype)}"
    kernel.bind(var, text, element(kind.dtype))


def tensor_write(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tensor.write(tensor, indices, value)`: one element of global memory."""
    kind = tensor_of(call, 0)
    offset = flat_offset(kernel, tuple_items(call.args[1]), kind.shape)
    value = kernel.scalar(call.args[2], kind.dtype)
    pointer = kernel.pointer(call.args[0])
    kernel.text.emit(f"pto.store_scalar {value.name}, {pointer.name}[{offset.name}] : {pointer.type}, {value.type}")
    if var is not None:
        kernel.alias(var, call.args[0])


def tensor_dim(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tensor.dim(tensor, axis)`: the extent in the tensor's type."""
    kind, axis = call.args[0].type, as_int(call.args[1])
    if var is not None and isinstance(kind, TensorType) and axis is not None:
        kernel.values[var] = kernel.index(kind.shape[axis])


def tensor_window(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tensor.view(tensor, shape)`: a new view over the same pointer."""
    if var is not None:
        kernel.pointers[var] = kernel.parameter(call.args[0])
        declare_view(kernel, var, kernel.pointer(var))


def nothing(kernel: Kernel, call: Call, var: Var | None) -> None:
    """An operation that is not there at run time."""
    del kernel, call, var


def create(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.create`: only its buffer is declared."""
    del call
    if var is not None:
        kernel.tile(var)


HANDLERS: dict[str, Handler] = {
    "tile.load": load,
    "tile.store": store,
    "tile.read": read,
    "tile.write": write_element,
    "tile.create": create,
    "tile.alloc": nothing,
    "tensor.alloc": nothing,
    "tensor.read": tensor_read,
    "tensor.write": tensor_write,
    "tensor.dim": tensor_dim,
    "tensor.view": tensor_window,
}

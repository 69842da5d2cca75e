# SPDX-License-Identifier: Apache-2.0
"""Loads, stores, scalar accesses, local arrays, block indices and barriers."""

from __future__ import annotations

from pypto_build.errors import InternalError, UserError
from pypto_build.ir import AtomicType, Call, Expr, ShapedType, TensorLayout, TensorType, TileType, Var, as_int
from pypto_targets.pto.kernel import Kernel, tuple_items
from pypto_targets.pto.operations import Handler, result, write
from pypto_targets.pto.tensors import declare_view, flat_offset, part
from pypto_targets.pto.text import Value
from pypto_targets.pto.types import element, value_type

_MX = {TensorLayout.MX_A_ZZ: "mx_a_zz", TensorLayout.MX_B_NN: "mx_b_nn"}


def load(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.load(tensor, offsets, shapes[, valid_shape])`."""
    tensor, offsets, shapes = call.args[0], tuple_items(call.args[1]), tuple_items(call.args[2])
    valid = tuple_items(call.args[3]) if len(call.args) > 3 else shapes
    destination = result(kernel, call, var)
    source = part(kernel, tensor, offsets, valid)
    kind = tensor.type
    layout = kind.tensor_view.layout if isinstance(kind, TensorType) and kind.tensor_view is not None else None
    outs = f"{{layout = #pto.layout<{_MX[layout]}>}}" if layout in _MX else ""
    write(kernel, "pto.tload", [source], [destination], outs=outs)


def store(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.store(tile, offsets, tensor[, shapes])`; the result is another name for the tensor."""
    tile, offsets, tensor = call.args[0], tuple_items(call.args[1]), call.args[2]
    kind = tile.type
    if not isinstance(kind, TileType):
        raise InternalError("tile.store needs a tile", call.span)
    extents = _stored_extents(kind, tensor, call)
    target = part(kernel, tensor, offsets, extents)
    atomic = call.kwargs.get("atomic", AtomicType.None_.value)
    outs = "{atomicType = #pto<atomic_type atomic_add>}" if atomic == AtomicType.Add.value else ""
    write(kernel, "pto.tstore", [kernel.value(tile)], [target], outs=outs)
    if var is not None:
        kernel.alias(var, tensor)


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
    tile = kernel.value(call.args[0])
    kind = call.args[0].type
    if var is None or not isinstance(kind, TileType):
        return
    offset = flat_offset(kernel, tuple_items(call.args[1]), kind.shape)
    text = f"pto.tgetval ins({tile.name}, {offset.name} : {tile.type}, index) outs : {element(kind.dtype)}"
    kernel.values[var] = kernel.text.define(text, element(kind.dtype), var.name_hint)


def write_element(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.write(tile, indices, value)`: one element."""
    tile = kernel.value(call.args[0])
    kind = call.args[0].type
    if not isinstance(kind, TileType):
        raise InternalError("tile.write needs a tile", call.span)
    offset = flat_offset(kernel, tuple_items(call.args[1]), kind.shape)
    value = kernel.scalar(call.args[2], kind.dtype)
    kernel.text.emit(
        f"pto.tsetval ins({offset.name}, {value.name} : index, {value.type}) outs({tile.name} : {tile.type})"
    )
    if var is not None:
        kernel.alias(var, call.args[0])


def tensor_read(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tensor.read(tensor, indices)`: one element of global memory."""
    root = kernel.tensor(call.args[0])
    kind = root.type
    if var is None or not isinstance(kind, TensorType):
        return
    offset = flat_offset(kernel, tuple_items(call.args[1]), kind.shape)
    pointer = kernel.values[root]
    text = f"pto.load_scalar {pointer.name}[{offset.name}] : {pointer.type} -> {element(kind.dtype)}"
    kernel.values[var] = kernel.text.define(text, element(kind.dtype), var.name_hint)


def tensor_write(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tensor.write(tensor, indices, value)`: one element of global memory."""
    root = kernel.tensor(call.args[0])
    kind = root.type
    if not isinstance(kind, TensorType):
        raise InternalError("tensor.write needs a tensor", call.span)
    offset = flat_offset(kernel, tuple_items(call.args[1]), kind.shape)
    value = kernel.scalar(call.args[2], kind.dtype)
    pointer = kernel.values[root]
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
    root = kernel.tensor(call.args[0])
    if var is not None:
        kernel.values[var] = kernel.values[root]
        declare_view(kernel, var, kernel.values[root])


def block(name: str) -> Handler:
    """A hidden parameter of the kernel as an index."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        del call
        if var is not None:
            kernel.values[var] = kernel.text.define(f"arith.index_cast %{name} : i32 to index", "index", var.name_hint)

    return handler


def array_create(kernel: Kernel, call: Call, var: Var | None) -> None:
    """A local array."""
    if var is not None:
        kind = value_type(call.type)
        kernel.values[var] = kernel.text.define(f"pto.declare_local_array -> {kind}", kind, var.name_hint)


def array_get(kernel: Kernel, call: Call, var: Var | None) -> None:
    """An element of a local array."""
    if var is None:
        return
    array, index = kernel.value(call.args[0]), kernel.index(call.args[1])
    kind = value_type(call.type)
    text = f"pto.local_array_get {array.name}[{index.name}] : {array.type} -> {kind}"
    kernel.values[var] = kernel.text.define(text, kind, var.name_hint)


def array_set(kernel: Kernel, call: Call, var: Var | None) -> None:
    """An element of a local array changed in place."""
    kind = call.args[0].type
    if not isinstance(kind, ShapedType):
        raise InternalError("array.update_element needs an array", call.span)
    array, index = kernel.value(call.args[0]), kernel.index(call.args[1])
    value: Value = kernel.scalar(call.args[2], kind.dtype)
    kernel.text.emit(f"pto.local_array_set {array.name}[{index.name}], {value.name} : {array.type}, {value.type}")
    if var is not None:
        kernel.alias(var, call.args[0])


def nothing(kernel: Kernel, call: Call, var: Var | None) -> None:
    """An operation that is not there at run time."""
    del kernel, call, var


def create(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`tile.create`: its buffer is allocated when something is written to it."""
    del call
    if var is not None:
        kernel.tile(var)


def barrier(pipe: str) -> Handler:
    """A barrier of one pipe, or of all."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        del call, var
        kernel.text.emit(f"pto.barrier <{pipe}>")

    return handler


def fence(kernel: Kernel, call: Call, var: Var | None) -> None:
    """A fence of global memory."""
    del call, var
    kernel.text.emit("pto.fence.barrier_all #pto.fence_scope<gm>")


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
    "tile.get_block_idx": block("__pypto_spmd_block_idx"),
    "tile.get_block_num": block("__pypto_spmd_block_num"),
    "tile.get_subblock_idx": block("__pypto_spmd_subblock_idx"),
    "array.create": array_create,
    "array.get_element": array_get,
    "array.update_element": array_set,
    "system.bar_v": barrier("PIPE_V"),
    "system.bar_m": barrier("PIPE_M"),
    "system.bar_all": barrier("PIPE_ALL"),
    "system.fence": fence,
}

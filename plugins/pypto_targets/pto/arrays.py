# SPDX-License-Identifier: Apache-2.0
"""Local arrays of a core, and where a core stands among its launch."""

from __future__ import annotations

from pypto_build.errors import InternalError
from pypto_build.ir import Call, ShapedType, Var
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.operations import Handler, in_place
from pypto_targets.pto.types import value_type


def create(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`array.create`."""
    if var is not None:
        kind = value_type(call.type)
        kernel.bind(var, f"pto.declare_local_array -> {kind}", kind)


def get(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`array.get_element(array, index)`."""
    if var is None:
        return
    array, index = kernel.value(call.args[0]), kernel.index(call.args[1])
    kind = value_type(call.type)
    text = f"pto.local_array_get {array.name}[{index.name}] : {array.type} -> {kind}"
    kernel.bind(var, text, kind)


def update(kernel: Kernel, call: Call, var: Var | None) -> None:
    """`array.update_element(array, index, value)`: the array changes in place."""
    kind = call.args[0].type
    if not isinstance(kind, ShapedType):
        raise InternalError("array.update_element needs an array", call.span)
    array, index = in_place(kernel, call, var), kernel.index(call.args[1])
    value = kernel.scalar(call.args[2], kind.dtype)
    kernel.text.emit(f"pto.local_array_set {array.name}[{index.name}], {value.name} : {array.type}, {value.type}")


def position(role: str) -> Handler:
    """A hidden parameter of the kernel as an index."""

    def handler(kernel: Kernel, call: Call, var: Var | None) -> None:
        del call
        if var is not None:
            text = f"arith.index_cast {kernel.hidden[role].name} : i32 to index"
            kernel.bind(var, text, "index")

    return handler


HANDLERS: dict[str, Handler] = {
    "array.create": create,
    "array.get_element": get,
    "array.update_element": update,
    "tile.get_block_idx": position("block_idx"),
    "tile.get_block_num": position("block_num"),
    "tile.get_subblock_idx": position("subblock_idx"),
}

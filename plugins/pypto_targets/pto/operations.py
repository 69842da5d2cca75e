# SPDX-License-Identifier: Apache-2.0
"""How an operation is written: operands, destinations, and the instruction in destination-passing form."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pypto_build.errors import InternalError, UserError
from pypto_build.ir import Call, DataType, Expr, ScalarType, TensorType, TileType, Type, Var
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.text import Value

Handler = Callable[[Kernel, Call, "Var | None"], None]

_INT32_SCALARS = frozenset({"tile.ands", "tile.ors", "tile.xors", "tile.shls", "tile.shrs"})
_OWN_SCALARS = frozenset({"tile.sels"})  # the scalar's type is checked when the call is made


def of_definition(kernel: Kernel, call: Call, var: Var | None) -> None:
    """An operation whose definition states its instruction; several results are several destinations."""
    definition = kernel.context.ops.get(call.op.name)
    if not definition.mnemonic:
        raise UserError("PTO006", f"the pto target cannot translate {call.op.name}", call.span)
    several = definition.output_arity > 1
    results = [value for _, value in kernel.outputs(call, var)] if several else [result(kernel, call, var)]
    write(kernel, definition.mnemonic, operands(kernel, call), results)


def simple(kernel: Kernel, call: Call, var: Var | None, *, mnemonic: str, ins: str = "", outs: str = "") -> None:
    """`pto.x ins(all arguments) outs(result)`, with attributes inside `ins` or behind `outs`."""
    destination = result(kernel, call, var)
    write(kernel, mnemonic, operands(kernel, call), [destination], ins=ins, outs=outs)


def in_place(kernel: Kernel, call: Call, var: Var | None, target: int = 0) -> Value:
    """The buffer of an argument that an operation changes; the result is another name for it."""
    if var is not None:
        kernel.alias(var, call.args[target])
    return kernel.value(call.args[target])


def result(kernel: Kernel, call: Call, var: Var | None) -> Value:
    """The buffer that an operation writes."""
    if var is None:
        raise InternalError(f"the result of {call.op.name} is not bound to a variable", call.span)
    return kernel.tile(var)


def operands(kernel: Kernel, call: Call) -> list[Value]:
    """All arguments in order."""
    return [operand(kernel, arg.type, call, index) for index, arg in enumerate(call.args)]


def operand(kernel: Kernel, kind: Type, call: Call, index: int) -> Value:
    """An argument; a scalar beside tiles takes the element type of the first tile."""
    arg = call.args[index]
    if isinstance(kind, TileType):
        return kernel.value(arg)
    if isinstance(kind, ScalarType):
        if call.op.name in _INT32_SCALARS:
            return kernel.converted(arg, DataType.INT32)
        own = call.op.name in _OWN_SCALARS
        return kernel.scalar(arg, kind.dtype if own else _element_of(call) or kind.dtype)
    raise InternalError(f"argument {index} of {call.op.name} is neither tile nor scalar", call.span)


def _element_of(call: Call) -> DataType | None:
    for arg in call.args:
        if isinstance(arg.type, TileType):
            return arg.type.dtype
    return None


def write(
    kernel: Kernel,
    mnemonic: str,
    operands: Sequence[Value],
    results: Sequence[Value],
    *,
    ins: str = "",
    outs: str = "",
) -> None:
    """An instruction in destination-passing form."""
    inside = f" {ins}" if ins else ""
    behind = f" {outs}" if outs else ""
    kernel.text.emit(
        f"{mnemonic} ins({named(operands)}{inside} : {typed(operands)}) "
        f"outs({named(results)} : {typed(results)}){behind}"
    )


def named(values: Sequence[Value]) -> str:
    """The names of values."""
    return ", ".join(value.name for value in values)


def typed(values: Sequence[Value]) -> str:
    """The types of values."""
    return ", ".join(value.type for value in values)


def integer_kwarg(call: Call, name: str, default: int = 0) -> int:
    """An integer attribute of a call."""
    value = call.kwargs.get(name, default)
    if not isinstance(value, int):
        raise InternalError(f"{name} of {call.op.name} is no integer", call.span)
    return int(value)


def argument(call: Call, index: int) -> Expr | None:
    """An argument that may have been left out."""
    return next(iter(call.args[index : index + 1]), None)


def tile_of(call: Call, index: int | None = None) -> TileType:
    """The type of an argument, or of the result, that is a tile."""
    kind = call.type if index is None else call.args[index].type
    if not isinstance(kind, TileType):
        what = "yields a tile" if index is None else f"needs a tile as argument {index}"
        raise InternalError(f"{call.op.name} {what}", call.span)
    return kind


def tensor_of(call: Call, index: int) -> TensorType:
    """The type of an argument that is a tensor."""
    kind = call.args[index].type
    if not isinstance(kind, TensorType):
        raise InternalError(f"{call.op.name} needs a tensor as argument {index}", call.span)
    return kind

# SPDX-License-Identifier: Apache-2.0
"""How a kernel gets its arguments from the runtime: descriptors of tensors, bits of scalars, extents of shapes.

The runtime hands over one array: a descriptor for each tensor, then 64 bits for each other argument. An extent that a
kernel names is computed back from the shape of a tensor: from the first extent that is the name itself, or the name and
a constant. Source: the public description of the kernel interface.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pypto_build.analysis.pipe_workspace import is_workspace, workspace_elements
from pypto_build.errors import UserError
from pypto_build.ir import (
    Add,
    CommCtxType,
    DataType,
    Expr,
    FloorDiv,
    Function,
    Mul,
    ScalarType,
    Sub,
    TensorType,
    Var,
    as_int,
)
from pypto_targets.pto.module import dynamic_dims, parameter_order

BLOCK_INDEX: Final = "__pypto_spmd_block_idx"
_INDENT = "    "
_PER_BYTE = 2  # elements of FP4 that one element of the descriptor stands for


@dataclass(frozen=True, slots=True)
class Arguments:
    """The statements that unpack the arguments of a kernel, and their names in the order of its parameters."""

    code: str
    names: tuple[str, ...]


def unpacked_arguments(function: Function, *, per_block: bool = False) -> Arguments:
    """What a kernel's entry does before the call; `per_block`: each block has its own part of the workspace.

    Raises:
        UserError: an extent stands only in expressions from which it cannot be computed back.
    """
    lines: list[str] = []
    names: list[str] = []
    for number, param in enumerate(parameter_order(function)):
        lines += [*_unpacked(function, param, number, per_block=per_block), ""]
        names.append(param.name_hint)
    for symbol in dynamic_dims(function):
        lines.append(f"{_INDENT}int64_t {symbol.name_hint} = {_extent(function, symbol)};")
        names.append(symbol.name_hint)
    return Arguments("\n".join(lines), tuple(names))


def _unpacked(function: Function, param: Var, number: int, *, per_block: bool) -> Iterator[str]:
    name, kind = param.name_hint, param.type
    if isinstance(kind, TensorType):
        element = f"__gm__ {kind.dtype.to_c_type_string()}*"
        start = f"{name}_tensor->start_offset"
        if per_block and is_workspace(param):
            start += f" + {BLOCK_INDEX} * {workspace_elements(function)}"
        yield f"{_INDENT}// Unpack tensor: {name}"
        yield f"{_INDENT}__gm__ ChipTensor* {name}_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[{number}]);"
        yield f"{_INDENT}{element} {name} = reinterpret_cast<{element}>({name}_tensor->buffer.addr) + {start};"
    elif isinstance(kind, ScalarType):
        c_type = kind.dtype.to_c_type_string()
        yield f"{_INDENT}// Unpack scalar: {name}"
        yield f"{_INDENT}union {{ uint64_t u64; {c_type} val; }} {name}_conv;"
        yield f"{_INDENT}{name}_conv.u64 = args[{number}];"
        yield f"{_INDENT}{c_type} {name} = {name}_conv.val;"
    elif isinstance(kind, CommCtxType):
        yield f"{_INDENT}// Unpack communication context: {name}"
        yield f"{_INDENT}__gm__ int64_t* {name} = reinterpret_cast<__gm__ int64_t*>(args[{number}]);"
    else:
        text = f"parameter '{name}' of kernel '{function.name}' is nothing that the runtime can hand over"
        raise UserError("PTO020", text, param.span, help="pass tensors and scalars")


def _extent(function: Function, symbol: Var) -> str:
    for param in parameter_order(function):
        shape = param.type.shape if isinstance(param.type, TensorType) else ()
        for axis, extent in enumerate(shape):
            found = f"static_cast<int64_t>({param.name_hint}_tensor->shapes[{axis}])"
            packed = isinstance(param.type, TensorType) and param.type.dtype is DataType.FP4 and axis == len(shape) - 1
            made = _solved(extent, symbol, f"({found} * {_PER_BYTE})" if packed else found)
            if made is not None:
                return made
    raise UserError(
        "PTO021",
        f"the extent '{symbol.name_hint}' of kernel '{function.name}' stands only in non-invertible expressions",
        function.span,
        help="give one tensor this extent itself, or the extent and a constant",
    )


def _solved(extent: Expr, symbol: Var, value: str) -> str | None:
    """What a symbol is, given the value of an extent; None where that does not follow."""
    if extent is symbol:
        return value
    if not isinstance(extent, Add | Sub | Mul | FloorDiv):
        return None
    left, right = as_int(extent.left), as_int(extent.right)
    constant = right if extent.left is symbol else left if extent.right is symbol else None
    if constant is None or (isinstance(extent, Mul | FloorDiv) and constant == 0):
        return None
    match extent:
        case Add():
            return f"({value} - {constant})"
        case Sub() if extent.left is symbol:
            return f"({value} + {constant})"
        case Sub():
            return f"({constant} - {value})"
        case Mul():
            return f"({value} / {constant})"
        case _:
            return f"({value} * {constant})" if extent.left is symbol else None

# SPDX-License-Identifier: Apache-2.0
"""What the instructions of an architecture cannot do although the operation allows it, by operation.

An operation means the same on every chip; where the chip's instruction takes less, the program is refused here, at the
author's line, instead of by the assembler or not at all. Source: the public instruction set and its limits per chip.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pypto_build.errors import UserError
from pypto_build.host import TargetContext
from pypto_build.ir import Call, DataType, Function, ShapedType, TensorLayout, TensorType, TileType, Var, as_int
from pypto_build.ops.proof import product
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.operations import integer_kwarg, tensor_of, tile_of
from pypto_targets.pto.places import overlap, same_address
from pypto_targets.pto.tensors import stated_layout

Check = Callable[[Kernel, Call, "Var | None"], None]

_OLDER: Final = "a2a3"
_BYTE_TYPES = (DataType.INT8, DataType.UINT8)
_NARROW_FLOATS = (DataType.FP8E4M3FN, DataType.FP8E5M2, DataType.HF8)
_ELEMENT_MODE = 1
_ROW_BYTES = 32
_BITS = 8
_COUNTERS = 16


def check(kernel: Kernel, call: Call, var: Var | None) -> None:
    """Refuse what the architecture's instruction cannot do.

    Raises:
        UserError: it cannot.
    """
    for one in _EVERYWHERE.get(call.op.name, ()):
        one(kernel, call, var)
    if kernel.context.hardware.arch == _OLDER:
        for one in _ONLY_OLDER.get(call.op.name, ()):
            one(kernel, call, var)


def check_signature(function: Function, context: TargetContext) -> None:
    """Refuse element types that no load or store of a kernel can move.

    Raises:
        UserError: a parameter has one.
    """
    arch = context.hardware.arch
    for param in function.params:
        kind = param.type
        if not isinstance(kind, ShapedType) or kind.dtype.get_bit() != 4:
            continue
        if not context.hardware.narrow_floats_in_core:
            text = f"4-bit dtype {kind.dtype} is not supported on {arch}: its load/store instructions have no such ABI"
            raise UserError("PTO016", text, param.span)
        if kind.dtype is not DataType.FP4:
            raise UserError("PTO016", f"4-bit dtype {kind.dtype} is not supported on {arch}: only FP4 is", param.span)


def _refuse(call: Call, text: str, advice: str = "") -> UserError:
    return UserError("PTO017", f"{call.op.name}: {text}", call.span, help=advice)


def _needs_newer(*dtypes: DataType, argument: int | None = None) -> Check:
    """Element types of an argument, or of the result, that only newer chips have."""

    def one(kernel: Kernel, call: Call, var: Var | None) -> None:
        del kernel, var
        kind = call.type if argument is None else call.args[argument].type
        if isinstance(kind, ShapedType) and kind.dtype in dtypes:
            text = f"{kind.dtype} is not supported on the 'a2a3' backend, only supported on the 'a5' backend"
            raise _refuse(call, text)

    return one


def _apart(first: int, second: int, names: tuple[str, str]) -> Check:
    """Two operands whose bytes must not meet."""

    def one(kernel: Kernel, call: Call, var: Var | None) -> None:
        del var
        left, right = call.args[first], call.args[second]
        if isinstance(left, Var) and isinstance(right, Var) and overlap(kernel, left, right):
            raise _refuse(call, f"{names[0]} overlaps {names[1]}, which this chip's instruction does not allow")

    return one


def _scratch_of_prelu(kernel: Kernel, call: Call, var: Var | None) -> None:
    """One packed row of comparison bits for each row, and one more."""
    del kernel, var
    source, scratch = tile_of(call, 0), tile_of(call, 2)
    if scratch.dtype is not DataType.UINT8:
        raise _refuse(call, f"A2/A3 requires UINT8 tmp scratch, but got {scratch.dtype}")
    rows, columns = map(as_int, source.effective_tile_view().valid_shape)
    have = as_int(scratch.shape[0])
    if rows is None or have is None or have < rows + 1:
        raise _refuse(call, f"tmp needs one more of its physical rows than src has valid ones, but has {have}")
    room = as_int(scratch.effective_tile_view().valid_shape[1])
    if columns is None or room is None or room * _BITS < columns:
        raise _refuse(call, f"tmp needs valid columns for a bit of each src column, but has {room}")


def _distinct_move(kernel: Kernel, call: Call, var: Var | None) -> None:
    source = call.args[0]
    if var is None or not isinstance(source, Var) or not kernel.handles.addressed:
        return
    if same_address(kernel, source, var):
        text = "tile.move requires distinct source and destination addresses"
        raise UserError("PTO018", text, call.span, help="a move within its own bytes is not one: leave it out")


def _one_accumulator_pitch(kernel: Kernel, call: Call, var: Var | None) -> None:
    """A compact accumulator is written at another pitch than a full one."""
    del kernel, var
    source, target = tile_of(call, 1), tile_of(call, 0)
    views = source.effective_tile_view(), target.effective_tile_view()
    same_space = source.memory_space is target.memory_space
    if same_space and views[0].compact is not views[1].compact:
        text = "the source and the target lie in the accumulator at different L0C fractal stride"
        advice = "Drop the narrowing from the matmul operand, and narrow the result instead"
        raise _refuse(call, f"{text}. {advice}", advice)


def _row_indices(kernel: Kernel, call: Call, var: Var | None) -> None:
    del kernel, var
    index = call.args[1].type
    if not isinstance(index, TileType) or integer_kwarg(call, "coalesce") == _ELEMENT_MODE:
        return
    if as_int(index.shape[0]) != 1:
        raise _refuse(call, "row mode on A2/A3 requires idx shape [1, R]")


def _whole_rows(kernel: Kernel, call: Call, var: Var | None) -> None:
    """Gathers into the vector memory copy whole, aligned rows of a tensor that lies row by row."""
    del kernel, var
    if not isinstance(call.args[1].type, TileType):
        return
    if stated_layout(tensor_of(call, 0)) is not TensorLayout.ND:
        raise _refuse(call, "a Vec result on A2/A3 requires an ND source tensor")
    columns = as_int(tile_of(call).shape[-1])
    if columns is not None and columns * tile_of(call).dtype.get_byte() % _ROW_BYTES:
        raise _refuse(call, f"a Vec result on A2/A3 requires 32-byte aligned rows, but they have {columns} columns")


def _own_scratch(kernel: Kernel, call: Call, var: Var | None) -> None:
    """Scratch memory is written, so it must be no view of what is read."""
    del var
    scratch = call.args[2] if len(call.args) > 2 else None
    if scratch is None or not isinstance(scratch.type, TensorType):
        return
    for index, name in ((0, "mem"), (1, "idx")):
        other = call.args[index]
        if isinstance(other.type, TensorType) and kernel.parameter(other) is kernel.parameter(scratch):
            raise _refuse(call, f"scratch must not overlap {name}")


def _large_workspace(kernel: Kernel, call: Call, var: Var | None) -> None:
    """Cores count in 64 bytes that nothing else moves."""
    del kernel, var
    elements = product(tensor_of(call, 0).shape) if call.args else None
    if elements is not None and elements < _COUNTERS:
        raise _refuse(call, f"gm_workspace needs at least {_COUNTERS} INT32 elements, but has {elements}")


_EVERYWHERE: Final[dict[str, tuple[Check, ...]]] = {
    "tile.move": (_distinct_move,),
    "tile.assemble": (_one_accumulator_pitch,),
    "tile.mgather": (_own_scratch,),
    "system.syncall": (_large_workspace,),
}
_ONLY_OLDER: Final[dict[str, tuple[Check, ...]]] = {
    "tile.sels": (
        _needs_newer(*_BYTE_TYPES, argument=1),
        _apart(2, 1, ("tmp", "src")),
        _apart(2, 0, ("tmp", "mask")),
    ),
    "tile.prelu": (
        _apart(0, 1, ("src", "slope")),
        _apart(2, 0, ("tmp", "src")),
        _apart(2, 1, ("tmp", "slope")),
        _scratch_of_prelu,
    ),
    "tile.tri": (_needs_newer(*_BYTE_TYPES, DataType.BF16),),
    "tile.mgather": (_needs_newer(*_NARROW_FLOATS), _row_indices, _whole_rows),
}

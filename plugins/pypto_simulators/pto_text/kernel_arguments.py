# SPDX-License-Identifier: Apache-2.0
"""What the runtime passes to a kernel: tensors, then scalars, then the extents that it learns from its tensors.

Parameters at the end whose names begin with `__pypto_spmd_` say on which block and vector core the kernel runs.
Source: the order of a task's arguments in the PTO2 runtime.
"""

from __future__ import annotations

from pypto_build.ir import Expr, Function, TensorType, Var, used_vars
from pypto_simulators.functional.errors import WRONG_VALUE, fail
from pypto_simulators.functional.frame import Frame
from pypto_simulators.functional.numbers import as_number
from pypto_simulators.functional.values import Block, Value
from pypto_simulators.pto_text.buffers import place_of
from pypto_simulators.pto_text.module import Kernel
from pypto_simulators.pto_text.module import Value as Name
from pypto_simulators.pto_text.types import Pointer, Scalar

_BLOCK, _BLOCKS, _LANE = (f"%__pypto_spmd_{name}" for name in ("block_idx", "block_num", "subblock_idx"))


def kernel_arguments(frame: Frame, kernel: Kernel) -> tuple[object, ...]:
    """The arguments of a kernel by the function that it was made from, whose parameters have their values.

    Raises:
        UserError: the text has other parameters than the function passes.
    """
    launch = frame.launch
    hidden = {_BLOCK: launch.block, _BLOCKS: launch.blocks, _LANE: launch.lane}
    passed = [*_passed(frame)]
    stated = [name for name in kernel.body.arguments if name.name not in hidden]
    if len(stated) != len(passed):
        message = f"kernel {kernel.name} has {len(stated)} parameters, but is passed {len(passed)} arguments"
        raise fail(WRONG_VALUE, message, kernel.span)
    given = {name: _fitted(name, value, kernel) for name, value in zip(stated, passed, strict=True)}
    return tuple(given[name] if name in given else hidden[name.name] for name in kernel.body.arguments)


def _passed(frame: Frame) -> list[Value]:
    params = frame.function.params
    tensors = [param for param in params if isinstance(param.type, TensorType)]
    others = [param for param in params if not isinstance(param.type, TensorType)]
    return [frame.values.get(var) for var in (*tensors, *others, *_symbols(frame.function))]


def _symbols(function: Function) -> list[Var]:
    """The extents of tensor parameters that are no parameters themselves, in the order of their first appearance."""
    extents: list[Expr] = [
        extent for param in function.params if isinstance(param.type, TensorType) for extent in param.type.shape
    ]
    return [var for var in used_vars(*extents) if var not in function.params]


def _fitted(name: Name, value: Value, kernel: Kernel) -> object:
    """An argument as the parameter's type wants it."""
    match name.type:
        case Pointer(dtype) if isinstance(value, Block) and value.dtype is dtype:
            return place_of(value)
        case Scalar(dtype) if isinstance(value, int | float):
            return as_number(value, dtype)
        case kind:
            what = f"a tensor of {value.dtype}" if isinstance(value, Block) else f"{value!r}"
            raise fail(WRONG_VALUE, f"{name.name} of kernel {kernel.name} is {kind}, but is passed {what}", kernel.span)

# SPDX-License-Identifier: Apache-2.0
"""Running one operation on arrays, and a program read from DSL text, in the functional simulator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pypto_simulators.functional.frame import Frame, Launch
from pypto_simulators.functional.machine import Machine
from pypto_simulators.functional.numbers import NUMPY_TYPES, unwritten
from pypto_simulators.functional.semantics.table import semantics_of
from pypto_simulators.functional.simulator import FunctionalSimulator
from pypto_simulators.functional.values import Block

from pypto_build.dsl.text import parse
from pypto_build.host import SimulationRequest, SimulationResult
from pypto_build.ir import (
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    FunctionType,
    MakeTuple,
    MemorySpace,
    Program,
    TensorType,
    TensorView,
    TileType,
    TileView,
    Var,
    const_index,
    dims,
)
from pypto_build.ir import Function as IrFunction
from pypto_build.ir.stmt import SeqStmts
from pypto_build.ops import builtin_registry
from pypto_build.passes import ASCEND910B, HardwareDescription

OPS = builtin_registry()
DTYPES = {kind: dtype for dtype, kind in reversed(NUMPY_TYPES.items()) if dtype is not DataType.TASK_ID}
DTYPES[np.dtype(np.int64)] = DataType.INT64


class Part:
    """An array of which only a region at the origin is valid; the rest is never written."""

    def __init__(self, data: Any, valid: tuple[int, ...]) -> None:
        self.valid = valid
        self.data = unwritten(data.shape, DTYPES[data.dtype])
        box = tuple(slice(0, extent) for extent in valid)
        self.data[box] = data[box]


class Scalar:
    """A scalar of a type."""

    def __init__(self, value: float, dtype: DataType) -> None:
        self.expr = ConstFloat(float(value), dtype) if dtype.is_float() else ConstInt(int(value), dtype)


def machine(program: Program | None = None, **options: Any) -> Machine:
    """A machine for a program, or for single operations."""
    chosen = {"hardware": ASCEND910B, "semantics": semantics_of(), "max_iterations": 1000, **options}
    return Machine(program or Program(()), OPS, **chosen)


def run_op(name: str, *args: Any, space: MemorySpace = MemorySpace.Vec, **kwargs: Any) -> Any:
    """The value of one operation; arrays become tiles or tensors as its name says, numbers INDEX constants."""
    function = IrFunction("f", (), (), (), SeqStmts(()), func_type=FunctionType.InCore)
    frame = Frame(machine(), function, Launch())
    exprs = [_argument(frame, arg, name, space) for arg in args]
    return frame.machine.evaluate(frame, OPS.create_call(name, exprs, kwargs))


def result(name: str, *args: Any, **kwargs: Any) -> Any:
    """The elements of a block that an operation yields."""
    block = run_op(name, *args, **kwargs)
    assert isinstance(block, Block)
    return block.full()


def _argument(frame: Frame, arg: Any, name: str, space: MemorySpace) -> Expr:
    if isinstance(arg, Scalar):
        return arg.expr
    if isinstance(arg, Expr):
        return arg
    if isinstance(arg, tuple | list):
        return MakeTuple(tuple(const_index(int(item)) for item in arg))
    if isinstance(arg, bool):
        return ConstBool(arg)
    if isinstance(arg, int):
        return const_index(arg)
    return _block(frame, arg, tensor=name.startswith("tensor."), space=space)


def _block(frame: Frame, arg: Any, *, tensor: bool, space: MemorySpace) -> Var:
    if isinstance(arg, InTensor):
        arg, tensor = arg.data, True
    if isinstance(arg, InSpace):
        arg, space = arg.data, arg.space
    data, extents = (arg.data, arg.valid) if isinstance(arg, Part) else (arg, arg.shape)
    dtype, shape = DTYPES[data.dtype], dims(data.shape)
    valid = () if extents == data.shape else dims(extents)
    if tensor:
        kind: Any = TensorType(shape, dtype, None, TensorView(valid_shape=valid) if valid else None)
    else:
        kind = TileType(shape, dtype, None, TileView(valid_shape=valid) if valid else None, space)
    var = Var("x", kind)
    frame.values[var] = Block(data, dtype, valid=extents)
    return var


class InTensor:
    """An array as a tensor, beside tiles."""

    def __init__(self, data: Any) -> None:
        self.data = data


class InSpace:
    """An array as a tile in another memory space."""

    def __init__(self, data: Any, space: MemorySpace) -> None:
        self.data, self.space = data, space


def simulate(
    program: Program,
    inputs: Mapping[str, Any],
    *,
    entry: str = "main",
    hardware: HardwareDescription = ASCEND910B,
    **options: Any,
) -> SimulationResult:
    """Run a program."""
    request = SimulationRequest(program, entry, inputs, hardware, OPS)
    return FunctionalSimulator(**options).simulate(request)


def program(text: str) -> Program:
    """A program from DSL text."""
    found = parse(text)
    assert isinstance(found, Program)
    return found

# SPDX-License-Identifier: Apache-2.0
"""Checks that operations between ranks share: windows, rank numbers, coordinates, signals."""

from __future__ import annotations

from pypto_build.ir import DataType, DistributedTensorType, MakeTuple, ScalarType, TensorType
from pypto_build.ops.operands import Operands, kind_of
from pypto_build.ops.regions import Region


def window(operands: Operands, index: int, what: str) -> DistributedTensorType:
    """An argument that other ranks can reach."""
    found = operands.args[index].type
    if not isinstance(found, DistributedTensorType):
        raise operands.error(f"{what} must be a DistributedTensor (a slice of a window), but got {kind_of(found)}")
    return found


def local_tensor(operands: Operands, index: int, what: str) -> TensorType:
    """An argument in the memory of this rank, in a window or not."""
    found = operands.args[index].type
    if not isinstance(found, TensorType):
        raise operands.error(f"{what} must be a Tensor or a DistributedTensor, but got {kind_of(found)}")
    return found


def scalar(operands: Operands, index: int, what: str) -> ScalarType:
    """A scalar argument, such as the number of a rank."""
    found = operands.args[index].type
    if not isinstance(found, ScalarType):
        raise operands.error(f"{what} must be a scalar, but got {kind_of(found)}")
    return found


def coordinates(operands: Operands, index: int, what: str, *, rank: int) -> Region:
    """A tuple argument with one element per dimension."""
    value = operands.args[index]
    if not isinstance(value, MakeTuple):
        raise operands.error(f"{what} must be a tuple, but got {kind_of(value.type)}")
    count = len(value.elements)
    operands.check(count == rank, f"{what} rank must match the tensor rank: got {count} for {rank}")
    return value.elements


def signal(operands: Operands, index: int, what: str = "signal") -> DistributedTensorType:
    """A window of counters."""
    found = window(operands, index, what)
    operands.check(found.dtype is DataType.INT32, f"{what} must have INT32 element type, but got {found.dtype}")
    return found


def one_of(operands: Operands, name: str, count: int, *, default: int, wanted: str) -> int:
    """An attribute that is one of the first `count` numbers of an enumeration."""
    value = operands.value(name, int(default))
    operands.check(0 <= value < count, f"{name} must be {wanted}, but got {value}")
    return value

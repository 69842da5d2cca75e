# SPDX-License-Identifier: Apache-2.0
"""Which pipe executes an operation."""

from __future__ import annotations

import pytest

from pypto_build.analysis.execution_pipes import execution_pipe
from pypto_build.ir import Call, DataType, MemorySpace, Op, PipeType, TensorType, TileType, Var, dims
from pypto_build.ops import builtin_registry
from pypto_build.passes import ASCEND910B, ASCEND950

S, P = MemorySpace, PipeType
SHAPE = dims((16, 16))


def value(space: MemorySpace) -> Var:
    kind = TensorType(SHAPE, DataType.FP32) if space is S.DDR else TileType(SHAPE, DataType.FP32, memory_space=space)
    return Var("x", kind)


def pipe(name: str, source: MemorySpace, target: MemorySpace, chip=ASCEND910B) -> PipeType | None:
    """The pipe of an operation on two values of one memory with a result in another."""
    call = Call(Op(name), (value(source), value(source)), type=value(target).type)
    return execution_pipe(call, builtin_registry(), chip.moves)


@pytest.mark.parametrize(
    ("name", "source", "target", "expected"),
    [
        ("tile.load", S.DDR, S.Vec, P.MTE2),
        ("tile.load", S.DDR, S.Mat, P.MTE2),
        ("tile.store", S.Vec, S.DDR, P.MTE3),
        ("tile.store", S.Acc, S.DDR, P.FIX),
        ("tile.move", S.Mat, S.Left, P.MTE1),
        ("tile.move", S.Mat, S.Bias, P.MTE1),
        ("tile.move", S.Acc, S.Mat, P.FIX),
        ("tile.move", S.Vec, S.Vec, P.V),
        ("tile.extract", S.Mat, S.Right, P.MTE1),
        ("tile.assemble", S.Acc, S.Mat, P.FIX),
        ("tile.matmul", S.Left, S.Acc, P.M),
        ("tile.add", S.Vec, S.Vec, P.V),
        ("tile.read", S.Vec, S.Vec, P.S),
    ],
)
def test_the_pipe_follows_from_the_operation_or_the_memories(name, source, target, expected):
    assert pipe(name, source, target) is expected


@pytest.mark.parametrize(
    ("name", "source", "target"),
    [
        ("tile.create", S.Vec, S.Vec),
        ("tile.move", S.Left, S.Vec),
        ("tile.move", S.Vec, S.Mat),
        ("tile.store", S.Mat, S.DDR),
        ("tile.add", S.Mat, S.Vec),
        ("tensor.add", S.DDR, S.DDR),
        ("no.such_operation", S.Vec, S.Vec),
    ],
)
def test_what_cannot_be_told_is_not_told(name, source, target):
    assert pipe(name, source, target) is None


def test_a_way_that_only_one_chip_has_is_told_for_that_chip():
    assert [pipe("tile.move", S.Acc, S.Vec, chip) for chip in (ASCEND910B, ASCEND950)] == [None, P.FIX]

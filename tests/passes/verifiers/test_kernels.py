# SPDX-License-Identifier: Apache-2.0
"""Verifiers of kernels: what the chip can do, and how many dimensions a tile has."""

import pytest
from pypto_passes.verifiers.acc_to_gm_store_valid import verify_acc_to_gm_store_valid
from pypto_passes.verifiers.atomic_add_dtype_valid import verify_atomic_add_dtype_valid
from pypto_passes.verifiers.tile_ops_2d import verify_tile_ops_2d

from pypto_build import ir
from pypto_build.ir import DataType, EvalStmt, FunctionType, MemorySpace
from pypto_build.passes import ASCEND910B, ASCEND950, PassContext
from tests.passes.verifiers.findings import found
from tests.unit.ir.build import assign, function, number, op, program, tensor, tile

ON_910B, ON_950 = PassContext(hardware_description=ASCEND910B), PassContext(hardware_description=ASCEND950)


def kernel(*stmts):
    return program(function("k", (), *stmts, func_type=FunctionType.InCore))


STORES = [
    ("tile.store", lambda dst: (tile("t", 16), ir.MakeTuple((number(0),)), dst)),
    ("tensor.assemble", lambda dst: (dst, tensor("s", 16), ir.MakeTuple((number(0),)))),
    ("pld.tensor.put", lambda dst: (dst, number(1))),
    ("pld.tile.put", lambda dst: (dst, number(1))),
    ("pld.tensor.remote_store", lambda dst: (tensor("s", 16), dst)),
    ("pld.tile.remote_store", lambda dst: (tile("s", 16), dst)),
]


def atomic(name, args, dtype, **kwargs):
    return kernel(EvalStmt(op(name, *args(tensor("dst", 16, dtype=dtype)), **kwargs)))


@pytest.mark.parametrize(("name", "args"), STORES)
def test_an_atomic_addition_of_bf16_is_found_on_a_chip_without_it(name, args):
    message = f"{name} adds bf16 atomically, which a5 cannot (Ascend910B can)"
    of = atomic(name, args, DataType.BF16, atomic=ir.AtomicType.Add)
    assert found(verify_atomic_add_dtype_valid, of, context=ON_950) == [(0, message)]
    assert found(verify_atomic_add_dtype_valid, of, context=ON_910B) == []


@pytest.mark.parametrize(("name", "args"), STORES)
def test_other_types_and_plain_stores_are_fine(name, args):
    fp32 = atomic(name, args, DataType.FP32, atomic=ir.AtomicType.Add)
    plain = atomic(name, args, DataType.BF16, atomic=ir.AtomicType.None_)
    assert found(verify_atomic_add_dtype_valid, fp32, context=ON_950) == []
    assert found(verify_atomic_add_dtype_valid, plain, context=ON_950) == []


def stored(space, dtype):
    where = ir.MakeTuple((number(0), number(0)))
    value = tile("acc", 16, 16, dtype=DataType.INT32, space=space)
    return kernel(EvalStmt(op("tile.store", value, where, tensor("out", 16, 16, dtype=dtype))))


def test_an_accumulator_that_is_stored_as_a_type_the_chip_cannot_make_is_found():
    message = "tile.store writes an accumulator into a tensor of int8: it can be stored as int32, fp32, fp16, bfloat16"
    assert found(verify_acc_to_gm_store_valid, stored(MemorySpace.Acc, DataType.INT8)) == [(0, message)]


@pytest.mark.parametrize("place", [(MemorySpace.Acc, DataType.FP16), (MemorySpace.Vec, DataType.INT8)])
def test_other_stores_are_fine(place):
    assert found(verify_acc_to_gm_store_valid, stored(*place)) == []


DEEP, FLAT = tile("d", 2, 3, 4), tile("f", 6, 4)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (op("tile.neg", DEEP, type=FLAT.type), f"has an operand [0] of more than two dimensions: {DEEP.type}"),
        (op("tile.create", type=DEEP.type), f"has a result of more than two dimensions: {DEEP.type}"),
        (op("tile.reshape", DEEP, type=FLAT.type), None),
        (op("tile.neg", FLAT, type=FLAT.type), None),
        (op("tile.transpose", FLAT, number(0), number(1), type=FLAT.type), "needs a scratch tile"),
        (op("tile.transpose", FLAT, number(0), number(1), FLAT, type=FLAT.type), None),
        (
            op("tile.assemble", FLAT, FLAT, ir.MakeTuple((number(0),) * 3), type=FLAT.type),
            "has an offset of 3 dimensions: row and column are read, the rest is not",
        ),
        (
            op("tile.assemble", FLAT, FLAT, ir.Var("o", ir.TupleType(())), type=FLAT.type),
            "needs its offset as a literal tuple of row and column",
        ),
    ],
)
def test_tiles_of_more_than_two_dimensions_are_found(call, problem):
    expected = [] if problem is None else [(0, f"{call.op.name} in kernel 'k' {problem}")]
    assert found(verify_tile_ops_2d, kernel(assign(FLAT, call))) == expected

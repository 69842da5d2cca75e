# SPDX-License-Identifier: Apache-2.0
"""Operations that exist to test the registry, as upstream PyPTO has them for its own."""

from __future__ import annotations

from typing import Final, NoReturn

from pypto_build.errors import InternalError
from pypto_build.ir import Type
from pypto_build.ir.types import UNKNOWN_TYPE
from pypto_build.ops.definition import ArgDef, KwargDef, OpDef
from pypto_build.ops.operands import Operands


def _first_type(operands: Operands) -> Type:
    return operands.args[0].type if operands.args else UNKNOWN_TYPE


_MODEL: Final = "src/ir/op/testing.cpp"  # upstream's file of these operations, which its tests look for


def _raise_internal(operands: Operands) -> NoReturn:
    raise InternalError(f"{operands.op} (modelled on {_MODEL}) always fails")


def _raise_type(operands: Operands) -> NoReturn:
    raise TypeError(f"{operands.op} always fails")


_X = (ArgDef("x", "any"),)

OPS = (
    OpDef(
        name="test.op",
        category="TestOp",
        args=(ArgDef("arg1", "any", optional=True), ArgDef("arg2", "any", optional=True)),
        kwargs=(KwargDef("int_attr", int), KwargDef("string_attr", str), KwargDef("bool_attr", bool)),
        deduce=_first_type,
        description="one attribute of each simple type",
    ),
    OpDef(
        name="test.deduce_raises_internal",
        category="TestOp",
        args=_X,
        deduce=_raise_internal,
        description="type deduction finds a broken invariant",
    ),
    OpDef(
        name="test.deduce_raises_type",
        category="TestOp",
        args=_X,
        deduce=_raise_type,
        description="type deduction finds a wrong type",
    ),
    OpDef(
        name="test.tensor_op_no_conv",
        category="TensorOp",
        args=_X,
        deduce=_first_type,
        description="a tensor operation that no tile operation stands for",
    ),
)

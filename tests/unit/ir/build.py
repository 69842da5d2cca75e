# SPDX-License-Identifier: Apache-2.0
"""Short hands for building IR in the tests of this room."""

from __future__ import annotations

from pypto_build import ir
from pypto_build.ir import DataType

INDEX, INT32, INT64, BOOL = DataType.INDEX, DataType.INT32, DataType.INT64, DataType.BOOL
FP16, FP32, TASK_ID = DataType.FP16, DataType.FP32, DataType.TASK_ID
IN = ir.ParamDirection.In


def scalar(name: str, dtype: DataType = INDEX) -> ir.Var:
    """A scalar Var."""
    return ir.Var(name, ir.scalar_type(dtype))


def tensor(name: str, *shape: int | ir.Expr, dtype: DataType = FP32) -> ir.Var:
    """A tensor Var."""
    return ir.Var(name, ir.TensorType(ir.dims(shape), dtype))


def tile(name: str, *shape: int | ir.Expr, dtype: DataType = FP32, space: ir.MemorySpace | None = None) -> ir.Var:
    """A tile Var."""
    return ir.Var(name, ir.TileType(ir.dims(shape), dtype, None, None, space))


def number(value: int, dtype: DataType = INDEX) -> ir.ConstInt:
    """An integer constant."""
    return ir.ConstInt(value, dtype)


def op(
    name: str, /, *args: ir.Expr, type: ir.Type = ir.UNKNOWN_TYPE, attrs: object = None, **kwargs: object
) -> ir.Call:
    """A call of an operation, made without the registry."""
    return ir.Call(ir.Op(name), args, ir.frozen_map(kwargs), ir.frozen_map(attrs), type)  # type: ignore[arg-type]


def call(name: str, /, *args: ir.Expr, type: ir.Type = ir.UNKNOWN_TYPE, **attrs: object) -> ir.Call:
    """A call of a function of the program."""
    return ir.Call(ir.GlobalVar(name), args, ir.EMPTY_MAP, ir.frozen_map(attrs), type)


def assign(var: ir.Var, value: ir.Expr) -> ir.AssignStmt:
    """var = value"""
    return ir.AssignStmt(var, value)


def seq(*stmts: ir.Stmt) -> ir.SeqStmts:
    """Statements one after the other."""
    return ir.SeqStmts(stmts)


def give(*values: ir.Expr) -> ir.ReturnStmt:
    """return values"""
    return ir.ReturnStmt(values)


def function(name: str = "f", params: tuple[ir.Var, ...] = (), *stmts: ir.Stmt, **fields: object) -> ir.Function:
    """A function whose parameters are all inputs unless said otherwise."""
    directions = fields.pop("directions", (IN,) * len(params))
    results = fields.pop("results", ())
    return ir.Function(name, params, directions, results, seq(*stmts), **fields)  # type: ignore[arg-type]


def program(*functions: ir.Function, name: str = "P") -> ir.Program:
    """A program."""
    return ir.Program(functions, name)  # type: ignore[arg-type]


def loop(var: ir.Var, stop: ir.Expr, *stmts: ir.Stmt, **fields: object) -> ir.ForStmt:
    """A loop from 0 by 1."""
    made = {"iter_args": (), "return_vars": (), "start": number(0), "step": number(1), **fields}
    iter_args, return_vars = made.pop("iter_args"), made.pop("return_vars")
    start, step = made.pop("start"), made.pop("step")
    return ir.ForStmt(var, start, stop, step, iter_args, seq(*stmts), return_vars, **made)  # type: ignore[arg-type]

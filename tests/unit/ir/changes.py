# SPDX-License-Identifier: Apache-2.0
"""One sample of every class of the IR, and for every field in the digest the same sample with that field changed."""

from __future__ import annotations

from enum import Enum

from pypto_build import ir
from pypto_build.ir import DataType, expr, program, stmt, types
from pypto_build.ir.node import Entity
from tests.unit.ir.build import BOOL, FP16, FP32, INDEX, INT32, number, scalar

ABSTRACT = {
    "Entity",
    "Node",
    "ValueEntity",
    "Type",
    "ShapedType",
    "Expr",
    "Constant",
    "BinaryExpr",
    "UnaryExpr",
    "Stmt",
    "ScopeStmt",
}

A, N = scalar("a"), scalar("n")
BASE = ir.Var("mem", ir.PTR_TYPE)
SHAPE = ir.dims((16, 16))
TENSOR = ir.TensorType(SHAPE, FP32)
REF = ir.MemRef("mem", base=BASE, byte_offset=number(64), size=128, slot_count=2, slot_index=N)
BUFFER = ir.WindowBuffer("buf", base=BASE, size=number(64))
TILE_VIEW = ir.TileView((N, number(16)), (number(1), number(16)), number(4), fractal=64)
TENSOR_VIEW = ir.TensorView((number(1), number(16)), valid_shape=(N, N))
ATTRS = ir.frozen_map({"mark": 1})
GIVE = ir.YieldStmt((A,))
BODY = ir.BreakStmt()
RESULT = (scalar("r"),)
ITER = ir.IterArg("acc", ir.scalar_type(INDEX), init_value=A)
_PLAIN_TYPES = (
    ir.UnknownType,
    ir.PtrType,
    ir.MemRefType,
    ir.WindowBufferType,
    ir.CommCtxType,
    ir.PrefetchAsyncContextType,
    ir.AsyncEventType,
    ir.AsyncSessionType,
)

SAMPLES: dict[type[Entity], Entity] = {
    **{cls: cls(A, N, INDEX) for cls in ir.BINARY_CLASSES},
    **{cls: cls(A, INDEX) for cls in ir.UNARY_CLASSES},
    **{cls: cls() for cls in _PLAIN_TYPES},
    ir.ScalarType: ir.ScalarType(INDEX),
    ir.TensorView: TENSOR_VIEW,
    ir.TileView: TILE_VIEW,
    ir.TensorType: ir.TensorType(SHAPE, FP16, REF, TENSOR_VIEW),
    ir.DistributedTensorType: ir.DistributedTensorType(SHAPE, FP16, REF, TENSOR_VIEW, BUFFER),
    ir.TileType: ir.TileType(SHAPE, FP16, REF, TILE_VIEW, ir.MemorySpace.Vec),
    ir.ArrayType: ir.ArrayType(INT32, number(8)),
    ir.TupleType: ir.TupleType((TENSOR,)),
    ir.Var: A,
    ir.IterArg: ITER,
    ir.MemRef: REF,
    ir.WindowBuffer: BUFFER,
    ir.ConstInt: number(3, INT32),
    ir.ConstFloat: ir.ConstFloat(0.5, FP16),
    ir.ConstBool: ir.ConstBool(True),
    ir.Call: ir.Call(ir.Op("tile.neg"), (A,), ir.frozen_map({"axis": 1}), ATTRS, TENSOR),
    ir.Submit: ir.Submit(ir.GlobalVar("k"), (A,), (N,), ir.frozen_map({"axis": 1}), ATTRS, core_num=N, predicate=A),
    ir.MakeTuple: ir.MakeTuple((A, N)),
    ir.TupleGetItemExpr: ir.TupleGetItemExpr(ir.Var("t", ir.TupleType((TENSOR, TENSOR))), 0),
    ir.AssignStmt: ir.AssignStmt(A, N),
    ir.EvalStmt: ir.EvalStmt(A),
    ir.ReturnStmt: ir.ReturnStmt((A,)),
    ir.YieldStmt: GIVE,
    ir.BreakStmt: BODY,
    ir.ContinueStmt: ir.ContinueStmt(),
    ir.InlineStmt: ir.InlineStmt("x = 1"),
    ir.SeqStmts: ir.SeqStmts((BODY, BODY)),
    ir.IfStmt: ir.IfStmt(A, GIVE, GIVE, RESULT),
    ir.ForStmt: ir.ForStmt(N, number(1), A, number(2), (ITER,), GIVE, RESULT, attrs=ATTRS),
    ir.WhileStmt: ir.WhileStmt(A, (ITER,), GIVE, RESULT),
    ir.InCoreScopeStmt: ir.InCoreScopeStmt(BODY, "s", ir.SplitMode.UP_DOWN, ATTRS),
    ir.ClusterScopeStmt: ir.ClusterScopeStmt(BODY, "s", ATTRS),
    ir.HierarchyScopeStmt: ir.HierarchyScopeStmt(BODY, ir.Level.HOST, ir.Role.SubWorker, "s", ATTRS),
    ir.SpmdScopeStmt: ir.SpmdScopeStmt(BODY, N, True, "s", ATTRS),
    ir.SplitAivScopeStmt: ir.SplitAivScopeStmt(BODY, ir.SplitMode.UP_DOWN, 2, "s", ATTRS),
    ir.RuntimeScopeStmt: ir.RuntimeScopeStmt(BODY, True, "s", ATTRS),
    ir.CommDomainScopeStmt: ir.CommDomainScopeStmt(BODY, (0,), (BUFFER,), "s", ATTRS),
    ir.Function: ir.Function(
        "f",
        (A, N),
        (ir.ParamDirection.In, ir.ParamDirection.Out),
        (TENSOR,),
        ir.SeqStmts(()),
        func_type=ir.FunctionType.Spmd,
        level=ir.Level.HOST,
        role=ir.Role.Orchestrator,
        attrs=ATTRS,
    ),
    ir.Program: ir.Program((), "P"),  # type: ignore[arg-type]  # functions may be given as a sequence
}
CLASSES = [
    cls
    for module in (types, expr, stmt, program)
    for cls in vars(module).values()
    if isinstance(cls, type) and issubclass(cls, Entity) and cls.__module__ == module.__name__
    if cls.__name__ not in ABSTRACT
]
FIELDS = [(cls, row.name) for cls in CLASSES for row in cls.DIGESTED]


def changed(cls: type[Entity], field: str) -> Entity:
    """The sample with another value in one field."""
    sample = SAMPLES[cls]
    return sample.replace(**{field: _special(cls, field) or other(getattr(sample, field))})


def _special(cls: type[Entity], field: str) -> object:
    """Fields whose value must fit another one, or that the sample has to leave empty."""
    if cls in (ir.TensorType, ir.DistributedTensorType, ir.TileType) and field == "memref":
        return REF.replace(size=256)
    if field == "window_buffer":
        return BUFFER.replace(size=number(8))
    if field == "base":
        return ir.Var("elsewhere", ir.PTR_TYPE)
    if field == "params":
        return (scalar("b"), N)
    if field == "param_directions":
        return (ir.ParamDirection.In, ir.ParamDirection.InOut)
    return None


def other(value: object) -> object:
    """Another value of the same kind."""
    for kinds, change in _OTHERS:
        if isinstance(value, kinds):
            return change(value)
    raise AssertionError(f"no other value for {value!r}")


def _other_member(value: Enum) -> Enum:
    members = [member for member in type(value) if member is not value]
    return members[0] if members else value


def _other_type(value: ir.Type) -> ir.Type:
    return ir.scalar_type(BOOL) if value != ir.scalar_type(BOOL) else ir.PTR_TYPE


_OTHERS = (
    (bool, lambda value: not value),
    (Enum, _other_member),
    (int, lambda value: value + 1),
    (float, lambda value: value + 1),
    (str, lambda value: f"{value}x"),
    (DataType, lambda value: DataType.INT8 if value is not DataType.INT8 else DataType.INT16),
    (ir.GlobalVar, lambda value: ir.GlobalVar(f"{value.name}x")),
    (ir.Op, lambda value: ir.Op(f"{value.name}x")),
    (dict, lambda value: ir.frozen_map({**value, "more": 7})),
    (tuple, lambda value: (*value[:-1], other(value[-1])) if value else value),
    (ir.TileView, lambda value: value.replace(fractal=32)),
    (ir.TensorView, lambda value: value.replace(pad=ir.PadValue.zero)),
    (ir.Type, _other_type),
    (ir.IterArg, lambda value: value.replace(name_hint="other")),
    (ir.WindowBuffer, lambda value: value.replace(load_from_host=True)),
    (ir.Var, lambda value: ir.Var(f"{value.name_hint}x", value.type)),
    (ir.ConstInt, lambda value: number(value.value + 1, value.dtype)),
    (ir.YieldStmt, lambda _value: ir.YieldStmt((number(7),))),
    (ir.Stmt, lambda _value: ir.ContinueStmt()),
)

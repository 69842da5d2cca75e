# SPDX-License-Identifier: Apache-2.0
"""The names of `pypto_core.ir`: classes, enums, factories and queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pypto_build.ir as own
from pypto_build.compat import node_constructors as nodes
from pypto_build.compat.constructors import abstract, constructor
from pypto_build.compat.type_constructors import MAKERS
from pypto_build.dsl.language.views import TensorViewConstructor, TileViewConstructor
from pypto_build.ir.types import PTR_TYPE, WINDOW_BUFFER_TYPE, WindowBufferType
from pypto_build.ops.families.distributed_window import COMM_CTX

_ABSTRACT: Final = (own.Expr, own.Stmt, own.ScopeStmt, own.Type, own.ShapedType, own.BinaryExpr, own.UnaryExpr)
_MADE: Final[dict[type, Any]] = {
    own.Call: nodes.make_call,
    own.Submit: nodes.make_submit,
    own.IterArg: nodes.make_iter_arg,
    own.YieldStmt: nodes.make_values(own.YieldStmt),
    own.ReturnStmt: nodes.make_values(own.ReturnStmt),
    own.Function: nodes.make_function,
    own.Program: nodes.make_program,
    own.TupleGetItemExpr: nodes.make_tuple_get_item,
    own.WindowBuffer: nodes.make_window_buffer,
    own.InCoreScopeStmt: nodes.make_scope(own.InCoreScopeStmt, "split"),
    own.ClusterScopeStmt: nodes.make_scope(own.ClusterScopeStmt),
    own.HierarchyScopeStmt: nodes.make_scope(own.HierarchyScopeStmt, "level", "role"),
    own.SpmdScopeStmt: nodes.make_scope(own.SpmdScopeStmt, "core_num", "sync_start"),
    own.SplitAivScopeStmt: nodes.make_scope(own.SplitAivScopeStmt, "split", "count"),
    own.RuntimeScopeStmt: nodes.make_scope(own.RuntimeScopeStmt, "manual"),
    own.CommDomainScopeStmt: nodes.make_scope(own.CommDomainScopeStmt, "devices", "slots"),
    **MAKERS,
}
_PLAIN: Final = (
    own.Var,
    own.ConstInt,
    own.ConstFloat,
    own.ConstBool,
    own.MakeTuple,
    *own.BINARY_CLASSES,
    *own.UNARY_CLASSES,
    own.AssignStmt,
    own.EvalStmt,
    own.SeqStmts,
    own.IfStmt,
    own.ForStmt,
    own.WhileStmt,
    own.BreakStmt,
    own.ContinueStmt,
    own.InlineStmt,
    own.UnknownType,
)
_HANDLES: Final[dict[type, own.Type]] = {
    own.PtrType: PTR_TYPE,
    WindowBufferType: WINDOW_BUFFER_TYPE,
    own.CommCtxType: COMM_CTX,
    own.PrefetchAsyncContextType: own.PrefetchAsyncContextType(),
    own.AsyncEventType: own.AsyncEventType(),
    own.AsyncSessionType: own.AsyncSessionType(),
}
"""Types without parts, and the one object that `get()` returns for each."""
_ENUMS: Final = (
    own.ArgDirection,
    own.ArgEffect,
    own.AtomicType,
    own.CompactMode,
    own.CoreType,
    own.ForKind,
    own.FunctionType,
    own.InlineLanguage,
    own.Level,
    own.MemorySpace,
    own.NotifyOp,
    own.PadValue,
    own.ParamDirection,
    own.PipeType,
    own.ReduceOp,
    own.Role,
    own.ScopeKind,
    own.SplitMode,
    own.TensorLayout,
    own.TileLayout,
    own.WaitCmp,
    own.WriteChannel,
)


def _always(value: object) -> Callable[[], object]:
    return lambda: value


def _same_allocation(a: own.MemRef, b: own.MemRef) -> bool:
    return a.base is b.base


def _may_alias(a: own.MemRef, b: own.MemRef) -> bool:
    if a.base is not b.base:
        return False
    start_a, start_b = own.as_int(a.byte_offset), own.as_int(b.byte_offset)
    if start_a is None or start_b is None:
        return True
    return start_a < start_b + b.size and start_b < start_a + a.size


CLASSES: Final[dict[str, type]] = {
    "IRNode": abstract(own.Node),
    **{cls.__name__: abstract(cls) for cls in _ABSTRACT},
    **{cls.__name__: constructor(cls) for cls in _PLAIN},
    **{cls.__name__: constructor(cls, make) for cls, make in _MADE.items()},
    **{cls.__name__: constructor(cls, get=_always(handle)) for cls, handle in _HANDLES.items()},
    "MemRef": constructor(own.MemRef, nodes.make_memref, same_allocation=_same_allocation, may_alias=_may_alias),
    "TensorView": TensorViewConstructor,
    "TileView": TileViewConstructor,
    "Span": own.Span,
    "Op": own.Op,
    "GlobalVar": own.GlobalVar,
    "DataType": own.DataType,
    **{enum.__name__: enum for enum in _ENUMS},
}
"""Every public class by name."""

DYNAMIC_DIM: Final = -1
null: Final = own.PadValue.null

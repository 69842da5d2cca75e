# SPDX-License-Identifier: Apache-2.0
"""Kernels that get windows of larger tensors are told the strides of those.

A window is a slice, or a created tensor that is only there to be assembled into a larger one and that becomes a slice
later. A parameter is told strides only if every call of the kernel passes a window with the same constant ones.
"""

from __future__ import annotations

from pypto_build.ir import (
    Call,
    Expr,
    Function,
    FunctionType,
    Program,
    Submit,
    TensorLayout,
    TensorType,
    TensorView,
    Type,
    Var,
    as_int,
    collect,
    rebuilt,
    same_value,
)
from pypto_build.ops import OpRegistry
from pypto_build.ops.tensor_layout import packed_strides
from pypto_build.passes import Callees
from pypto_passes.call_results import callees_by_function, result_argument
from pypto_passes.create_assemble_pairs import Pairs, create_assemble_pairs
from pypto_passes.retyping import Retyped
from pypto_passes.tensor_flows import TensorFlows

Strides = tuple[Expr, ...]


def with_parent_strides(program: Program, ops: OpRegistry) -> Program:
    """The program whose kernels know the strides of what they get; the same if all of it is packed."""
    callees = callees_by_function(program, ops)
    passed: dict[str, list[list[Strides | None]]] = {}
    for function in program.functions.values():
        for call, strides in _passed(function, callees[function.name], ops):
            passed.setdefault(call.op.name, []).append(strides)
    functions = [_told(function, passed.get(function.name, []), ops) for function in program.functions.values()]
    return program.with_functions(functions)


def _passed(function: Function, callees: Callees, ops: OpRegistry) -> list[tuple[Call | Submit, list[Strides | None]]]:
    """The calls of functions, each with the strides of its arguments; None for what is no plain tensor."""
    calls = [call for call in collect(function.body, Call, Submit) if callees.of(call.op) is not None]
    if not calls:
        return []
    windows = _Windows(function, callees, ops)
    return [(call, [windows.strides(arg) for arg in call.args]) for call in calls]


class _Windows:
    """The strides of the tensors of one function."""

    def __init__(self, function: Function, callees: Callees, ops: OpRegistry) -> None:
        self._definitions = TensorFlows(function, ops, result_argument(callees)).definitions
        orchestration = function.func_type is FunctionType.Orchestration
        self._pairs = create_assemble_pairs(function, callees, ops) if orchestration else Pairs()

    def strides(self, value: Expr) -> Strides | None:
        """How a value lies in memory: the innermost strides of the tensor that it is a window of."""
        kind = value.type
        if not isinstance(kind, TensorType):
            return None
        parent: Expr | None = value
        while parent is not None:
            value, parent = parent, self._parent(parent)
        outer = _own_strides(value.type)
        return None if outer is None else outer[len(outer) - len(kind.shape) :]

    def _parent(self, value: Expr) -> Expr | None:
        """What a value is a window of."""
        if not isinstance(value, Var):
            return None
        window = self._pairs.windows.get(value)
        if window is not None:
            return window.target
        call = self._definitions.get(value)
        drops_axes = call is not None and bool(call.args[4:])
        return call.args[0] if call is not None and call.op.name == "tensor.slice" and not drops_axes else None


def _own_strides(kind: Type) -> Strides | None:
    if not isinstance(kind, TensorType):
        return None
    view = kind.tensor_view
    if view is not None and view.layout is not TensorLayout.ND:
        return None
    return view.stride if view is not None and view.stride else packed_strides(kind.shape, TensorLayout.ND)


# -- kernels -----------------------------------------------------------------------------------------------------------


def _told(function: Function, sites: list[list[Strides | None]], ops: OpRegistry) -> Function:
    """A kernel with the strides that all calls agree on."""
    if function.func_type is not FunctionType.InCore or not sites:
        return function
    changed: dict[Var, Expr] = {}
    for index, param in enumerate(function.params):
        kind = param.type
        if not isinstance(kind, TensorType) or kind.tensor_view is not None:
            continue
        strides = _agreed([site[index] if index < len(site) else None for site in sites])
        if strides is not None and not same_value(strides, _own_strides(kind)):
            view = TensorView(strides, TensorLayout.ND)
            changed[param] = rebuilt(param, {"type": rebuilt(kind, {"tensor_view": view})})
    if not changed:
        return function
    body = Retyped(ops, changed).visit_body(function.body)
    return rebuilt(function, {"body": body, "params": tuple(changed.get(param, param) for param in function.params)})


def _agreed(found: list[Strides | None]) -> Strides | None:
    first = found[0]
    constant = first is not None and all(as_int(stride) is not None for stride in first)
    return first if constant and all(same_value(first, other) for other in found) else None

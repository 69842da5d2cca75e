# SPDX-License-Identifier: Apache-2.0
"""Which argument of a call each of its results is: the output of the callee that it hands back."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from pypto_build.analysis.call_graph import bottom_up, call_graph
from pypto_build.analysis.return_lineage import ReturnLineage, traced_returns
from pypto_build.analysis.returned_params import ReturnedParams
from pypto_build.ir import (
    Call,
    GlobalVar,
    ParamDirection,
    Program,
    Submit,
    TensorType,
    TupleType,
    Type,
    same_value,
)
from pypto_build.ops import OpRegistry
from pypto_build.passes import Callee, Callees, Signature


def result_argument(callees: Callees) -> Callable[[Call | Submit, int], int | None]:
    """For a call and the position of a result the argument that the result is; None where that is not sure.

    The callee's summary is which parameter it hands back for each result. It counts only if no other output could be
    meant by its type: that a result is one of two like buffers is a promise that a later pass may break.
    """

    def argument(call: Call | Submit, index: int) -> int | None:
        callee = callees.of(call.op)
        kind = _result_type(call, index)
        if callee is None or kind is None:
            return None
        position = _only_output(callee, kind)
        returned = cast("ReturnedParams | None", callee.summary) or ()
        sure = index < len(returned) and returned[index] == position and returned[index] < len(call.args)
        return position if sure else None

    return argument


def handed_back(callees: Callees) -> Callable[[Call | Submit, int], int | None]:
    """The same where it is enough that the callee's body says so."""

    def argument(call: Call | Submit, index: int) -> int | None:
        callee = callees.of(call.op)
        returned = cast("ReturnedParams | None", callee.summary) if callee is not None else None
        known = returned is not None and index < len(returned) and 0 <= returned[index] < len(call.args)
        return returned[index] if known and returned is not None else None

    return argument


def callees_by_function(program: Program, ops: OpRegistry) -> dict[str, Callees]:
    """What each function of a program calls, with which parameters those hand back as their summaries."""
    graph = call_graph(program)
    found: dict[str, ReturnedParams | None] = {}
    for component in bottom_up(graph):
        for name in component:
            function = program.functions[GlobalVar(name)]
            found[name] = traced_returns(function, ReturnLineage(function, ops, found.get))
    signatures = {function.name: Signature.of(function) for function in program.functions.values()}
    return {
        name: Callees({callee: Callee(signatures[callee], signatures[callee], found[callee]) for callee in called})
        for name, called in graph.items()
    }


def _result_type(call: Call | Submit, index: int) -> TensorType | None:
    kind: Type | None = call.type
    if isinstance(kind, TupleType):
        kind = kind.types[index] if index < len(kind.types) else None
    return kind if isinstance(kind, TensorType) else None


def _only_output(callee: Callee, kind: TensorType) -> int | None:
    """The only output parameter of a type's shape and element type."""
    found = [
        position
        for position, (param, direction) in enumerate(
            zip(callee.after.params, callee.after.param_directions, strict=True)
        )
        if direction is not ParamDirection.In and _alike(param.type, kind)
    ]
    return found[0] if len(found) == 1 else None


def _alike(have: Type, want: TensorType) -> bool:
    return isinstance(have, TensorType) and have.dtype is want.dtype and same_value(have.shape, want.shape)

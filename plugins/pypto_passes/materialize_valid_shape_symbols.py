# SPDX-License-Identifier: Apache-2.0
"""MaterializeValidShapeSymbols: extents that only a caller knows become parameters of the kernel, fed at every call.

A runtime tensor carries its physical shape and nothing else. So a symbol of a parameter's valid region that is no
physical extent of any parameter has no value on the core until it is passed as a scalar. The parameters go first,
because an annotation may only name what is declared in front of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, cast

from pypto_build.errors import UserError
from pypto_build.ir import (
    ArgDirection,
    Call,
    Expr,
    FrozenMap,
    Function,
    FunctionType,
    ParamDirection,
    Rewriter,
    ScalarType,
    Submit,
    TensorType,
    Var,
    rebuilt,
    used_vars,
)
from pypto_build.ops.deduce import valid_shape_of
from pypto_build.ops.proof import provably_equal
from pypto_build.passes import Callee, Callees, FunctionPass, IRProperty, PassContext
from pypto_passes.derive_call_directions import DIRECTIONS

_LAUNCHED = (FunctionType.InCore, FunctionType.AIC, FunctionType.AIV, FunctionType.Spmd, FunctionType.Group)
"""What runs on a core, and the wrappers that hand on to it."""
_CODE = "DYN001"


@dataclass(frozen=True, slots=True)
class MaterializeValidShapeSymbols(FunctionPass):
    """Pass the extents of valid regions that a kernel cannot ask its tensors for."""

    name: ClassVar[str] = "MaterializeValidShapeSymbols"
    requires: ClassVar[frozenset[IRProperty]] = frozenset()
    after: ClassVar[tuple[str, ...]] = ("NormalizeReturnOrder", "DeriveCallDirections", "ClassifyIterArgCarry")

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function with its extents as leading parameters, passing on those of its callees.

        Raises:
            UserError: a call does not tell the extent, or tells two; or no parameter names the extent on its own.
        """
        del context
        if any(_added(callee) for callee in callees.values()):
            body = _Calls(callees).visit_body(function.body)
            function = rebuilt(function, {"body": body})
        symbols = _unbound(function) if function.func_type in _LAUNCHED else ()
        if not symbols:
            return function
        places = {symbol for symbol, _, _ in _places(function.params)}
        for symbol in symbols:
            if symbol not in places:
                raise _compound(function, symbol)
        params = (*symbols, *function.params)
        directions = (*(ParamDirection.In for _ in symbols), *function.param_directions)
        return rebuilt(function, {"params": params, "param_directions": directions})


def _unbound(function: Function) -> tuple[Var, ...]:
    """The symbols of valid regions that neither a physical extent nor a parameter gives a value."""
    kinds = [param.type for param in function.params if isinstance(param.type, TensorType)]
    bound = {*function.params, *(dim for kind in kinds for dim in kind.shape)}
    views = (kind.tensor_view for kind in kinds)
    named = used_vars(*(extent for view in views if view is not None for extent in view.valid_shape))
    return tuple(var for var in named if var not in bound and isinstance(var.type, ScalarType))


def _places(params: tuple[Var, ...]) -> Iterator[tuple[Expr, int, int]]:
    """The extents of valid regions: each with its parameter and axis."""
    for index, param in enumerate(params):
        view = param.type.tensor_view if isinstance(param.type, TensorType) else None
        for axis, extent in enumerate(view.valid_shape if view is not None else ()):
            yield extent, index, axis


def _added(callee: Callee) -> tuple[Var, ...]:
    """The leading parameters that a callee got."""
    return callee.after.params[: len(callee.after.params) - len(callee.before.params)]


class _Calls(Rewriter):
    """Passes the extents at every call."""

    def __init__(self, callees: Callees) -> None:
        super().__init__()
        self._callees = callees

    def visit_call(self, call: Call) -> Expr:
        return self._extended(self.visit_node(call))

    def visit_submit(self, call: Submit) -> Expr:
        return self._extended(self.visit_node(call))

    def _extended(self, call: Call | Submit) -> Expr:
        callee = self._callees.of(call.op)
        symbols = _added(callee) if callee is not None else ()
        if callee is None or not symbols:
            return call
        values = tuple(_told(call, callee, symbol) for symbol in symbols)
        return rebuilt(call, {"args": (*values, *call.args), "attrs": _attrs(call.attrs, len(values))})


def _attrs(attrs: Mapping[str, object], count: int) -> Mapping[str, object]:
    """The attributes of a call with `count` scalars in front of its arguments."""
    given = cast("tuple[ArgDirection, ...]", attrs.get(DIRECTIONS, ()))
    return FrozenMap({**attrs, DIRECTIONS: ((ArgDirection.Scalar,) * count + given)}) if given else attrs


def _told(call: Call | Submit, callee: Callee, symbol: Var) -> Expr:
    """The value of a symbol: the extent of the argument where the parameter has the symbol."""
    found: list[Expr] = []
    for extent, index, axis in _places(callee.before.params):
        if extent is not symbol:
            continue
        kind = call.args[index].type if index < len(call.args) else None
        if not isinstance(kind, TensorType):
            raise _unsupplied(call, symbol, index)
        found.append(valid_shape_of(kind)[axis])
    for other in found[1:]:
        if not provably_equal(found[0], other):
            text = f"a call of {call.op.name!r} gives {symbol.name_hint!r} two extents: {found[0]} and {other}"
            raise UserError(_CODE, text, call.span, help="give the two regions two symbols, or pass equal ones")
    return found[0]


def _unsupplied(call: Call | Submit, symbol: Var, index: int) -> UserError:
    return UserError(
        _CODE,
        f"the extent {symbol.name_hint!r} of kernel {call.op.name!r} is that of its parameter {index}, but the call "
        "does not supply that argument. Pass the argument explicitly",
        call.span,
        help="create the tensor with pl.create_tensor and pass it",
    )


def _compound(function: Function, symbol: Var) -> UserError:
    return UserError(
        _CODE,
        f"the extent {symbol.name_hint!r} of kernel {function.name!r} stands only inside of an expression, so that no "
        "call tells its value",
        function.span,
        help="let a parameter's valid_shape name it alone, or pass it as a pl.Scalar[pl.INDEX]",
    )

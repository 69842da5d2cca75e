# SPDX-License-Identifier: Apache-2.0
"""The state of one kernel while it is written: what each variable is in the text."""

from __future__ import annotations

from collections.abc import Mapping

from pypto_build.errors import InternalError, UserError
from pypto_build.host import TargetContext
from pypto_build.ir import (
    AssignStmt,
    BinaryExpr,
    Call,
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    Function,
    MakeTuple,
    ScalarType,
    TensorType,
    TileType,
    TupleGetItemExpr,
    UnaryExpr,
    Var,
    collect,
)
from pypto_targets.pto import scalars
from pypto_targets.pto.handles import ScalarText, TileHandles, tile_type
from pypto_targets.pto.text import KernelText, Value
from pypto_targets.pto.types import element


class Kernel:
    """One kernel function.

    values: what a variable is called; aliases share a value.
    tensors: for a tensor variable the parameter or view that it is; pointers: for a view the parameter it looks at;
    views: what parameters and views are called as views. communication: the context of a parameter of several ranks.
    popped: the calls that took a tile out of a pipe. pitches: the bytes between the rows of a window.
    hidden: parameters that the function does not have, by their role.
    """

    def __init__(self, function: Function, context: TargetContext) -> None:
        self.function = function
        self.context = context
        self.text = KernelText(inline_locations=context.locations == "inline")
        self.values: dict[Var, Value] = {}
        self.tensors: dict[Var, Var] = {}
        self.pointers: dict[Var, Var] = {}
        self.views: dict[Var, Value] = {}
        self.communication: dict[Var, Value] = {}
        self.popped: dict[Var, Call] = {}
        self.pitches: dict[Var, int] = {}
        self.hidden: dict[str, Value] = {}
        self.elements = _tuple_elements(function)
        parts = ScalarText(self.index, self._address, lambda expr: expr in function.params)
        self.handles = TileHandles(self.text, parts, addressed=context.memory_planner != "ptoas")

    # -- scalars ---------------------------------------------------------------------------------------------------

    def value(self, expr: Expr) -> Value:
        """The value of an expression."""
        match expr:
            case Var():
                return self._variable(expr)
            case ConstBool():
                return self.text.define(f"arith.constant {int(expr.value)} : i1", "i1")
            case ConstInt():
                return self.text.integer(expr.value, element(expr.dtype))
            case ConstFloat():
                return self.text.real(expr.value, element(expr.dtype))
            case BinaryExpr():
                return scalars.binary(self.text, expr, self.value)
            case UnaryExpr():
                return scalars.unary(self.text, expr, self.value)
            case _:
                raise InternalError(f"{type(expr).__name__} cannot be an operand of a kernel", expr.span)

    def _variable(self, var: Var) -> Value:
        value = self.values.get(var)
        if value is None and isinstance(var.type, TileType):
            return self.tile(var)
        if value is None:
            raise InternalError(f"{var.name_hint} has no value in kernel {self.function.name}", var.span)
        return value

    def bind(self, var: Var | None, text: str, kind: str) -> Value:
        """The result of an instruction, which is from now on the value of a variable if it is bound to one."""
        value = self.text.define(text, kind, var.name_hint if var is not None else "")
        if var is not None:
            self.values[var] = value
        return value

    def index(self, expr: Expr) -> Value:
        """An integer expression as `index`."""
        return self.integer(expr, DataType.INDEX)

    def _address(self, expr: Expr) -> Value:
        return self.integer(expr, DataType.INT64)

    def integer(self, expr: Expr, dtype: DataType) -> Value:
        """An integer expression in another integer type; constants are written in it."""
        if isinstance(expr, ConstInt):
            return self.text.integer(expr.value, element(dtype))
        return self.converted(expr, dtype)

    def converted(self, expr: Expr, dtype: DataType) -> Value:
        """A scalar expression, converted to an element type by an operation where it has another one."""
        kind = expr.type
        source = kind.dtype if isinstance(kind, ScalarType) else DataType.INDEX
        return scalars.convert(self.text, self.value(expr), source, dtype)

    def scalar(self, expr: Expr, dtype: DataType) -> Value:
        """A scalar expression in an element type; constants are written in it."""
        if isinstance(expr, ConstInt | ConstFloat) and not isinstance(expr, ConstBool):
            if dtype.is_float():
                return self.text.real(float(expr.value), element(dtype))
            return self.text.integer(int(expr.value), element(dtype))
        return self.converted(expr, dtype)

    # -- tiles -----------------------------------------------------------------------------------------------------

    def tile(self, var: Var) -> Value:
        """The handle of a tile variable, declared when it is first asked for."""
        known = self.values.get(var)
        if known is None:
            known = self.values[var] = self.handles.declared(var)
        return known

    def outputs(self, call: Call, var: Var | None) -> list[tuple[Var, Value]]:
        """The variables that a call with several results writes, declared, in the order of the results.

        They are found by an index built once per kernel; a result that nobody takes out of the tuple has no buffer
        and cannot be written. Source: MO-24 to MO-27, MO-42, MO-46.
        """
        arity = self.context.ops.get(call.op.name).output_arity
        bound = self.elements.get(var, {}) if var is not None else {}
        missing = [index for index in range(arity) if index not in bound]
        if missing:
            raise UserError(
                "PTO002",
                f"result {missing[0]} of {call.op.name} is never used, so the instruction has nowhere to write it",
                call.span,
                help=f"take all {arity} results out of the call",
            )
        for result in bound.values():
            if tile_type(result).memref is None:
                raise InternalError(f"tile {result.name_hint} has no memory reference", result.span)
        return [(bound[index], self.tile(bound[index])) for index in range(arity)]

    # -- tensors ---------------------------------------------------------------------------------------------------

    def tensor(self, expr: Expr) -> Var:
        """The parameter or view that a tensor expression names."""
        if not isinstance(expr, Var) or not isinstance(expr.type, TensorType):
            raise InternalError("a tensor operand of a kernel must be a variable", expr.span)
        return self.tensors.get(expr, expr)

    def parameter(self, expr: Expr) -> Var:
        """The parameter whose memory a tensor expression names."""
        root = self.tensor(expr)
        return self.pointers.get(root, root)

    def pointer(self, expr: Expr) -> Value:
        """The pointer to the memory that a tensor expression names."""
        return self.values[self.parameter(expr)]

    def alias(self, var: Var, expr: Expr) -> None:
        """`var` is another name for what `expr` is."""
        if isinstance(var.type, TensorType):
            self.tensors[var] = self.tensor(expr)
            return
        self.values[var] = self.value(expr)
        if isinstance(expr, Var) and expr in self.popped:
            self.popped[var] = self.popped[expr]
        if isinstance(expr, Var) and expr in self.pitches:
            self.pitches[var] = self.pitches[expr]


def _tuple_elements(function: Function) -> Mapping[Var, dict[int, Var]]:
    """For each tuple variable the variables that its elements are bound to."""
    found: dict[Var, dict[int, Var]] = {}
    for stmt in collect(function, AssignStmt):
        value = stmt.value
        if isinstance(value, TupleGetItemExpr) and isinstance(value.tuple, Var):
            found.setdefault(value.tuple, {}).setdefault(value.index, stmt.var)
    return found


def tuple_items(expr: Expr) -> tuple[Expr, ...]:
    """The elements of a shape or offset operand."""
    if isinstance(expr, MakeTuple):
        return expr.elements
    raise InternalError("a shape or offset operand must be a tuple", expr.span)

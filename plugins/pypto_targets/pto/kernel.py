# SPDX-License-Identifier: Apache-2.0
"""The state of one kernel while it is written: what each variable is in the text, and which tiles are allocated."""

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
    as_int,
    collect,
)
from pypto_targets.pto import scalars
from pypto_targets.pto.text import KernelText, Value
from pypto_targets.pto.types import element, rows_and_columns, tile_buffer


class Kernel:
    """One kernel function. `values` says what a variable is called; aliases share a value."""

    def __init__(self, function: Function, context: TargetContext) -> None:
        self.function = function
        self.context = context
        self.text = KernelText(inline_locations=context.locations == "inline")
        self.values: dict[Var, Value] = {}
        self.tensors: dict[Var, Var] = {}  # a tensor variable and the parameter or view that it names
        self.views: dict[Var, Value] = {}
        self.elements = _tuple_elements(function)

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

    def index(self, expr: Expr) -> Value:
        """An integer expression as `index`."""
        if isinstance(expr, ConstInt):
            return self.text.integer(expr.value, "index")
        kind = expr.type
        value = self.value(expr)
        source = kind.dtype if isinstance(kind, ScalarType) else DataType.INDEX
        return scalars.convert(self.text, value, source, DataType.INDEX)

    def integer32(self, expr: Expr) -> Value:
        """An integer expression as `i32`."""
        if isinstance(expr, ConstInt):
            return self.text.integer(expr.value, "i32")
        kind = expr.type
        source = kind.dtype if isinstance(kind, ScalarType) else DataType.INDEX
        return scalars.convert(self.text, self.value(expr), source, DataType.INT32)

    def scalar(self, expr: Expr, dtype: DataType) -> Value:
        """A scalar expression in an element type; constants are written in it."""
        if isinstance(expr, ConstInt | ConstFloat) and not isinstance(expr, ConstBool):
            if dtype.is_float():
                return self.text.real(float(expr.value), element(dtype))
            return self.text.integer(int(expr.value), element(dtype))
        kind = expr.type
        source = kind.dtype if isinstance(kind, ScalarType) else dtype
        return scalars.convert(self.text, self.value(expr), source, dtype)

    # -- tiles -----------------------------------------------------------------------------------------------------

    def tile(self, var: Var) -> Value:
        """The handle of a tile variable, allocated at its address when it is first asked for."""
        known = self.values.get(var)
        if known is None:
            known = self.values[var] = self._allocated(var)
        return known

    def _allocated(self, var: Var) -> Value:
        kind = var.type
        if not isinstance(kind, TileType):
            raise InternalError(f"{var.name_hint} is no tile", var.span)
        operands = [f"addr = {self._address(var, kind).name}"]
        rows, columns = rows_and_columns(kind.effective_tile_view().valid_shape)
        row = self.text.integer(1, "index") if rows is None else self.index(rows)
        operands += [f"valid_row = {row.name}", f"valid_col = {self.index(columns).name}"]
        return self.text.define(
            f"pto.alloc_tile {' '.join(operands)} : {tile_buffer(kind)}", tile_buffer(kind), var.name_hint
        )

    def _address(self, var: Var, kind: TileType) -> Value:
        if kind.memref is None:
            raise InternalError(f"tile {var.name_hint} has no memory reference", var.span)
        offset = as_int(kind.memref.byte_offset)
        if offset is not None:
            return self.text.integer(offset, "i64")
        return scalars.convert(self.text, self.value(kind.memref.byte_offset), DataType.INDEX, DataType.INT64)

    def outputs(self, call: Call, var: Var | None) -> list[tuple[Var, Value]]:
        """The variables that a call with several results writes, allocated, in the order of the results.

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
        return [(bound[index], self.tile(bound[index])) for index in range(arity)]

    # -- tensors ---------------------------------------------------------------------------------------------------

    def tensor(self, expr: Expr) -> Var:
        """The parameter or view that a tensor expression names."""
        if not isinstance(expr, Var) or not isinstance(expr.type, TensorType):
            raise InternalError("a tensor operand of a kernel must be a variable", expr.span)
        return self.tensors.get(expr, expr)

    def alias(self, var: Var, expr: Expr) -> None:
        """`var` is another name for what `expr` is."""
        if isinstance(var.type, TensorType):
            self.tensors[var] = self.tensor(expr)
        else:
            self.values[var] = self.value(expr)


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

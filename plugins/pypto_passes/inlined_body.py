# SPDX-License-Identifier: Apache-2.0
"""The body of a function, and copies of it for given arguments with names of their own.

A parameter that the body rebinds by writing into it in place stands for the caller's variable. One that is rebound to
something else gets a variable of its own, so that the caller's stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pypto_build.analysis.names import AutoName
from pypto_build.errors import Span, UserError
from pypto_build.ir import (
    ArgEffect,
    AssignStmt,
    Call,
    Constant,
    Expr,
    Function,
    FunctionType,
    GlobalVar,
    MakeTuple,
    ParamDirection,
    ReturnStmt,
    Rewriter,
    ShapedType,
    Stmt,
    Var,
    collect,
    rebuilt,
    statements,
)
from pypto_build.ops import OpRegistry


class InlineTemplate:
    """A function whose body is to be copied, without calls of others of its kind."""

    def __init__(self, function: Function, ops: OpRegistry) -> None:
        self.function = function
        self.kind = "inline function" if function.func_type is FunctionType.Inline else "Graph function"
        self.stmts, self.results = self._split()
        own = dict(zip(function.params, function.param_directions, strict=True))
        rebound = {stmt.var: True for stmt in collect(function.body, AssignStmt) if stmt.var in own}
        for stmt in collect(function.body, AssignStmt):
            if stmt.var in own and own[stmt.var] is ParamDirection.In and not _writes_in_place(stmt, ops):
                rebound[stmt.var] = False
        self.carried = frozenset(var for var, in_place in rebound.items() if in_place)
        self.copied = frozenset(rebound) - self.carried

    def copy(self, args: Sequence[Expr], number: int, *, span: Span) -> tuple[list[Stmt], tuple[Expr, ...]]:
        """The statements of one copy and its results."""
        renamer = _Renamer(number)
        first: list[Stmt] = []
        for param, arg in zip(self.function.params, args, strict=True):
            renamer.substitution.update(_dimensions(param, arg))
        for param, arg in zip(self.function.params, args, strict=True):
            if self._needs_variable(param, arg):
                local = renamer.visit_definition(param)
                first.append(AssignStmt(local, arg, span))
            else:
                renamer.substitution[param] = arg
        body = [new for stmt in self.stmts for new in statements(renamer.visit_body(stmt))]
        return [*first, *body], tuple(renamer.visit(value) for value in self.results)

    def _split(self) -> tuple[list[Stmt], tuple[Expr, ...]]:
        """The statements before the return, and the results; a returned tuple is taken apart."""
        stmts = list(statements(self.function.body))
        last = stmts.pop() if stmts and isinstance(stmts[-1], ReturnStmt) else None
        early = [stmt for part in stmts for stmt in collect(part, ReturnStmt)]
        if early:
            text = f"{self.kind} '{self.function.name}' returns before its end"
            raise UserError("INLINE002", text, early[0].span, help="return once, as the last statement")
        values = last.value if isinstance(last, ReturnStmt) else ()
        if len(values) != 1:
            return stmts, values
        value = values[0]
        made = next((s for s in stmts if isinstance(s, AssignStmt) and s.var is value), None)
        if made is not None and isinstance(made.value, MakeTuple):
            return [stmt for stmt in stmts if stmt is not made], made.value.elements
        return stmts, value.elements if isinstance(value, MakeTuple) else values

    def _needs_variable(self, param: Var, arg: Expr) -> bool:
        if param in self.copied or (param in self.carried and not isinstance(arg, Var)):
            return True
        return not isinstance(arg, Var | Constant) and bool(collect(arg, Call))


class _Renamer(Rewriter):
    """Gives every variable that the body binds a name with the number of the copy."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def visit_definition(self, var: Var) -> Var:
        given = self.substitution.get(var)
        if isinstance(given, Var):
            return given
        typed = super().visit_definition(var)
        old = AutoName.parse(var.name_hint)
        fresh = rebuilt(typed, {"name_hint": str(replace(old, base=f"{old.base}_inline{self.number}"))})
        self.substitution[var] = fresh
        return fresh


def _writes_in_place(stmt: AssignStmt, ops: OpRegistry) -> bool:
    """Whether `p = op(.., p, ..)` writes into p, so that the new p is the old memory."""
    call = stmt.value
    if not isinstance(call, Call):
        return False
    places = [index for index, arg in enumerate(call.args) if arg is stmt.var]
    if isinstance(call.op, GlobalVar) or not ops.has(call.op.name):
        return bool(places)
    definition = ops.get(call.op.name)
    return any(definition.effect_on(index, call.kwargs) is not ArgEffect.Read for index in places)


def _dimensions(param: Var, arg: Expr) -> Iterator[tuple[Var, Expr]]:
    """The symbolic dimensions of a parameter with what they are for this argument."""
    formal, actual = param.type, arg.type
    if isinstance(formal, ShapedType) and isinstance(actual, ShapedType):
        for dim, size in zip(formal.shape, actual.shape, strict=False):
            if isinstance(dim, Var) and dim is not size:
                yield dim, size

# SPDX-License-Identifier: Apache-2.0
"""Statements of a kernel: assignments, loops, branches.

Only scalars are carried through `scf`; tensors and tiles are carried by naming the same storage, which the memory
passes have seen to.
"""

from __future__ import annotations

from pypto_build.errors import InternalError, UserError
from pypto_build.ir import (
    AssignStmt,
    Call,
    DistributedTensorType,
    EvalStmt,
    Expr,
    ForKind,
    ForStmt,
    IfStmt,
    IterArg,
    ReturnStmt,
    ScalarType,
    ScopeStmt,
    SeqStmts,
    Stmt,
    TensorType,
    TileType,
    TupleGetItemExpr,
    Var,
    WhileStmt,
    YieldStmt,
    as_int,
    statements,
)
from pypto_targets.pto.dispatch import emit_call
from pypto_targets.pto.kernel import Kernel
from pypto_targets.pto.text import Value
from pypto_targets.pto.types import element


def emit_body(kernel: Kernel, body: Stmt | None) -> None:
    """The statements of a body, its yield left out."""
    for stmt in statements(body):
        if not isinstance(stmt, YieldStmt):
            kernel.text.span = stmt.span
            _emit(kernel, stmt)


def _emit(kernel: Kernel, stmt: Stmt) -> None:
    match stmt:
        case AssignStmt():
            _assign(kernel, stmt)
        case EvalStmt(expr=Call() as call):
            emit_call(kernel, call, None)
        case ForStmt():
            _for(kernel, stmt)
        case IfStmt():
            _if(kernel, stmt)
        case WhileStmt():
            _while(kernel, stmt)
        case SeqStmts():
            emit_body(kernel, stmt)
        case ScopeStmt():
            emit_body(kernel, stmt.body)
        case ReturnStmt():
            return
        case _:
            raise UserError("PTO003", f"a kernel cannot hold a {type(stmt).__name__}", stmt.span)


def _assign(kernel: Kernel, stmt: AssignStmt) -> None:
    value = stmt.value
    if isinstance(value, Call):
        emit_call(kernel, value, stmt.var)
    elif isinstance(value, TupleGetItemExpr):
        return  # the instruction that made the tuple wrote the element's own buffer
    elif isinstance(value, Var):
        kernel.alias(stmt.var, value)
    else:
        kernel.values[stmt.var] = kernel.value(value)


def _is_scalar(var: Var) -> bool:
    return isinstance(var.type, ScalarType)


def _carried(variables: tuple[Var, ...]) -> list[int]:
    return [index for index, var in enumerate(variables) if _is_scalar(var)]


def _scalar_type(var: Var) -> str:
    kind = var.type
    if not isinstance(kind, ScalarType):
        raise InternalError(f"{var.name_hint} is no scalar", var.span)
    return element(kind.dtype)


def _for(kernel: Kernel, stmt: ForStmt) -> None:
    step = as_int(stmt.step)
    if stmt.kind is ForKind.Pipeline:
        raise InternalError("a pipeline loop reached code generation", stmt.span)
    if step is not None and step <= 0:
        text = f"a loop of a kernel must have a positive step, but this one has {step}"
        raise UserError("PTO004", text, stmt.span, help="count upwards and compute the descending index in the body")
    low, high, by = kernel.index(stmt.start), kernel.index(stmt.stop), kernel.index(stmt.step)
    slots = _carried(stmt.iter_args)
    inits = [kernel.value(stmt.iter_args[i].init_value) for i in slots]
    counter = Value(kernel.text.name(stmt.loop_var.name_hint), "index")
    args = [Value(kernel.text.name(stmt.iter_args[i].name_hint), _scalar_type(stmt.iter_args[i])) for i in slots]
    results = [Value(kernel.text.name(stmt.return_vars[i].name_hint), args[k].type) for k, i in enumerate(slots)]
    carry = ""
    if slots:
        pairs = ", ".join(f"{arg.name} = {init.name}" for arg, init in zip(args, inits, strict=True))
        carry = f" iter_args({pairs}) -> ({', '.join(arg.type for arg in args)})"
    head = f"scf.for {counter.name} = {low.name} to {high.name} step {by.name}{carry} {{"
    kernel.text.emit(_results(results) + head, place=False)
    kernel.values[stmt.loop_var] = counter
    _enter(kernel, stmt.iter_args, dict(zip(slots, args, strict=True)))
    _region(kernel, stmt.body, slots)
    kernel.text.emit("}", place=False)
    _leave(kernel, stmt.iter_args, stmt.return_vars, dict(zip(slots, results, strict=True)))


def _while(kernel: Kernel, stmt: WhileStmt) -> None:
    slots = _carried(stmt.iter_args)
    inits = [kernel.value(stmt.iter_args[i].init_value) for i in slots]
    types = ", ".join(_scalar_type(stmt.iter_args[i]) for i in slots)
    before = [Value(kernel.text.name(), _scalar_type(stmt.iter_args[i])) for i in slots]
    results = [Value(kernel.text.name(stmt.return_vars[i].name_hint), before[k].type) for k, i in enumerate(slots)]
    pairs = ", ".join(f"{arg.name} = {init.name}" for arg, init in zip(before, inits, strict=True))
    carry = f" ({pairs})" if slots else ""
    kernel.text.emit(f"{_results(results)}scf.while{carry} : ({types}) -> ({types}) {{", place=False)
    _enter(kernel, stmt.iter_args, dict(zip(slots, before, strict=True)))
    kernel.text.level += 1
    condition = kernel.value(stmt.condition)
    passed = f" {', '.join(v.name for v in before)} : {types}" if slots else ""
    kernel.text.emit(f"scf.condition({condition.name}){passed}")
    kernel.text.level -= 1
    kernel.text.emit("} do {", place=False)
    inside = [Value(kernel.text.name(), value.type) for value in before]
    if slots:
        kernel.text.emit(f"^bb0({', '.join(f'{v.name} : {v.type}' for v in inside)}):", place=False)
    _enter(kernel, stmt.iter_args, dict(zip(slots, inside, strict=True)))
    _region(kernel, stmt.body, slots)
    kernel.text.emit("}", place=False)
    _leave(kernel, stmt.iter_args, stmt.return_vars, dict(zip(slots, results, strict=True)))


def _if(kernel: Kernel, stmt: IfStmt) -> None:
    condition = kernel.value(stmt.condition)
    slots = _carried(stmt.return_vars)
    for var in stmt.return_vars:
        if isinstance(var.type, TileType):
            kernel.values[var] = kernel.handles.merged(var)
    results = [Value(kernel.text.name(stmt.return_vars[i].name_hint), _scalar_type(stmt.return_vars[i])) for i in slots]
    types = f" -> ({', '.join(value.type for value in results)})" if slots else ""
    kernel.text.emit(f"{_results(results)}scf.if {condition.name}{types} {{", place=False)
    _region(kernel, stmt.then_body, slots)
    if stmt.else_body is not None:
        kernel.text.emit("} else {", place=False)
        _region(kernel, stmt.else_body, slots)
    kernel.text.emit("}", place=False)
    for slot, value in zip(slots, results, strict=True):
        kernel.values[stmt.return_vars[slot]] = value
    _bind_merged(kernel, stmt)


def _bind_merged(kernel: Kernel, stmt: IfStmt) -> None:
    """What is neither scalar nor tile is one and the same on both ways, changed in place."""
    taken, other = _yield_of(stmt.then_body), _yield_of(stmt.else_body)
    for index, var in enumerate(stmt.return_vars):
        if _is_scalar(var) or isinstance(var.type, TileType):
            continue
        if isinstance(var.type, TensorType) and kernel.tensor(taken[index]) is not kernel.tensor(other[index]):
            kind = "DistributedTensor" if isinstance(var.type, DistributedTensorType) else "tensor"
            raise UserError(
                "PTO019",
                f"Assigning a different {kind} in each branch of an `if` is not supported: '{var.name_hint}' would be "
                "known only at run time",
                stmt.span,
                help="write to the tensors inside of the branches instead",
            )
        kernel.alias(var, taken[index])


def _results(values: list[Value]) -> str:
    return f"{', '.join(value.name for value in values)} = " if values else ""


def _region(kernel: Kernel, body: Stmt, slots: list[int]) -> None:
    kernel.text.level += 1
    emit_body(kernel, body)
    if slots:
        yielded = _yield_of(body)
        values = [kernel.value(yielded[slot]) for slot in slots]
        kernel.text.emit(f"scf.yield {', '.join(v.name for v in values)} : {', '.join(v.type for v in values)}")
    kernel.text.level -= 1


def _yield_of(body: Stmt | None) -> tuple[Expr, ...]:
    stmts = statements(body)
    last = stmts[-1] if stmts else None
    if isinstance(last, YieldStmt):
        return last.value
    return _yield_of(last.body) if isinstance(last, ScopeStmt) else ()


def _enter(kernel: Kernel, iter_args: tuple[IterArg, ...], scalars: dict[int, Value]) -> None:
    for index, arg in enumerate(iter_args):
        if index in scalars:
            kernel.values[arg] = scalars[index]
        else:
            kernel.alias(arg, arg.init_value)


def _leave(
    kernel: Kernel, iter_args: tuple[IterArg, ...], return_vars: tuple[Var, ...], scalars: dict[int, Value]
) -> None:
    for index, (arg, var) in enumerate(zip(iter_args, return_vars, strict=True)):
        if index in scalars:
            kernel.values[var] = scalars[index]
        else:
            kernel.alias(var, arg)

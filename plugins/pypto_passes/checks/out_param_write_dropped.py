# SPDX-License-Identifier: Apache-2.0
"""OutParamWriteDropped: a warning where an output is assigned to instead of written into.

`out = pl.add(a, b)` gives the name another value; the caller's buffer stays as it was. Whether a value can still be the
parameter is decided by where it comes from: what was made of the parameter in any way, through carries and branches,
may have been written through it and is not reported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from pypto_build.ir import (
    AssignStmt,
    Expr,
    ForStmt,
    Function,
    IfStmt,
    ParamDirection,
    ShapedType,
    Stmt,
    Var,
    WhileStmt,
    YieldStmt,
    collect,
    statements,
)
from pypto_build.passes import Check, Finding, PassContext, Phase

_WRITTEN = (ParamDirection.Out, ParamDirection.InOut)
_Edge = tuple[Expr, Var]


def find_dropped_writes(function: Function, context: PassContext) -> Iterable[Finding]:
    """Every assignment to an output of a value that has nothing to do with it."""
    del context
    pairs = zip(function.params, function.param_directions, strict=True)
    outputs = {p.name_hint: (p, way) for p, way in pairs if way in _WRITTEN and isinstance(p.type, ShapedType)}
    assignments = [s for s in collect(function.body, AssignStmt) if s.var.name_hint in outputs] if outputs else []
    if not assignments:
        return
    made_of = _reached(function, [param for param, _ in outputs.values()])
    for stmt in assignments:
        param, way = outputs[stmt.var.name_hint]
        if not made_of[param].intersection({*collect(stmt.value, Var)}):
            name = param.name_hint
            text = (
                f"Assigning to {way.name} parameter '{name}' in function '{function.name}' only gives the name another "
                f"value: the caller's buffer is not written"
            )
            yield Finding(text, stmt.span, f"write into it with '{name}[:] = <expr>'")


def _reached(function: Function, params: Iterable[Var]) -> dict[Var, set[Var]]:
    """For each parameter the variables that are made of it, itself among them; any order of statements is assumed."""
    users: defaultdict[Var, list[Var]] = defaultdict(list)
    for value, target in _flows(function):
        for var in collect(value, Var):
            users[var].append(target)
    reached: dict[Var, set[Var]] = {}
    for param in params:
        seen, pending = {param}, [param]
        while pending:
            new = [user for user in users[pending.pop()] if user not in seen]
            seen.update(new)
            pending += new
        reached[param] = seen
    return reached


def _flows(function: Function) -> Iterator[_Edge]:
    """Every value with the variable that takes it."""
    for stmt in collect(function.body, AssignStmt, ForStmt, WhileStmt, IfStmt):
        match stmt:
            case AssignStmt():
                yield stmt.value, stmt.var
            case IfStmt():
                for body in (stmt.then_body, stmt.else_body):
                    yield from zip(_yielded(body), stmt.return_vars, strict=False)
            case ForStmt() | WhileStmt():
                yielded = _yielded(stmt.body)
                yield from ((arg.init_value, arg) for arg in stmt.iter_args)
                yield from zip(yielded, stmt.iter_args, strict=False)
                yield from zip(stmt.iter_args, stmt.return_vars, strict=False)


def _yielded(body: Stmt | None) -> tuple[Expr, ...]:
    last = statements(body)[-1:] if body is not None else ()
    return last[0].value if last and isinstance(last[0], YieldStmt) else ()


OUT_PARAM_WRITE_DROPPED = Check("OutParamWriteDropped", Phase.PRE_PIPELINE, find_dropped_writes)

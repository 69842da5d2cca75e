# SPDX-License-Identifier: Apache-2.0
"""TypeChecked: what meets at loops and branches has one type, conditions are BOOL, ranges are scalars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pypto_build.analysis.bounds import Bounds
from pypto_build.errors import Diagnostic, Span
from pypto_build.ir import (
    DataType,
    Expr,
    ForStmt,
    IfStmt,
    Program,
    ScalarType,
    Stmt,
    Type,
    WhileStmt,
    YieldStmt,
    collect,
    statements,
)
from pypto_build.passes import PassContext
from pypto_passes.verifiers.type_agreement import SIZE, Meeting
from pypto_passes.verifiers.valid_shapes import invalid_regions

CONDITION_NOT_SCALAR, RANGE_NOT_SCALAR, CONDITION_NOT_BOOL = 106, 107, 108


def verify_type_checked(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """Everything whose types do not fit. Source: the public rule TypeCheck and its numbers."""
    del context
    for function in program.functions.values():
        bounds = Bounds()
        yield from invalid_regions(function)
        for stmt in collect(function.body, IfStmt, ForStmt, WhileStmt):
            if isinstance(stmt, IfStmt):
                yield from _branch(stmt, bounds)
            else:
                yield from _loop(stmt, bounds)


def _branch(stmt: IfStmt, bounds: Bounds) -> Iterator[Diagnostic]:
    yield from _condition(stmt.condition, stmt)
    then, otherwise = _yielded(stmt.then_body), _yielded(stmt.else_body)
    if not stmt.return_vars or then is None or otherwise is None:
        return
    sizes = len(then), len(otherwise), len(stmt.return_vars)
    if len(set(sizes)) > 1:
        text = "IfStmt size mismatch: then yield values={}, else yield values={}, return_vars={}"
        yield _error(SIZE, text.format(*sizes), stmt.span)
        return
    for index, (a, b, var) in enumerate(zip(then, otherwise, stmt.return_vars, strict=True)):
        chain = (
            (f"then yield value[{index}]", a.type, f"else yield value[{index}]", b.type),
            (f"then yield value[{index}]", a.type, f"return_var[{index}]", var.type),
        )
        yield from _first_disagreement("IfStmt", chain, bounds, span=stmt.span)


def _loop(stmt: ForStmt | WhileStmt, bounds: Bounds) -> Iterator[Diagnostic]:
    kind = type(stmt).__name__
    yield from _range(stmt) if isinstance(stmt, ForStmt) else _condition(stmt.condition, stmt)
    yielded = _yielded(stmt.body)
    if yielded is None:
        return
    sizes = len(stmt.iter_args), len(yielded), len(stmt.return_vars)
    if len(set(sizes)) > 1:
        text = f"{kind} size mismatch: iter_args={{}}, yield values={{}}, return_vars={{}}"
        yield _error(SIZE, text.format(*sizes), stmt.span)
        return
    for index, (arg, value, var) in enumerate(zip(stmt.iter_args, yielded, stmt.return_vars, strict=True)):
        declared, handed = f"declared iter_arg[{index}]", f"yield value[{index}]"
        chain = (
            (f"iter_arg[{index}] initValue", arg.init_value.type, declared, arg.type),
            (declared, arg.type, handed, value.type),
            (handed, value.type, f"return_var[{index}]", var.type),
        )
        yield from _first_disagreement(kind, chain, bounds, span=stmt.span)


def _first_disagreement(
    construct: str, chain: Sequence[tuple[str, Type, str, Type]], bounds: Bounds, *, span: Span
) -> Iterator[Diagnostic]:
    for left, left_type, right, right_type in chain:
        found = Meeting(construct, left, right, bounds).disagreement(left_type, right_type)
        if found is not None:
            yield _error(*found, span)
            return


def _condition(condition: Expr, stmt: Stmt) -> Iterator[Diagnostic]:
    what = f"{type(stmt).__name__} condition"
    kind = condition.type
    if not isinstance(kind, ScalarType):
        yield _error(CONDITION_NOT_SCALAR, f"{what} must be ScalarType, but got {type(kind).__name__}", stmt.span)
    elif kind.dtype is not DataType.BOOL:
        yield _error(CONDITION_NOT_BOOL, f"{what} dtype must be BOOL, but got {kind.dtype}", stmt.span)


def _range(stmt: ForStmt) -> Iterator[Diagnostic]:
    for name, value in (("start", stmt.start), ("stop", stmt.stop), ("step", stmt.step)):
        if not isinstance(value.type, ScalarType):
            text = f"ForStmt {name} must be ScalarType, but got {type(value.type).__name__}"
            yield _error(RANGE_NOT_SCALAR, text, stmt.span)


def _yielded(body: Stmt | None) -> tuple[Expr, ...] | None:
    """What a body yields at its end; None when it does not end in a yield, which is for SSAForm to say."""
    stmts = statements(body)
    last = stmts[-1] if stmts else None
    return last.value if isinstance(last, YieldStmt) else None


def _error(code: int, text: str, span: Span) -> Diagnostic:
    return Diagnostic("error", "TypeCheck", text, span, error_code=code)

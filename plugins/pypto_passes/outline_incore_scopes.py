# SPDX-License-Identifier: Apache-2.0
"""OutlineIncoreScopes: each InCore scope becomes a kernel, the function around it the orchestration that calls it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from pypto_build.analysis.returned_params import ReturnedParams, returned_params
from pypto_build.errors import Diagnostic, UserError
from pypto_build.ir import (
    AssignStmt,
    Call,
    Expr,
    Function,
    FunctionType,
    InCoreScopeStmt,
    ParamDirection,
    Program,
    Rewriter,
    ScopeStmt,
    SplitAivScopeStmt,
    SplitMode,
    Stmt,
    TensorType,
    Var,
    as_int,
    collect,
    defined_vars,
    frozen_map,
    rebuilt,
)
from pypto_build.passes import IRProperty, PassContext, ProgramPass
from pypto_passes.deferred_waits import WAITER, check_deferred_waits, defers
from pypto_passes.outlining import Outliner, Shape, Surroundings, kept_attrs, launching

P = IRProperty
_PARENTS = (FunctionType.Opaque, FunctionType.Orchestration, FunctionType.Graph)


@dataclass(frozen=True, slots=True)
class OutlineIncoreScopes(ProgramPass):
    """Make kernels of InCore scopes."""

    name: ClassVar[str] = "OutlineIncoreScopes"
    requires: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm})
    produces: ClassVar[frozenset[IRProperty]] = frozenset({P.SSAForm, P.SplitIncoreOrch})
    after: ClassVar[tuple[str, ...]] = ("FlattenCallExpr", "OutlineHierarchyScopes")

    def run(self, program: Program, context: PassContext) -> Program:
        """The program without InCore scopes.

        Raises:
            UserError: a scope is split by hand and by the compiler at once, or does more than a deferred wait allows.
        """
        names = Names(program)
        around = surroundings(program, context)
        functions: list[Function] = []
        for function in program.functions.values():
            functions.extend(_outlined(function, around, names))
        unchanged = all(a is b for a, b in zip(functions, program.functions.values(), strict=False))
        return program if unchanged and len(functions) == len(program.functions) else program.with_functions(functions)


def surroundings(program: Program, context: PassContext) -> Surroundings:
    """What the functions of a program write and return."""
    directions: Mapping[str, tuple[ParamDirection, ...]] = {
        function.name: function.param_directions for function in program.functions.values()
    }
    known: dict[str, ReturnedParams | None] = {}

    def returned(name: str) -> ReturnedParams | None:
        if name not in known:
            function = next((f for f in program.functions.values() if f.name == name), None)
            known[name] = None if function is None else returned_params(function)
        return known[name]

    return Surroundings(context.ops, directions, returned)


class Names:
    """Names of new functions: a hint may be given twice, a function's name may not."""

    def __init__(self, program: Program) -> None:
        self._taken = {function.name for function in program.functions.values()}

    def of(self, hint: str, parent: str, own: set[str]) -> str:
        """The hint; numbered when this parent used it before, with the parent's name when another function has it."""
        name = hint
        if name in self._taken:
            base = hint if hint in own else f"{parent}_{hint}"
            name, number = (f"{base}_0", 0) if hint in own else (base, 0)
            while name in self._taken:
                number += 1
                name = f"{base}_{number}"
        own.add(hint)
        self._taken.add(name)
        return name


def _outlined(function: Function, around: Surroundings, names: Names) -> list[Function]:
    if function.func_type not in _PARENTS:
        return [function]
    check_deferred_waits(function)
    if not collect(function, InCoreScopeStmt):
        return [function]
    if function.func_type is FunctionType.Opaque:
        function = launching(_DimFolder(function).visit(function))
    own: set[str] = set()
    count = 0

    def shape_of(scope: ScopeStmt) -> Shape | None:
        nonlocal count
        if not isinstance(scope, InCoreScopeStmt):
            return None
        hint = scope.name_hint or f"{function.name}_incore_{count}"
        count += 1
        attrs = frozen_map(_kernel_attrs(scope))
        return Shape(FunctionType.InCore, names.of(hint, function.name, own), attrs=attrs)

    outliner = Outliner(function, around, kinds=(InCoreScopeStmt,), shape_of=shape_of)
    body = outliner.visit_body(function.body)
    return [*outliner.functions, rebuilt(function, {"body": body})]


def _kernel_attrs(scope: InCoreScopeStmt) -> dict[str, object]:
    attrs = kept_attrs(scope)
    modes = {region.split for region in collect(scope, SplitAivScopeStmt)}
    if modes and scope.split is not SplitMode.NONE:
        raise UserError(
            "SPLIT001",
            "pl.split(...) and pl.split_aiv(...) are mutually exclusive on one scope",
            scope.span,
            help="let the compiler split (pl.split) or split by hand (pl.split_aiv), not both",
        )
    if defers(scope.body):
        attrs[WAITER] = True
    if modes:
        attrs["split_aiv"] = True
    representative = modes.pop() if len(modes) == 1 else scope.split
    if representative is not SplitMode.NONE:
        attrs["split"] = representative.value
    return attrs


# -- extents of parameters ---------------------------------------------------------------------------------------------


class _DimFolder(Rewriter):
    """In an orchestration the extent of a parameter is its symbol, so reading it with `tensor.dim` is that symbol."""

    def __init__(self, function: Function) -> None:
        super().__init__()
        self._bound = set(defined_vars([function.body]))
        self._symbols = {
            dim
            for param in function.params
            if isinstance(param.type, TensorType)
            for dim in param.type.shape
            if isinstance(dim, Var)
        } - self._bound

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt | None:
        value: Expr = self.visit(stmt.value)
        symbol = self._symbol(value)
        if symbol is not None:
            self.substitution[stmt.var] = symbol
            return None
        var = self.visit_definition(stmt.var)
        return stmt if var is stmt.var and value is stmt.value else rebuilt(stmt, {"var": var, "value": value})

    def _symbol(self, value: Expr) -> Expr | None:
        if not isinstance(value, Call) or value.op.name != "tensor.dim":
            return None
        source, axis = value.args[0].type, as_int(value.args[1])
        if not isinstance(source, TensorType) or axis is None or not -len(source.shape) <= axis < len(source.shape):
            return None
        dim = source.shape[axis]
        return dim if dim in self._symbols else None


# -- the property ------------------------------------------------------------------------------------------------------

_METADATA = frozenset(
    {
        "tensor.create",
        "tensor.dim",
        "tensor.read",
        "tensor.write",
        "tensor.slice",
        "tensor.view",
        "tensor.reshape",
        "tensor.transpose",
        "tensor.assemble",
        "tensor.reinterpret_view",
        "tensor.set_validshape",
    }
)


def verify_split_incore_orch(program: Program, context: PassContext) -> Iterable[Diagnostic]:
    """No InCore scope is left outside kernels; a computation that stays in the orchestration deserves a warning."""
    del context
    for function in program.functions.values():
        if function.func_type not in _PARENTS:
            continue
        for scope in collect(function, InCoreScopeStmt):
            text = f"InCore ScopeStmt found in function '{function.name}' (it should have been outlined)"
            yield Diagnostic("error", "SplitIncoreOrch", text, scope.span)
        if function.func_type is not FunctionType.Orchestration:
            continue
        for call in collect(function, Call):
            name = call.op.name
            if name.startswith("tensor.") and name not in _METADATA:
                text = f"'{name}' computes in orchestration function '{function.name}': put it into a kernel"
                yield Diagnostic("warning", "SplitIncoreOrch", text, call.span)

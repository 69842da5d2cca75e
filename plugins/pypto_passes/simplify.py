# SPDX-License-Identifier: Apache-2.0
"""Simplify: expressions, the shapes inside types, decided branches and loops that run at most once become shorter.

What is known of values comes from loop ranges and steps, conditions of branches and loops, and assignments. A scalar
constant assigned at the top of a function replaces the variable everywhere; other scalars are only known of.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar, TypeVar

from pypto_build.analysis.bounds import Bounds
from pypto_build.analysis.folding import Folder, FoldEverything
from pypto_build.analysis.interval import Interval
from pypto_build.analysis.residue import ANY_RESIDUE
from pypto_build.ir import (
    AssignStmt,
    Call,
    ConstBool,
    ConstFloat,
    ConstInt,
    DataType,
    Expr,
    ForKind,
    ForStmt,
    Function,
    Ge,
    Gt,
    IfStmt,
    IterArg,
    Le,
    Lt,
    ScalarType,
    ScopeStmt,
    Stmt,
    TensorLayout,
    TensorType,
    Var,
    WhileStmt,
    YieldStmt,
    defined_vars,
    map_attrs,
    map_tuple,
    rebuilt,
    statements,
    used_vars,
)
from pypto_build.ir.value import same_integer_kind
from pypto_build.passes import Callees, FunctionPass, PassContext
from pypto_passes.dead_scalars import without_dead_scalars
from pypto_passes.early_exits import leaves_loop

MOST_NODES = 8
"""A larger value is computed once: read in place of a variable it would be written as often as that is used."""

_S = TypeVar("_S", bound=Stmt)


@dataclass(frozen=True, slots=True)
class Simplify(FunctionPass):
    """Fold arithmetic, decided branches and loops that run at most once; drop scalars that nobody reads."""

    name: ClassVar[str] = "Simplify"

    max_iterations: int = field(default=4, metadata={"minimum": 1})
    """How many rounds it may take; one that changes nothing is the last. Of 20,000 random programs three took two."""

    def run(self, function: Function, callees: Callees, context: PassContext) -> Function:
        """The function in simpler form; the same object when nothing can be simplified."""
        del callees, context
        for _ in range(self.max_iterations):
            before, function = function, _simplified(function)
            if function is before:
                break
        return function


def _simplified(function: Function) -> Function:
    """One round."""
    counts = Counter(defined_vars([function]))
    unstable = {var for var, count in counts.items() if count > 1}
    simplified: Function = _Simplifier(unstable).visit(function)
    return without_dead_scalars(simplified, unstable)


class _Simplifier(FoldEverything):
    """Folds everything in one function, with what is known at each place."""

    def __init__(self, unstable: set[Var]) -> None:
        self.unstable = unstable
        self.bounds = Bounds(unstable)
        super().__init__(Folder(self.bounds))
        self.depth = 0  # how many loops, branches and scopes are around

    # -- expressions -----------------------------------------------------------------------------------------------

    def visit_definition(self, var: Var) -> Var:
        """A variable that is assigned again and again stays one variable."""
        known = self.substitution.get(var) if var in self.unstable else None
        return known if isinstance(known, Var) else super().visit_definition(var)

    def visit_var(self, var: Var) -> Expr:
        """What stands for a variable, with what is known here."""
        known = self.substitution.get(var, var)
        return var if known is var else self.visit(known)

    def visit_call(self, call: Call) -> Expr:
        new: Call = self.visit_node(call)
        return new.args[0] if _is_same_view(new) else new

    # -- statements ------------------------------------------------------------------------------------------------

    def visit_assign_stmt(self, stmt: AssignStmt) -> Stmt:
        new: AssignStmt = self.visit_node(stmt)
        var, value = new.var, new.value
        if stmt.var in self.unstable or not isinstance(var.type, ScalarType):
            return new
        if self.depth == 0 and isinstance(value, ConstInt | ConstFloat | ConstBool):
            if same_integer_kind(var.type.dtype, value.dtype):
                self.substitution[stmt.var] = value
        elif var.type.dtype.is_int():
            self.bounds.bound(var, self.bounds.of(var).meet(self.bounds.of(value)))
            self.bounds.leave(var, self.bounds.residue(value))
            self.bounds.equate(var, value)
        return new

    def visit_if_stmt(self, stmt: IfStmt) -> object:
        condition: Expr = self.visit(stmt.condition)
        if isinstance(condition, ConstBool):
            chosen = stmt.then_body if condition.value else stmt.else_body
            lifted = self._lifted(chosen, stmt.return_vars)
            if lifted is not None:
                return lifted
        parts: dict[str, object] = {
            "condition": condition,
            "then_body": self._region(stmt.then_body, condition, holds=True),
        }
        if stmt.else_body is not None:
            parts["else_body"] = self._region(stmt.else_body, condition, holds=False)
        parts["return_vars"] = map_tuple(stmt.return_vars, self.visit_definition)
        return _changed(stmt, parts)

    def visit_for_stmt(self, stmt: ForStmt) -> object:
        header: dict[str, object] = {name: self.visit(getattr(stmt, name)) for name in ("start", "stop", "step")}
        straight = self._straight(stmt, _changed(stmt, header))
        if straight is not None:
            return straight
        loop_var = self.visit_definition(stmt.loop_var)
        iter_args = map_tuple(stmt.iter_args, self.visit_definition)
        loop = _changed(stmt, {**header, "loop_var": loop_var, "iter_args": iter_args})
        mark = self.bounds.mark()
        if stmt.loop_var not in self.unstable:
            self._know_index(loop)
        body = self._region(stmt.body)
        self.bounds.back_to(mark)
        returns = map_tuple(stmt.return_vars, self.visit_definition)
        attrs = map_attrs(stmt.attrs, self.visit)
        new = _changed(loop, {"body": body, "return_vars": returns, "attrs": attrs})
        no_longer_left = body is not stmt.body and leaves_loop(stmt.body) and not leaves_loop(body)
        straight = self._straight(new, new) if no_longer_left else None
        return new if straight is None else straight

    def visit_while_stmt(self, stmt: WhileStmt) -> Stmt:
        iter_args = map_tuple(stmt.iter_args, self.visit_definition)
        condition = self.visit(stmt.condition)
        body = self._region(stmt.body, condition)
        returns = map_tuple(stmt.return_vars, self.visit_definition)
        return _changed(stmt, {"iter_args": iter_args, "condition": condition, "body": body, "return_vars": returns})

    def visit_scope_stmt(self, stmt: ScopeStmt) -> Stmt:
        self.depth += 1
        mark = self.bounds.mark()
        new: Stmt = self.visit_node(stmt)
        self.bounds.back_to(mark)
        self.depth -= 1
        return new

    def _region(self, body: Stmt, condition: Expr | None = None, *, holds: bool = True) -> Stmt:
        """A body that may run or not: what is learnt inside it is forgotten behind it."""
        self.depth += 1
        mark = self.bounds.mark()
        if condition is not None:
            self.bounds.assume(condition, holds=holds)
        new = self.visit_body(body)
        self.bounds.back_to(mark)
        self.depth -= 1
        return new

    # -- branches and loops that become straight code ------------------------------------------------------------------

    def _lifted(self, body: Stmt | None, returns: tuple[Var, ...]) -> tuple[Stmt, ...] | None:
        """The statements of a body that runs exactly once here; uses of its results read what it yields."""
        stmts = statements(body)
        last = stmts[-1] if stmts else None
        yielded = last.value if isinstance(last, YieldStmt) else ()
        if len(yielded) != len(returns):
            return None
        result: list[Stmt] = []
        for stmt in stmts[:-1] if isinstance(last, YieldStmt) else stmts:
            result.extend(statements(self.visit_body(stmt)))
        values = [self.visit(value) for value in yielded]
        for var, value in zip(returns, values, strict=True):
            result.extend(self._becomes(var, value))
        return tuple(result)

    def _becomes(self, var: Var, value: Expr) -> tuple[Stmt, ...]:
        """From here on a variable is a value: read in its place, or assigned to it where a later read could differ."""
        is_lasting = self.folder.is_droppable(value) and self.unstable.isdisjoint(used_vars(value))
        if is_lasting and var not in self.unstable and self.folder.size(value) <= MOST_NODES:
            self.substitution[var] = value
            return ()
        if isinstance(var, IterArg):
            target = self.substitution[var] = Var(var.name_hint, var.type, var.span)
        else:
            target = self.visit_definition(var)
        return (AssignStmt(target, value, var.span),)

    def _straight(self, stmt: ForStmt, header: ForStmt) -> tuple[Stmt, ...] | None:
        """The code of a sequential loop that runs once or never; None for other loops."""
        if stmt.kind is not ForKind.Sequential or stmt.attrs or len(stmt.return_vars) != len(stmt.iter_args):
            return None
        if not self.folder.is_droppable(header.start, header.stop, header.step):
            return None
        initial = [arg.init_value for arg in stmt.iter_args]
        count = self._count(header)
        if count == 0:
            pairs = zip(stmt.return_vars, initial, strict=True)
            return tuple(self.visit_assign_stmt(AssignStmt(var, value, stmt.span)) for var, value in pairs)
        if count is None or leaves_loop(stmt.body) or len(_yielded(stmt.body)) != len(stmt.return_vars):
            return None
        values = [self.visit(value) for value in initial]
        variables = (stmt.loop_var, *stmt.iter_args)
        before = [self._becomes(var, value) for var, value in zip(variables, (header.start, *values), strict=True)]
        lifted = self._lifted(stmt.body, stmt.return_vars)
        return None if lifted is None else (*chain.from_iterable(before), *lifted)

    def _count(self, loop: ForStmt) -> int | None:
        """How often a loop runs, if certainly never or once; None otherwise."""
        direction = self._direction(loop)
        step = self.bounds.atoms.form(loop.step).scaled(direction)
        distance = self.bounds.difference(loop.stop, loop.start).scaled(direction)
        way, beyond = self.bounds.of_form(distance), self.bounds.of_form(step.plus(distance, -1))
        if direction and way.high is not None and way.high <= 0:
            return 0
        is_once = way.low is not None and way.low >= 1 and beyond.low is not None and beyond.low >= 0
        return 1 if direction and is_once else None

    def _direction(self, loop: ForStmt) -> int:
        """1 for a loop that counts up, -1 for one that counts down, 0 where that is open."""
        step = self.bounds.of(loop.step)
        return int(step.low is not None and step.low > 0) - int(step.high is not None and step.high < 0)

    def _know_index(self, loop: ForStmt) -> None:
        """Inside a loop its variable lies between the bounds, a number of steps away from the start."""
        known, index = self.bounds, loop.loop_var
        start, beyond, direction = known.of(loop.start), known.of(loop.stop), self._direction(loop)
        known.leave(index, known.residue(loop.start).plus(known.residue(loop.step).product(ANY_RESIDUE)))
        if direction > 0:
            known.bound(index, Interval(start.low, beyond.shifted(-1).high))
            known.assume(Ge(index, loop.start, DataType.BOOL))
            known.assume(Lt(index, loop.stop, DataType.BOOL))
        elif direction < 0:
            known.bound(index, Interval(beyond.shifted(1).low, start.high))
            known.assume(Le(index, loop.start, DataType.BOOL))
            known.assume(Gt(index, loop.stop, DataType.BOOL))
        else:
            known.bound(index, Interval())


def _yielded(body: Stmt) -> tuple[Expr, ...]:
    stmts = statements(body)
    return stmts[-1].value if stmts and isinstance(stmts[-1], YieldStmt) else ()


def _changed(stmt: _S, parts: dict[str, object]) -> _S:
    changes = {name: value for name, value in parts.items() if value is not getattr(stmt, name)}
    return rebuilt(stmt, changes) if changes else stmt


def _is_same_view(call: Call) -> bool:
    """Whether a call of tensor.view only states the layout that its operand has."""
    if call.op.name != "tensor.view" or len(call.args) != 1 or not isinstance(call.args[0].type, TensorType):
        return False
    view = call.args[0].type.tensor_view
    layout = TensorLayout.ND if view is None else view.layout
    return call.kwargs.get("layout") is layout

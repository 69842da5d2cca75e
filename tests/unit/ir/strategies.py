# SPDX-License-Identifier: Apache-2.0
"""Random well-typed IR of every class, for tests that print it and read it back.

`programs()` makes a kernel and a function that launches it, `expressions()` and `types()` make the smaller pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from hypothesis import strategies as st

from pypto_build import ir
from pypto_build.ir import DataType, ForKind, MemorySpace
from pypto_build.ir.scalar import BINARY_FACTORIES, binary
from tests.unit.ir.build import BOOL, FP16, FP32, INDEX, INT32, INT64, TASK_ID, number
from tests.unit.ir.kernel_ops import KernelOps
from tests.unit.ir.random_types import Draw

SCALARS = (INDEX, INT32, INT64, FP16, FP32, BOOL)
INTEGERS = (INDEX, INT32, INT64)
NAMES = ("x", "y", "acc", "class", "i", "t_1", "self")
_INTEGER_ONLY = ("floordiv", "mod", "bit_and", "bit_or", "bit_xor", "bit_shift_left", "bit_shift_right")
_ARITHMETIC = ("add", "sub", "mul", "truediv", "pow", "min_", "max_")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_LOGICAL = ("and_", "or_", "xor")
_PLAIN = st.one_of(
    st.booleans(),
    st.integers(-9, 9),
    st.sampled_from([0.5, -2.0, "a", 'quo"te', FP16, MemorySpace.Vec, ir.PadValue.zero, ir.TensorLayout.ND]),
    st.sampled_from([ir.TileLayout.row_major, ir.ArgDirection.Input]),
)
_T = TypeVar("_T")
MAKERS = frozenset(name for name, _ in BINARY_FACTORIES.items())


@dataclass(frozen=True, slots=True)
class Scope:
    """What a statement may use: scalar Vars, and whether a loop may be left here.

    Kernels have no scopes inside, and a manual scope has no other one.
    """

    vars: tuple[ir.Var, ...]
    leavable: bool = False
    kernel: bool = True
    manual: bool = False
    depth: int = 2

    def of(self, dtype: DataType) -> list[ir.Var]:
        """The scalars of one element type."""
        return [var for var in self.vars if var.type == ir.scalar_type(dtype)]

    def within(self, *more: ir.Var, leavable: bool = False) -> Scope:
        """The scope of a body."""
        return replace(self, vars=(*self.vars, *more), leavable=leavable, depth=self.depth - 1)


@dataclass(slots=True)
class Maker:
    """Makes expressions and statements from draws."""

    draw: Draw
    operations: KernelOps = field(default_factory=KernelOps)

    def one(self, options: Sequence[_T]) -> _T:
        """Any of some options."""
        return self.draw(st.sampled_from(list(options)))

    def chance(self) -> bool:
        """Yes or no."""
        return self.draw(st.booleans())

    def var(self, kind: ir.Type) -> ir.Var:
        """A new Var, likely of a name that exists already."""
        return ir.Var(self.one(NAMES), kind)

    def attrs(self) -> ir.FrozenMap:
        """Plain attributes under names of no meaning."""
        return ir.frozen_map(self.draw(st.dictionaries(st.sampled_from(["mark", "note"]), _PLAIN, max_size=2)))  # type: ignore[return-value]  # frozen_map makes one

    # Expressions

    def constant(self, dtype: DataType) -> ir.Expr:
        """A constant of an element type."""
        if dtype is BOOL:
            return ir.ConstBool(self.chance())
        if dtype.is_float():
            return ir.ConstFloat(self.one([0.0, 0.1, -2.5, 1e30, 1e-7]), dtype)
        return number(self.draw(st.integers(-4, 100)), dtype)

    def expr(self, scope: Scope, dtype: DataType, depth: int = 2) -> ir.Expr:
        """A scalar expression of an element type."""
        known = scope.of(dtype)
        if depth == 0 or self.one([False, False, True]):
            return self.one(known) if known and self.chance() else self.constant(dtype)
        return self._truth(scope, depth - 1) if dtype is BOOL else self._number(scope, dtype, depth - 1)

    def _number(self, scope: Scope, dtype: DataType, depth: int) -> ir.Expr:
        names = (*_ARITHMETIC, *_INTEGER_ONLY) if dtype.is_int() else _ARITHMETIC
        unary = [ir.Neg, ir.Abs, ir.Cast, *([ir.BitNot] if dtype.is_int() else [])]
        made = self.one([*names, *unary])
        if made is ir.Cast:
            return ir.Cast(self.expr(scope, self.one([d for d in SCALARS if d is not BOOL]), depth), dtype)
        if not isinstance(made, str):
            return made(self.expr(scope, dtype, depth), dtype)
        return binary(made, self.expr(scope, dtype, depth), self.expr(scope, dtype, depth))

    def _truth(self, scope: Scope, depth: int) -> ir.Expr:
        name = self.one((*_COMPARISONS, *_LOGICAL, "not"))
        if name == "not":
            return ir.Not(self.expr(scope, BOOL, depth), BOOL)
        dtype = BOOL if name in _LOGICAL else self.one([d for d in SCALARS if d is not BOOL])
        return binary(name, self.expr(scope, dtype, depth), self.expr(scope, dtype, depth))

    # Statements

    def body(self, scope: Scope, *last: ir.Stmt, most: int = 3) -> ir.Stmt:
        """A body of a few statements, then the given ones."""
        stmts: list[ir.Stmt] = []
        for _ in range(self.draw(st.integers(0, most))):
            made, defined = self.stmt(scope)
            stmts.extend(made)
            scope = replace(scope, vars=(*scope.vars, *defined))
        return ir.sequence([*stmts, *last])

    def stmt(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """One construct: its statements, and the Vars that those after it may use."""
        kinds: list[Callable[[Scope], tuple[Sequence[ir.Stmt], Sequence[ir.Var]]]] = [self.assignment, self.operation]
        if scope.depth > 0:
            kinds += [self.branch, self.merge, self.loop, self.carried_loop, self.while_loop, self.carried_while]
            kinds += [] if scope.kernel else [self.region]
        if scope.leavable:
            kinds.append(self.leaving)
        return self.one(kinds)(scope)

    def assignment(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A scalar, or two packed into a tuple and taken out again; with a comment now and then."""
        dtype = self.one(SCALARS)
        value, var = self.expr(scope, dtype), self.var(ir.scalar_type(dtype))
        if self.chance():
            comments = self.one([(), ("a comment",), ("two", "lines")])
            return [ir.AssignStmt(var, value, leading_comments=comments)], [var]
        pair = ir.MakeTuple((value, self.expr(scope, FP32)))
        whole = self.var(pair.type)
        return [ir.AssignStmt(whole, pair), ir.AssignStmt(var, ir.TupleGetItemExpr(whole, 0))], [var]

    def operation(self, _scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A call of an operation, with or without a result."""
        made = self.operations.any(self)
        if isinstance(made.type, ir.UnknownType):
            return [ir.EvalStmt(made)], []
        return [ir.AssignStmt(self.var(made.type), made)], []

    def leaving(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """Leave the loop or go on with it, on a condition."""
        stop = self.one([ir.BreakStmt, ir.ContinueStmt])()
        return [ir.IfStmt(self.expr(scope, BOOL), stop, None)], []

    def branch(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A branch without results."""
        inner = scope.within(leavable=scope.leavable)
        other = self.body(inner) if self.chance() else None
        return [ir.IfStmt(self.expr(scope, BOOL), self.body(inner), other)], []

    def merge(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A branch that yields one or two values from both arms."""
        dtypes = [self.one(SCALARS) for _ in range(self.one([1, 2]))]
        results = tuple(self.var(ir.scalar_type(dtype)) for dtype in dtypes)
        arms = [self.body(scope.within(), self.yields(scope, dtypes)) for _ in "ab"]
        return [ir.IfStmt(self.expr(scope, BOOL), arms[0], arms[1], results)], results

    def yields(self, scope: Scope, dtypes: Sequence[DataType]) -> ir.YieldStmt:
        """A yield of values of these element types."""
        return ir.YieldStmt(tuple(self.expr(scope, dtype) for dtype in dtypes))

    def loop(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A loop of any kind that carries nothing."""
        kind, index = self.one(list(ForKind)), self.var(ir.scalar_type(INDEX))
        attrs = {"pipeline_stages": 2} if kind is ForKind.Pipeline else {}
        constant = kind is ForKind.Unroll
        bounds = [self.constant(INDEX) if constant else self.expr(scope, INDEX, 1) for _ in "ab"]
        inner = scope.within(index, leavable=kind is ForKind.Sequential)
        step = number(self.one([1, 2]))
        made = ir.ForStmt(
            index, *bounds, step, (), self.body(inner), (), kind=kind, attrs=ir.frozen_map({**self.attrs(), **attrs})
        )
        return [made], []

    def carried_loop(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A loop that carries one or two values."""
        dtypes, args, results = self.carried(scope)
        index = self.var(ir.scalar_type(INDEX))
        inner = scope.within(index, *args)
        body = self.body(inner, self.yields(inner, dtypes))
        kind = self.one([ForKind.Sequential, ForKind.Parallel])
        bounds = (number(0), self.expr(scope, INDEX, 1), number(1))
        return [ir.ForStmt(index, *bounds, args, body, results, kind=kind)], results

    def carried(self, scope: Scope) -> tuple[list[DataType], tuple[ir.IterArg, ...], tuple[ir.Var, ...]]:
        """What a loop carries: element types, values of an iteration, results."""
        dtypes = [self.one(SCALARS) for _ in range(self.one([1, 2]))]
        args = tuple(ir.IterArg("acc", ir.scalar_type(d), init_value=self.expr(scope, d)) for d in dtypes)
        return dtypes, args, tuple(self.var(ir.scalar_type(d)) for d in dtypes)

    def while_loop(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A loop on a condition that carries nothing."""
        return [ir.WhileStmt(self.expr(scope, BOOL), (), self.body(scope.within(leavable=True)), ())], []

    def carried_while(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A loop on a condition over the values that it carries."""
        dtypes, args, results = self.carried(scope)
        inner = scope.within(*args)
        body = self.body(inner, self.yields(inner, dtypes))
        return [ir.WhileStmt(self.expr(inner, BOOL), args, body, results)], results

    def region(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A scope of any kind."""
        manual = [] if scope.manual else [self.manual]
        return self.one([self.kernel_scope, self.level_scope, self.cluster, *manual, self.blocks])(scope)

    def kernel_scope(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A region that becomes a kernel; it may bind its task, divide itself between cores and list attributes."""
        inner = replace(scope.within(), kernel=True)
        attrs = dict(self.attrs())
        before: list[ir.Stmt] = []
        if self.chance():
            task = self.var(ir.scalar_type(TASK_ID))
            invalid = ir.Call(ir.Op("system.task_invalid"), (), type=ir.scalar_type(TASK_ID))
            before.append(ir.AssignStmt(task, invalid))
            attrs["task_id_var"] = task
        for name, value in {"allow_early_resolve": True, "windowize": True, "slot_num": 4}.items():
            attrs.update({name: value} if self.chance() else {})
        body = self.split_region(inner) if self.chance() else self.body(inner)
        split = self.one(list(ir.SplitMode)) if not isinstance(body, ir.SplitAivScopeStmt) else ir.SplitMode.NONE
        made = ir.InCoreScopeStmt(body, self.one(["", "k"]), split, ir.frozen_map(attrs))
        return [*before, made], []

    def split_region(self, scope: Scope) -> ir.Stmt:
        """A region divided between vector cores."""
        index = self.var(ir.scalar_type(INDEX))
        bind = ir.AssignStmt(index, self.operations.call("tile.get_subblock_idx"))
        body = ir.sequence([bind, self.body(scope.within(index))])
        return ir.SplitAivScopeStmt(body, self.one(list(ir.SplitMode)))

    def level_scope(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A region at a level of the machine."""
        level, role = self.one([ir.Level.HOST, ir.Level.CHIP, ir.Level.GLOBAL]), self.one([None, ir.Role.Orchestrator])
        return [ir.HierarchyScopeStmt(self.body(scope.within()), level, role, self.one(["", "h"]))], []

    def cluster(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A region of cooperating kernels."""
        return [ir.ClusterScopeStmt(self.body(scope.within()), self.one(["", "c"]))], []

    def manual(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A region whose dependencies are the program's own."""
        return [ir.RuntimeScopeStmt(self.body(replace(scope.within(), manual=True)), True)], []

    def blocks(self, scope: Scope) -> tuple[Sequence[ir.Stmt], Sequence[ir.Var]]:
        """A kernel over blocks."""
        index = self.var(ir.scalar_type(INDEX))
        bind = ir.AssignStmt(index, self.operations.call("tile.get_block_idx"))
        kernel = ir.sequence([bind, self.body(replace(scope.within(index), kernel=True))])
        name = self.one(["", "k"])
        inner = ir.InCoreScopeStmt(kernel, name, self.one(list(ir.SplitMode)))
        return [ir.SpmdScopeStmt(inner, number(4), self.chance(), f"{name}_spmd" if name else "")], []

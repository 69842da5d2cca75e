# SPDX-License-Identifier: Apache-2.0
"""`ir.IRBuilder`: IR built statement by statement inside `with` blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from pypto_build.compat.builder_contexts import (
    Context,
    ForLoopBuilder,
    IfStmtBuilder,
    ScopeBuilder,
    WhileLoopBuilder,
)
from pypto_build.compat.builder_wholes import FunctionBuilder, ProgramBuilder
from pypto_build.compat.callers import caller_span
from pypto_build.compat.constructors import attributes
from pypto_build.compat.node_constructors import make_memref
from pypto_build.compat.type_constructors import make_tensor, make_tile
from pypto_build.compat.utilities import attach_leading_comments
from pypto_build.dsl.language.arithmetic import Arithmetic
from pypto_build.dsl.language.views import TensorViewConstructor
from pypto_build.ir import (
    UNKNOWN_TYPE,
    AssignStmt,
    BreakStmt,
    Call,
    CompactMode,
    ContinueStmt,
    DataType,
    EvalStmt,
    Expr,
    ForKind,
    GlobalVar,
    InlineLanguage,
    InlineStmt,
    MakeTuple,
    MemorySpace,
    MemRef,
    PadValue,
    ReturnStmt,
    ScopeKind,
    Span,
    Stmt,
    TensorType,
    TensorView,
    TileLayout,
    TileType,
    TileView,
    TupleType,
    Type,
    Var,
)
from pypto_build.ir.scalar import as_expr

_C = TypeVar("_C", bound=Context)


class IRBuilder:
    """Builds programs and functions; everything takes `span=`, and else the place of the caller."""

    def __init__(self) -> None:
        self.contexts: list[Context] = []
        self._comments: list[list[str]] = []

    # -- places and values

    def place(self, span: Span | None) -> Span:
        """A given place, or that of the caller."""
        return caller_span() if span is None else span

    def expr(self, value: object, span: Span | None = None) -> Expr:
        """A number, a list or an expression as an expression."""
        place = self.place(span)
        if isinstance(value, Call) and value.type is UNKNOWN_TYPE and isinstance(value.op, GlobalVar):
            return self._typed_call(value, value.op)
        if isinstance(value, Arithmetic):
            return value.unwrap()
        if isinstance(value, list | tuple):
            items = cast("Sequence[object]", value)
            return MakeTuple(tuple(self.expr(item, place) for item in items), place)
        if isinstance(value, Expr | int | float):
            return as_expr(value, place)
        raise TypeError(f"expected an expression, a number or a list, got {type(value).__name__}")

    # -- constructs

    def program(self, name: str, span: Span | None = None) -> ProgramBuilder:
        """Open a program."""
        return ProgramBuilder(self, name, self.place(span))

    def function(self, name: str, span: Span | None = None, **options: Any) -> FunctionBuilder:
        """Open a function; RuntimeError inside another."""
        outer = self._find(FunctionBuilder)
        if outer is not None:
            raise RuntimeError(f"Cannot begin function '{name}': already inside function '{outer.name}'")
        return FunctionBuilder(self, name, self.place(span), **options)

    def for_loop(  # noqa: PLR0917  # the public argument order
        self,
        loop_var: Var,
        start: object,
        stop: object,
        step: object,
        span: Span | None = None,
        kind: ForKind = ForKind.Sequential,
        attrs: Mapping[str, object] | None = None,
    ) -> ForLoopBuilder:
        """Open a counted loop."""
        place = self.place(span)
        bounds = (self.expr(start, place), self.expr(stop, place), self.expr(step, place))
        return ForLoopBuilder(self, loop_var, bounds, span=place, kind=kind, attrs=attributes(attrs))

    def while_loop(self, condition: object, span: Span | None = None) -> WhileLoopBuilder:
        """Open a while loop."""
        return WhileLoopBuilder(self, self.expr(condition, span), self.place(span))

    def if_stmt(self, condition: object, span: Span | None = None) -> IfStmtBuilder:
        """Open a branch."""
        return IfStmtBuilder(self, self.expr(condition, span), self.place(span))

    def scope(self, scope_kind: ScopeKind, span: Span | None = None, **fields: Any) -> ScopeBuilder:
        """Open a scope."""
        if isinstance(fields.get("core_num"), int):
            fields["core_num"] = self.expr(fields["core_num"], span)
        return ScopeBuilder(self, scope_kind, self.place(span), fields)

    # -- statements

    def emit(self, stmt: Stmt) -> Stmt:
        """Add a statement; comments that wait become its own."""
        if self._comments and self._comments[-1]:
            attach_leading_comments(stmt, self._comments[-1])
            self._comments[-1] = []
        if self.contexts:
            self.contexts[-1].add(stmt)
        return stmt

    def assign(self, var: Var, value: object, span: Span | None = None) -> AssignStmt:
        """var = value"""
        stmt = AssignStmt(var, self.expr(value, span), self.place(span))
        self.emit(stmt)
        return stmt

    def let(self, name: str, value: object, type: Type | None = None, span: Span | None = None) -> Var:
        """A new variable with a value; `type` may add to the value's type what that leaves open."""
        made = self.expr(value, span)
        if type is not None and not isinstance(made.type, type.__class__):
            raise TypeError(f"type {type} of '{name}' is incompatible with {made.type}")
        var = Var(name, made.type if type is None else type, self.place(span))
        self.emit(AssignStmt(var, made, self.place(span)))
        return var

    def var(self, name: str, type: Type, span: Span | None = None) -> Var:
        """A variable, not bound yet."""
        return Var(name, type, self.place(span))

    def return_stmt(self, values: object = None, span: Span | None = None) -> ReturnStmt:
        """return values"""
        listed: Sequence[Any] = () if values is None else (values,)
        if isinstance(values, list | tuple):
            listed = cast("Sequence[Any]", values)
        stmt = ReturnStmt(tuple(self.expr(value, span) for value in listed), self.place(span))
        self.emit(stmt)
        return stmt

    def eval_stmt(self, expr: object, span: Span | None = None) -> EvalStmt:
        """An expression for its effect."""
        stmt = EvalStmt(self.expr(expr, span), self.place(span))
        self.emit(stmt)
        return stmt

    def break_stmt(self, span: Span | None = None) -> BreakStmt:
        """break"""
        stmt = BreakStmt(self.place(span))
        self.emit(stmt)
        return stmt

    def continue_stmt(self, span: Span | None = None) -> ContinueStmt:
        """continue"""
        stmt = ContinueStmt(self.place(span))
        self.emit(stmt)
        return stmt

    def inline_stmt(
        self, body: str, language: InlineLanguage = InlineLanguage.Python, span: Span | None = None
    ) -> InlineStmt:
        """Verbatim code."""
        stmt = InlineStmt(body, language, self.place(span))
        self.emit(stmt)
        return stmt

    def make_tuple(self, elements: Iterable[object], span: Span | None = None) -> MakeTuple:
        """Several values as one."""
        return MakeTuple(tuple(self.expr(element, span) for element in elements), self.place(span))

    # -- types

    def memref(self, *args: object, span: Span | None = None, **kwargs: Any) -> MemRef:
        """A memory reference: (space, addr, size, id), (addr, size, id) or (base, byte_offset, size)."""
        names = ("memory_space", "addr", "size", "id")
        ordered = [*args, *(kwargs.pop(name) for name in names if name in kwargs)]
        if len(ordered) == 4 and not isinstance(ordered[0], MemorySpace):
            raise TypeError("memref() without a memory space accepts exactly three positional arguments")
        return make_memref(*ordered, span=self.place(span), **kwargs)

    def tensor_view(self, *args: object, span: Span | None = None, **kwargs: Any) -> TensorView:
        """A tensor's view."""
        del span
        return TensorViewConstructor.make(*args, **kwargs)  # type: ignore[arg-type]  # checked there

    def tile_view(  # noqa: PLR0917  # the public argument order
        self,
        valid_shape: Sequence[object],
        stride: Sequence[object],
        start_offset: object,
        blayout: TileLayout = TileLayout.row_major,
        slayout: TileLayout = TileLayout.none_box,
        fractal: int = 512,
        pad: PadValue = PadValue.null,
        span: Span | None = None,
        compact: CompactMode = CompactMode.null,
    ) -> TileView:
        """A tile's view."""
        place = self.place(span)
        valid, strides = (tuple(self.expr(extent, place) for extent in each) for each in (valid_shape, stride))
        return TileView(valid, strides, self.expr(start_offset, place), blayout, slayout, fractal, pad, compact)

    def tensor_type(self, shape: Sequence[object], dtype: DataType, **parts: Any) -> TensorType:
        """A tensor type."""
        parts.pop("span", None)
        return make_tensor(shape, dtype, **parts)

    def tile_type(self, shape: Sequence[object], dtype: DataType, **parts: Any) -> TileType:
        """A tile type."""
        parts.pop("span", None)
        return make_tile(shape, dtype, **parts)

    # -- attributes, comments, questions

    def add_function_attrs(self, attrs: Mapping[str, object]) -> None:
        """Merge attributes into the open function; ValueError for one that it has."""
        function = self._find(FunctionBuilder)
        if function is None:
            raise RuntimeError("add_function_attrs() outside a function")
        for name, value in attrs.items():
            if name in function.attrs:
                raise ValueError(f"function attribute '{name}' is set twice")
            function.attrs[name] = value

    def push_pending_leading_comments(self, comments: Sequence[str]) -> None:
        """Give the next statement comments."""
        self._comments.append(list(comments))

    def pop_pending_leading_comments(self) -> list[str]:
        """The comments that no statement took."""
        return self._comments.pop()

    def in_function(self) -> bool:
        """Whether a function is open."""
        return self._find(FunctionBuilder) is not None

    def in_loop(self) -> bool:
        """Whether a loop is open."""
        return self._find(ForLoopBuilder) is not None or self._find(WhileLoopBuilder) is not None

    def in_if(self) -> bool:
        """Whether a branch is open."""
        return self._find(IfStmtBuilder) is not None

    def get_function_return_types(self, handle: GlobalVar) -> list[Type]:
        """The return types of a function of the open program."""
        program = self._find(ProgramBuilder)
        return [] if program is None else program.return_types(handle)

    def _typed_call(self, call: Call, callee: GlobalVar) -> Call:
        """A call of a function of the open program, with the type that the function returns."""
        program = self._find(ProgramBuilder)
        types = () if program is None else tuple(program.return_types(callee))
        if not types:
            return call
        return call.replace(type=types[0] if len(types) == 1 else TupleType(types))

    def _find(self, kind: type[_C]) -> _C | None:
        return next((one for one in reversed(self.contexts) if isinstance(one, kind)), None)

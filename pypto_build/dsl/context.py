# SPDX-License-Identifier: Apache-2.0
"""What the front end knows while it reads one function body, and the statements it has made so far."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn, Protocol, cast

from pypto_build.dsl.diagnostics import ParserError, ParserSyntaxError, UnsupportedFeatureError
from pypto_build.dsl.scope import Binding, Scope
from pypto_build.dsl.source import SourceText
from pypto_build.errors import InternalError, Span
from pypto_build.ir import Expr, FunctionType, Level, SplitMode, Stmt, Type, Var, rebuilt, sequence

if TYPE_CHECKING:
    from pypto_build.dsl.callees import Callees
    from pypto_build.dsl.comments import Comments

ExpressionHandler = Callable[["Context", ast.expr], object]
StatementHandler = Callable[["Context", ast.stmt], None]
LOOPS = frozenset({"for", "parallel", "unroll", "pipeline", "while"})
YIELDING = LOOPS | {"if"}


@dataclass(slots=True)
class Block:
    """A block being read: its kind, and the names and types that its `pl.yield_` hands out."""

    kind: str
    stmts: list[Stmt] = field(default_factory=list)
    yield_names: tuple[str, ...] | None = None
    yield_types: tuple[Type, ...] = ()
    needs_names: bool = False
    split: SplitMode | None = None  # of a pl.split_aiv region


class Annotations(Protocol):
    """What reads type annotations."""

    def resolve(self, node: ast.expr) -> Type:
        """The type that an annotation says."""
        ...

    def base(self, name: str) -> Var | None:
        """The variable that memory references have used for a name before it was bound."""
        ...


@dataclass(frozen=True, slots=True)
class Handlers:
    """What handles each class of node: operations by dotted name, the other tables by ast class."""

    expressions: Mapping[type[ast.AST], ExpressionHandler]
    statements: Mapping[type[ast.AST], StatementHandler]
    resolve_operation: Callable[[tuple[str, ...]], Callable[..., object] | None]
    annotations: Callable[[Context], Annotations]


@dataclass(slots=True)
class Constants:
    """Names of a `@pl.jit` body that stand for Python values.

    `once` are the names that the body assigns exactly once: where the value is known, it is a constant, no variable.
    """

    once: frozenset[str]
    values: dict[str, object] = field(default_factory=dict[str, object])


@dataclass(slots=True)
class Facts:
    """What the decorator and the prologue say about the function being read."""

    name: str
    func_type: FunctionType = FunctionType.Opaque
    level: Level | None = None
    strict_ssa: bool = False
    auto_scope: bool = True
    self_name: str | None = None
    attrs: dict[str, object] = field(default_factory=dict)
    constants: Constants | None = None  # of a `@pl.jit` function


class Context:
    """The state of reading one function body."""

    def __init__(
        self,
        source: SourceText,
        closure: Mapping[str, object],
        *,
        handlers: Handlers,
        callees: Callees,
        facts: Facts,
        comments: Comments | None = None,
    ) -> None:
        self.source: SourceText = source
        self.closure: Mapping[str, object] = closure
        self.handlers: Handlers = handlers
        self.callees: Callees = callees
        self.facts: Facts = facts
        self.comments: Comments | None = comments
        self.scope = Scope(strict=facts.strict_ssa)
        self.blocks: list[Block] = [Block("function")]
        self.pending_comments: list[str] = []
        self.inline_depth = 0
        self.folded: ast.expr | None = None  # the last call that turned out to be a dimension that has a name
        self._annotations: Annotations | None = None
        self.inlined: dict[str, dict[str, Binding]] = {}  # variables that inlined functions have written, per function
        self.notes: dict[str, dict[object, object]] = {}  # what one concern remembers until the function ends

    # -- places and messages

    def span(self, node: ast.AST) -> Span:
        """The place of a node."""
        return self.source.span(node)

    def fail(
        self,
        kind: type[ParserError],
        message: str,
        node: ast.AST,
        *,
        hint: str | None = None,
        note: str | None = None,
    ) -> NoReturn:
        """Refuse a node."""
        raise kind(message, self.span(node), hint, note=note, source_lines=self.source.lines)

    # -- reading

    def value(self, node: ast.expr) -> object:
        """What an expression is: a Python value while it only depends on constants, an Expr otherwise."""
        handler = self.handlers.expressions.get(type(node))
        if handler is None:
            name = type(node).__name__
            self.fail(UnsupportedFeatureError, f"Unsupported expression type: {name}", node)
        return handler(self, node)

    def expr(self, node: ast.expr) -> Expr:
        """An expression as IR; Python values become constants."""
        from pypto_build.dsl.constants import to_expr  # constants reads values through this class

        return to_expr(self, self.value(node), node)

    @property
    def annotations(self) -> Annotations:
        """What reads annotations with the names of the current closure and scope."""
        if self._annotations is None:
            self._annotations = self.handlers.annotations(self)
        return self._annotations

    @contextmanager
    def elsewhere(self, source: SourceText, closure: Mapping[str, object], scope: Scope) -> Generator[None, None, None]:
        """Read code that was written in another place."""
        held = self.source, self.closure, self.scope, self._annotations, self.comments, self.pending_comments
        self.source, self.closure, self.scope, self._annotations = source, closure, scope, None
        self.comments, self.pending_comments = None, []
        try:
            yield
        finally:
            self.source, self.closure, self.scope, self._annotations, self.comments, self.pending_comments = held

    def operation(self, *path: str) -> Callable[..., Expr]:
        """The builder of an operation that the language itself needs."""
        found = self.handlers.resolve_operation(("pl", *path))
        if found is None:
            raise InternalError(f"operation pl.{'.'.join(path)} is missing")
        return cast("Callable[..., Expr]", found)

    def statement(self, node: ast.stmt) -> None:
        """Read one statement."""
        handler = self.handlers.statements.get(type(node))
        if handler is None:
            name = type(node).__name__
            self.fail(UnsupportedFeatureError, f"Unsupported statement type: {name}", node)
        handler(self, node)

    def statements(self, body: Iterable[ast.stmt], end_line: int) -> None:
        """Read the statements of a body; comments up to `end_line` belong to it."""
        listed = tuple(body)
        comments = self.comments
        if comments is None:
            for node in listed:
                self.statement(node)
            return
        for number, node in enumerate(listed):
            following = listed[number + 1].lineno if number + 1 < len(listed) else end_line
            comments.limit = following
            self.pending_comments.extend(comments.above(node))
            self.statement(node)
        comments.drop_tail(listed, end_line)

    @contextmanager
    def block(self, kind: str) -> Generator[Block, None, None]:
        """Collect the statements of a block."""
        made = Block(kind)
        held, self.pending_comments = self.pending_comments, []
        self.blocks.append(made)
        try:
            yield made
        finally:
            self.blocks.pop()
            self.pending_comments = held

    # -- writing

    def emit(self, stmt: Stmt) -> None:
        """Add a statement to the current block; comments that wait become its own."""
        if self.pending_comments:
            stmt = rebuilt(stmt, {"leading_comments": tuple(self.pending_comments)})
            self.pending_comments = []
        self.blocks[-1].stmts.append(stmt)

    def body(self, block: Block, span: Span) -> Stmt:
        """The statements of a finished block as one."""
        return sequence(block.stmts, span)

    # -- where we are

    def yielding_block(self, node: ast.expr | ast.stmt) -> Block:
        """The block that a `pl.yield_` here hands values out of."""
        for block in reversed(self.blocks):
            if block.kind in YIELDING:
                return block
        self.fail(ParserSyntaxError, "pl.yield_() outside a loop or branch", node, hint="A function hands out: return")

    def inside(self, *kinds: str) -> bool:
        """Whether a block of one of these kinds surrounds the current place."""
        return any(block.kind in kinds for block in self.blocks)

    @property
    def split_mode(self) -> SplitMode | None:
        """How the nearest surrounding `pl.split_aiv` region divides its work."""
        return next((block.split for block in reversed(self.blocks) if block.split is not None), None)

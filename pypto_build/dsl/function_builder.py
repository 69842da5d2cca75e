# SPDX-License-Identifier: Apache-2.0
"""One function: its signature from the annotations, its body from the statements."""

from __future__ import annotations

import ast
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from pypto_build.dsl.advice import advise
from pypto_build.dsl.annotations import AnnotationResolver
from pypto_build.dsl.callees import Callees, Signature
from pypto_build.dsl.comments import comments_of
from pypto_build.dsl.context import Constants, Context, Facts, Handlers
from pypto_build.dsl.diagnostics import ParserError, ParserSyntaxError, ParserTypeError
from pypto_build.dsl.expressions import EXPRESSIONS
from pypto_build.dsl.host_bodies import host_body
from pypto_build.dsl.jit.parameters import Parameter
from pypto_build.dsl.language.operations import resolve
from pypto_build.dsl.scope import Binding
from pypto_build.dsl.source import SourceText
from pypto_build.dsl.statements import STATEMENTS
from pypto_build.ir import (
    Function,
    FunctionType,
    InlineStmt,
    Level,
    ParamDirection,
    Role,
    Type,
    Var,
    frozen_map,
)
from pypto_build.ir.enums import DERIVED_LEVEL_AND_ROLE


def _annotations(context: Context) -> AnnotationResolver:
    return AnnotationResolver(
        context.closure,
        context.value,
        scope=context.scope.value,
        parse_expression=context.expr,
        span_of=context.span,
    )


HANDLERS = Handlers(EXPRESSIONS, STATEMENTS, resolve, _annotations)
_ANNOTATION_HINT = "Add a type annotation like: x: pl.Tensor[[64], pl.FP32]"


@dataclass(frozen=True, slots=True)
class FunctionOptions:
    """What `@pl.function(...)` was given."""

    func_type: FunctionType = FunctionType.Opaque
    level: Level | None = None
    role: Role | None = None
    attrs: Mapping[str, object] = field(default_factory=dict[str, object])
    auto_scope: bool = True
    strict_ssa: bool = False

    def effective_role(self) -> Role | None:
        """The role, derived from the type when not given."""
        return self.role or DERIVED_LEVEL_AND_ROLE[self.func_type][1]


class FunctionReader:
    """Reads one function: `signature` first, `finish` when the bodies are read.

    parameters and constants are given for a function that is specialized: its types are known before it is read.
    """

    def __init__(
        self,
        source: SourceText,
        node: ast.FunctionDef,
        *,
        closure: Mapping[str, object],
        options: FunctionOptions,
        callees: Callees,
        method: bool,
        parameters: Mapping[str, Parameter] | None = None,
        constants: Constants | None = None,
    ) -> None:
        self.node = node
        self.options = options
        self._known = parameters or {}
        facts = Facts(
            node.name,
            options.func_type,
            options.level,
            options.strict_ssa,
            options.auto_scope,
            attrs=dict(options.attrs),
            constants=constants,
        )
        self._arguments = _arguments(node, facts, method=method)
        self._context = Context(source, closure, handlers=HANDLERS, callees=callees, facts=facts)
        self._params: tuple[Var, ...] = ()
        self._directions: tuple[ParamDirection, ...] = ()

    def signature(self) -> Signature:
        """Read the parameters and the result types."""
        with self._reporting():
            return self._read_signature()

    def _read_signature(self) -> Signature:
        params: list[Var] = []
        directions: list[ParamDirection] = []
        context = self._context
        if not self._known:
            _check_plain(context, self.node.args)
        for argument in self._arguments:
            known = self._known.get(argument.arg)
            kind, direction = self._annotated(argument) if known is None else (known.type, known.direction)
            span = context.span(argument)
            var = Var(argument.arg, kind, span)
            if known is None or known.value is None:
                context.scope.define(argument.arg, Binding(var, span))
            params.append(var)
            directions.append(direction)
        self._params, self._directions = tuple(params), tuple(directions)
        return Signature(
            self.node.name,
            self._params,
            self._directions,
            self._return_types(),
            self.options.func_type,
            self.options.effective_role(),
        )

    def _annotated(self, argument: ast.arg) -> tuple[Type, ParamDirection]:
        context = self._context
        if argument.annotation is None:
            message = f"Parameter '{argument.arg}' is missing type annotation"
            context.fail(ParserTypeError, message, argument, hint=_ANNOTATION_HINT)
        if _is_tuple(argument.annotation):
            context.fail(ParserTypeError, f"Parameter '{argument.arg}' cannot be a tuple", argument.annotation)
        return self.resolver().resolve_param(argument.annotation)

    def resolver(self) -> AnnotationResolver:
        """What reads the annotations."""
        resolver = self._context.annotations
        assert isinstance(resolver, AnnotationResolver)  # made by _annotations
        return resolver

    def _return_types(self) -> tuple[Type, ...]:
        return self.resolver().resolve_return(self.node.returns) if self.node.returns is not None else ()

    def finish(self, signature: Signature) -> Function:
        """Read the body."""
        with self._reporting():
            return self._read_body(signature)

    def _read_body(self, signature: Signature) -> Function:
        context, node, options = self._context, self.node, self.options
        verbatim = host_body(context, node, level=options.level, role=options.effective_role())
        if verbatim is None:
            context.comments = comments_of(context.source, node)
            end = context.comments.end_line if context.comments else 0
            context.statements(node.body, end)
            body = context.body(context.blocks[0], context.span(node))
        else:
            body = verbatim
        return Function(
            node.name,
            self._params,
            self._directions,
            signature.return_types,
            body,
            context.span(node),
            options.func_type,
            options.level,
            options.role,
            frozen_map(context.facts.attrs),
            verbatim is not None and not isinstance(verbatim, InlineStmt),
        )

    @contextmanager
    def _reporting(self) -> Generator[None, None, None]:
        """Give an error the text of the source, and a help line to one that has none."""
        try:
            yield
        except ParserError as error:
            if error.source_lines is None:
                error.source_lines = self._context.source.lines
            advise(error)
            raise


def _is_tuple(annotation: ast.expr) -> bool:
    """Whether an annotation is `tuple[...]`, which names several values and not one."""
    base = annotation.value if isinstance(annotation, ast.Subscript) else None
    return isinstance(base, ast.Name) and base.id == "tuple"


def _check_plain(context: Context, arguments: ast.arguments) -> None:
    """Refuse parameters that callers could leave out, give by name only, or give any number of."""
    variable = (arguments.vararg, *arguments.kwonlyargs, arguments.kwarg)
    for argument in variable:
        if argument is not None:
            message = f"Parameter '{argument.arg}' has no position of its own"
            context.fail(
                ParserSyntaxError, message, argument, hint="A kernel has a fixed list of positional parameters"
            )
    for default in arguments.defaults:
        message = "A parameter of a kernel has no default value"
        context.fail(ParserSyntaxError, message, default, hint="Pass the value, or name a constant of the module")


def _arguments(node: ast.FunctionDef, facts: Facts, *, method: bool) -> list[ast.arg]:
    """The parameters of the IR function; `self` is the program."""
    arguments = [*node.args.posonlyargs, *node.args.args]
    if not method:
        return arguments
    facts.self_name = "self"  # a worker does not take it, and calls through it all the same
    takes_self = bool(arguments) and arguments[0].annotation is None and arguments[0].arg == "self"
    return arguments[1:] if takes_self else arguments

# SPDX-License-Identifier: Apache-2.0
"""Parts of the front end under their public names: the evaluator of closure expressions and the reader of types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from pypto_build.dsl.annotations import AnnotationResolver
from pypto_build.dsl.annotations_names import no_scope
from pypto_build.dsl.annotations_view import read_dtype, read_shape
from pypto_build.dsl.constants import SAFE_BUILTINS
from pypto_build.dsl.declared import declared_type
from pypto_build.dsl.diagnostics import ParserTypeError
from pypto_build.ir import DataType, Expr, MemRef, Type, dims


class ExprEvaluator:
    """Computes expressions of closure names."""

    def __init__(self, closure_vars: Mapping[str, object], span_tracker: Any = None) -> None:
        self.closure_vars = dict(closure_vars)
        self._span_tracker = span_tracker

    def eval_expr(self, node: ast.expr) -> Any:
        """The value of an expression; ParserTypeError when it has none."""
        text = ast.unparse(node)
        allowed = {**SAFE_BUILTINS, **self.closure_vars}
        try:
            return eval(text, {"__builtins__": {}}, allowed)
        except NameError as error:
            raise ParserTypeError(f"Cannot resolve expression '{text}': {error}") from error
        except Exception as error:  # whatever the user's expression raises is the user's mistake
            raise ParserTypeError(f"Failed to evaluate expression '{text}': {error}") from error

    def try_eval_expr(self, node: ast.expr) -> tuple[bool, Any]:
        """Whether an expression has a value, and the value."""
        try:
            return True, self.eval_expr(node)
        except ParserTypeError:
            return False, None


class TypeResolver:
    """Reads type annotations."""

    def __init__(
        self,
        expr_evaluator: ExprEvaluator,
        scope_lookup: Callable[[str], Any] | None = None,
        parse_expression: Callable[[ast.expr], Expr] | None = None,
        **_unused: object,
    ) -> None:
        self._resolver = AnnotationResolver(
            expr_evaluator.closure_vars,
            expr_evaluator.eval_expr,
            scope=scope_lookup or no_scope,
            parse_expression=parse_expression,
        )

    def resolve_type(self, node: ast.expr) -> Any:
        """The type of an annotation; a list for `tuple[...]`."""
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "tuple":
            return list(self._resolver.resolve_return(node))
        return self._resolver.resolve(node)

    def resolve_dtype(self, node: ast.expr) -> DataType:
        """The element type that a node names."""
        return read_dtype(self._resolver.names, node)

    def resolve_memref(self, node: ast.expr) -> MemRef:
        """The memory reference that a node spells."""
        return self._resolver.memrefs.read(node)

    def validate_annotation_consistency(self, annotated: Type, inferred: Type, name: str, node: Any) -> None:
        """ParserTypeError when an annotation contradicts the type of the value."""

        def refuse(message: str) -> None:
            raise self._resolver.names.error(message, node)

        declared_type(annotated, inferred, name=name, refuse=refuse)

    def _parse_shape(self, node: ast.expr) -> list[Expr | int]:
        return read_shape(self._resolver.names, node)

    def _to_ir_shape(self, shape: list[Expr | int]) -> list[Any]:
        return shape if all(isinstance(one, int) for one in shape) else list(dims(shape))

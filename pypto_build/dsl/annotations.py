# SPDX-License-Identifier: Apache-2.0
"""Annotations of the language read as types: `pl.Tensor[[64, N], pl.FP32]`, `pl.Out[...]`, `pl.Tile[..., pl.Mem.Vec]`.

An annotation is read from its syntax tree; a name that holds an annotation object is read from the object.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Final

from pypto_build.dsl.annotations_memref import MemRefReader
from pypto_build.dsl.annotations_names import MISSING, Names, as_expr, no_place, no_scope, terminal_name
from pypto_build.dsl.annotations_values import KINDS, Extra, ValueReader, handle, make_tensor
from pypto_build.dsl.annotations_view import read_dtype, read_layout, read_shape, read_tensor_view, read_tile_view
from pypto_build.dsl.language import values
from pypto_build.dsl.type_rules import array_type
from pypto_build.errors import Span
from pypto_build.ir import (
    DataType,
    Expr,
    MemorySpace,
    ParamDirection,
    ScalarType,
    TensorLayout,
    TensorView,
    TileView,
    TupleType,
    Type,
    Var,
    implicit_tile_view,
    scalar_type,
)

_DIRECTIONS: Final = {"Out": ParamDirection.Out, "InOut": ParamDirection.InOut}
_TUPLES: Final = ("Tuple", "tuple")


class AnnotationResolver:
    """Reads the annotations of one function.

    closure holds the Python names around the function, `evaluate` computes expressions of them (and raises a
    ParserError when it cannot), `scope` finds kernel variables, `parse_expression` reads kernel expressions.
    """

    def __init__(
        self,
        closure: Mapping[str, object],
        evaluate: Callable[[ast.expr], object],
        *,
        scope: Callable[[str], Expr | None] = no_scope,
        parse_expression: Callable[[ast.expr], Expr] | None = None,
        span_of: Callable[[ast.AST], Span] = no_place,
    ) -> None:
        self.names = Names(closure, evaluate, scope, parse_expression, span_of)
        self.memrefs = MemRefReader(self.names)
        self._values = ValueReader(self.names, self.memrefs)

    def base(self, name: str) -> Var | None:
        """The Var that references to an allocation have used for this name before the name was bound, or None."""
        return self.memrefs.base(name)

    def resolve(self, node: ast.expr) -> Type:
        """The type that an annotation names.

        Raises:
            ParserTypeError: the annotation is wrong; the place is that of the part at fault.
        """
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.resolve(self._quoted(node))
        try:
            if isinstance(node, ast.Subscript):
                return self._kind(terminal_name(node.value), _elements(node.slice), node)
            if isinstance(node, ast.Call):
                arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
                return self._kind(terminal_name(node.func), arguments, node)
            return self._named(node)
        except ValueError as error:
            raise self.names.error(str(error), node) from error

    def resolve_param(self, node: ast.expr) -> tuple[Type, ParamDirection]:
        """The type and direction of a parameter."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.resolve_param(self._quoted(node))
        direction, inner = self.split_direction(node)
        held = self.names.value(node) if isinstance(node, ast.Name | ast.Attribute) else None
        if isinstance(held, values.Out | values.InOut):
            direction = _DIRECTIONS[type(held).__name__]
            kind = self.resolve_value(held.arguments[0], node)
        else:
            kind = self.resolve(inner)
        if direction is ParamDirection.InOut and isinstance(kind, ScalarType):
            raise self.names.error(
                "Scalar parameters cannot be InOut", node, "A scalar is passed by value: return the new value instead"
            )
        return kind, direction

    def split_direction(self, node: ast.expr) -> tuple[ParamDirection, ast.expr]:
        """`pl.Out[T]` as a direction and T."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.split_direction(self._quoted(node))
        if isinstance(node, ast.Subscript) and terminal_name(node.value) in _DIRECTIONS:
            return _DIRECTIONS[terminal_name(node.value)], node.slice
        return ParamDirection.In, node

    def resolve_return(self, node: ast.expr | None) -> tuple[Type, ...]:
        """The result types of a return annotation; `tuple[A, B]` gives two, `pl.Tuple[A, B]` one."""
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return ()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.resolve_return(self._quoted(node))
        if isinstance(node, ast.Subscript) and terminal_name(node.value) == "tuple":
            return self._tuple(_elements(node.slice)).types
        return (self.resolve(node),)

    def resolve_value(self, value: object, node: ast.AST | None = None) -> Type:
        """The type that an annotation object stands for."""
        return self._values.read(value, node)

    def _quoted(self, node: ast.Constant) -> ast.expr:
        try:
            inner = ast.parse(str(node.value), mode="eval").body
        except SyntaxError:
            raise self.names.error(f"Not a type annotation: {node.value!r}", node, KINDS) from None
        return ast.copy_location(inner, node)

    def _named(self, node: ast.expr) -> Type:
        name = terminal_name(node)
        if name == "TaskId":
            return scalar_type(DataType.TASK_ID)
        known = handle(name)
        held = self.names.value(node) if name else MISSING
        if known is not None and (held is MISSING or isinstance(held, type)):
            return known
        if held is not MISSING and not is_bare_class(held):
            return self.resolve_value(held, node)
        if name in ("Tensor", "Tile", "Scalar", "Array", "DistributedTensor", *_TUPLES, *_DIRECTIONS):
            raise self.names.error(f"{name} requires arguments in brackets", node, KINDS)
        raise self.names.error(f"Unknown type annotation: {ast.unparse(node)}", node, KINDS)

    def _kind(self, name: str, arguments: list[ast.expr], node: ast.expr) -> Type:
        if name in ("Tensor", "DistributedTensor"):
            return self._tensor(name, arguments, node)
        if name == "Tile":
            return self._tile(arguments, node)
        if name == "Scalar":
            self._count("Scalar", arguments, 1, wanted="[dtype]", node=node)
            return scalar_type(read_dtype(self.names, arguments[0]))
        if name == "Array":
            self._count("Array", arguments, 2, wanted="[extent, dtype]", node=node)
            extent = as_expr(self.names.index(arguments[0], "Array extent"), self.names.span_of(arguments[0]))
            return array_type(read_dtype(self.names, arguments[1]), extent)
        if name in _TUPLES:
            return self._tuple(arguments)
        if name in _DIRECTIONS:
            raise self.names.error(f"pl.{name}[...] is for parameters", node, "Remove it here")
        raise self.names.error(f"Unknown type annotation: {ast.unparse(node)}", node, KINDS)

    def _count(self, name: str, arguments: list[ast.expr], least: int, *, wanted: str, node: ast.expr) -> None:
        if len(arguments) < least or (least == 1 and len(arguments) > 1):
            raise self.names.error(f"{name} requires {wanted}, got {ast.unparse(node)}", node)

    def _tuple(self, arguments: list[ast.expr]) -> TupleType:
        for argument in arguments:
            if isinstance(argument, ast.Subscript) and terminal_name(argument.value) in _TUPLES:
                raise self.names.error("Nested tuple types are not supported", argument)
        return TupleType(tuple(self.resolve(argument) for argument in arguments))

    def _tensor(self, name: str, arguments: list[ast.expr], node: ast.expr) -> Type:
        self._count(name, arguments, 2, wanted="[shape, dtype]", node=node)
        shape = self._dims(arguments[0])
        dtype = read_dtype(self.names, arguments[1])
        extras = [self._tensor_extra(extra) for extra in arguments[2:] if not _is_marker(extra)]
        return make_tensor(name, shape, dtype, extras=extras)

    def _dims(self, node: ast.expr) -> tuple[Expr, ...]:
        span = self.names.span_of(node)
        return tuple(as_expr(extent, span) for extent in read_shape(self.names, node))

    def _tensor_extra(self, node: ast.expr) -> Extra:
        if self.memrefs.is_memref(node):
            return self.memrefs.read(node)
        if isinstance(node, ast.Call) and terminal_name(node.func) == "TensorView":
            return read_tensor_view(self.names, node)
        if self.names.member(TensorLayout, node) is None:
            held = self.names.value(node)
            if isinstance(held, TensorView):
                return held.replace()
        layout = read_layout(self.names, node, in_view=False)
        if layout is TensorLayout.DN:
            raise self.names.error(
                f"pl.Tensor[..., {ast.unparse(node)}] is not supported",
                node,
                "Write the row-major shape and use pl.transpose, or pl.TensorView(stride=..., layout=pl.DN)",
            )
        return layout

    def _tile(self, arguments: list[ast.expr], node: ast.expr) -> Type:
        self._count("Tile", arguments, 2, wanted="[shape, dtype]", node=node)
        shape = self._dims(arguments[0])
        dtype = read_dtype(self.names, arguments[1])
        spaces = [self.names.member(MemorySpace, extra) for extra in arguments[2:]]
        implied = implicit_tile_view(shape, next((space for space in spaces if space is not None), None))
        extras = [self._tile_extra(extra, implied) for extra in arguments[2:]]
        return self._values.make_tile(shape, dtype, extras=extras, node=node)

    def _tile_extra(self, node: ast.expr, implied: TileView) -> Extra:
        if self.memrefs.is_memref(node):
            return self.memrefs.read(node)
        if isinstance(node, ast.Call) and terminal_name(node.func) == "TileView":
            return read_tile_view(self.names, node, implied)
        space = self.names.member(MemorySpace, node)
        if space is not None:
            return space
        held = self.names.value(node)
        if isinstance(held, TileView):
            return held.replace()
        if self.names.member(TensorLayout, node) is not None:
            raise self.names.error(
                f"Tile does not accept layouts like {ast.unparse(node)}", node, "Use pl.TileView(blayout=, slayout=)"
            )
        raise self.names.error(
            f"Unknown Tile argument: {ast.unparse(node)}",
            node,
            "After the dtype come a pl.MemRef, a memory space such as pl.Mem.Vec, and a pl.TileView",
        )


def _elements(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]


def _is_marker(node: ast.expr) -> bool:
    """A string after the dtype is a remark of an IR dump."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_bare_class(value: object) -> bool:
    """Whether a value is a class that means something only with brackets."""
    return isinstance(value, type) and issubclass(value, values.Value) and not issubclass(value, values.Handle)

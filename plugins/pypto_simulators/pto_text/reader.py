# SPDX-License-Identifier: Apache-2.0
"""Reading a module of PTO assembly; what is read is well-formed: names are defined once and used with their types.

Source: the text forms that ptoas reads. A name is visible from its definition to the end of its region.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pypto_build.errors import Span
from pypto_simulators.pto_text.cursor import Cursor
from pypto_simulators.pto_text.lexer import Kind, Source, Token
from pypto_simulators.pto_text.module import Kernel, Module, Operation, Region, Value
from pypto_simulators.pto_text.type_reader import read_attributes, read_type
from pypto_simulators.pto_text.types import Type

_BODY: Final = "the body of a kernel"


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of an operation: its name, where it stands, and the names of its results."""

    name: str
    span: Span
    results: tuple[Token, ...]


def read_module(name: str, text: str) -> Module:
    """The module in a text; `name` is what messages call it.

    Raises:
        UserError: the text cannot be read, at the line and column that the error has.
    """
    return Reader(Source(name, text)).module()


class Reader:
    """A text being read, and the names that are visible."""

    def __init__(self, source: Source) -> None:
        self.cursor = Cursor(source)
        self._scopes: list[dict[str, Value]] = []

    # -- modules and kernels ---------------------------------------------------------------------------------------

    def module(self) -> Module:
        """`module attributes {...} { kernels }`."""
        cursor = self.cursor
        cursor.expect("module")
        attributes = read_attributes(cursor) if cursor.accept("attributes") else {}
        cursor.expect("{")
        kernels: list[Kernel] = []
        while not cursor.accept("}"):
            kernels.extend(self._function())
        cursor.expect_kind(Kind.END, "the end of the text")
        return Module(str(attributes.get("pto.target_arch", "")), tuple(kernels))

    def _function(self) -> tuple[Kernel, ...]:
        """A kernel; nothing for the declaration of a function that is defined elsewhere."""
        cursor = self.cursor
        start = cursor.expect("func.func")
        if cursor.accept("private"):
            self._skip_declaration()
            return ()
        name = cursor.expect_kind(Kind.SYMBOL, "the name of a kernel").text[1:]
        self._scopes.append({})
        parameters = self._parameters()
        attributes = read_attributes(cursor) if cursor.accept("attributes") else {}
        kind = str(attributes.get("pto.kernel_kind", ""))
        body = self.region()
        self._scopes.pop()
        if not body.operations or body.operations[-1].name != "return":
            raise cursor.error(f"{_BODY} ends with return", start)
        return (Kernel(name, kind, Region(parameters, body.operations), cursor.span(start)),)

    def _skip_declaration(self) -> None:
        self.cursor.expect_kind(Kind.SYMBOL, "the name of a function")
        while not self.cursor.begins_line():
            self.cursor.take()

    def _parameters(self) -> tuple[Value, ...]:
        cursor = self.cursor
        cursor.expect("(")
        found: list[Value] = []
        while not cursor.accept(")"):
            token = cursor.expect_kind(Kind.VALUE, "a parameter")
            cursor.expect(":")
            found.append(self.define(token, read_type(cursor)))
            if not cursor.at(")"):
                cursor.expect(",")
        return tuple(found)

    # -- regions and operations ------------------------------------------------------------------------------------

    def region(self, arguments: Sequence[tuple[Token, Type]] = ()) -> Region:
        """`{ operations }`; the arguments are visible inside, those of a label at the beginning as well."""
        cursor = self.cursor
        cursor.expect("{")
        self._scopes.append({})
        values = [self.define(token, kind) for token, kind in arguments]
        if cursor.token.kind is Kind.LABEL:
            values += self._label()
        operations: list[Operation] = []
        while not cursor.accept("}"):
            operations.append(self._operation())
        self._scopes.pop()
        return Region(tuple(values), tuple(operations))

    def _label(self) -> tuple[Value, ...]:
        self.cursor.take()
        parameters = self._parameters() if self.cursor.at("(") else ()
        self.cursor.expect(":")
        return parameters

    def _operation(self) -> Operation:
        from pypto_simulators.pto_text.forms import form_of

        cursor, results = self.cursor, self._result_names()
        token = cursor.take()
        name = token.text[1:-1] if token.kind is Kind.STRING else token.text
        form = form_of(name, generic=token.kind is Kind.STRING)
        if form is None or token.kind not in (Kind.WORD, Kind.STRING):
            raise cursor.error(f"there is no operation {token.text}", token)
        operation = form(self, Head(name, cursor.span(token), results))
        if len(operation.results) != len(results):
            raise cursor.error(f"{name} has {len(operation.results)} results, but {len(results)} are named", token)
        return self._located(operation)

    def _result_names(self) -> tuple[Token, ...]:
        cursor = self.cursor
        if cursor.token.kind is not Kind.VALUE:
            return ()
        found = [cursor.take()]
        while cursor.accept(","):
            found.append(cursor.expect_kind(Kind.VALUE, "the name of a result"))
        cursor.expect("=")
        return tuple(found)

    def _located(self, operation: Operation) -> Operation:
        """`loc("file":line:column)` behind an operation says which line of the source it comes from."""
        cursor = self.cursor
        if not cursor.accept("loc"):
            return operation
        cursor.expect("(")
        file = cursor.string()
        cursor.expect(":")
        line = cursor.integer("a line")
        cursor.expect(":")
        column = cursor.integer("a column")
        cursor.expect(")")
        return operation.at(Span(file, line, column))

    # -- values ----------------------------------------------------------------------------------------------------

    def define(self, token: Token, kind: Type) -> Value:
        """Make a name visible."""
        if self._visible(token.text) is not None:
            raise self.cursor.error(f"{token.text} is defined twice", token)
        value = Value(token.text, kind)
        self._scopes[-1][token.text] = value
        return value

    def results(self, head: Head, *kinds: Type) -> tuple[Value, ...]:
        """Define the results of an operation, as far as they are named."""
        return tuple(self.define(token, kind) for token, kind in zip(head.results, kinds, strict=False))

    def _visible(self, name: str) -> Value | None:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def use(self) -> Value:
        """Read the name of a value that is defined."""
        token = self.cursor.expect_kind(Kind.VALUE, "a value")
        value = self._visible(token.text)
        if value is None:
            raise self.cursor.error(f"{token.text} is used before it is defined", token)
        return value

    def uses(self) -> tuple[Value, ...]:
        """Read values with commas between them; there may be none."""
        if self.cursor.token.kind is not Kind.VALUE:
            return ()
        found = [self.use()]
        while self.cursor.accept(","):
            found.append(self.use())
        return tuple(found)

    def typed(self, *values: Value) -> None:
        """Read the types of values, with commas between them."""
        for index, value in enumerate(values):
            if index:
                self.cursor.expect(",")
            token, kind = self.cursor.token, read_type(self.cursor)
            if kind != value.type:
                raise self.cursor.error(f"{value.name} is used as {kind}, but it is {value.type}", token)

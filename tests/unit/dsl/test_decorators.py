# SPDX-License-Identifier: Apache-2.0
"""What decorators are put on and what they are given: what is of a wrong kind is refused at the decorator."""

from __future__ import annotations

import pytest

from pypto_build.dsl.diagnostics import ParserSyntaxError
from pypto_build.dsl.text import parse

BODY = "def f(n: pl.Scalar[pl.INT64]):\n    return n\n"


def refused(text: str) -> ParserSyntaxError:
    """The refusal of a text, which has a place and a help line."""
    with pytest.raises(ParserSyntaxError) as caught:
        parse(text, filename="kernel.py")
    assert caught.value.span.filename == "kernel.py"
    assert caught.value.help
    return caught.value


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("type='InCore'", "type= of the decorator takes pl.FunctionType.<kind>, got 'InCore'"),
        ("level=2", "level= of the decorator takes pl.Level.<level>, got 2"),
        ("role=''", "role= of the decorator takes pl.Role.<role>, got ''"),
        ("auto_scope=None", "auto_scope= of the decorator takes True or False, got None"),
        ("strict_ssa=1", "strict_ssa= of the decorator takes True or False, got 1"),
        ("external_source=3", "external_source= of the decorator takes a path, got 3"),
    ],
)
def test_an_option_of_a_wrong_kind_is_refused_at_the_decorator(option: str, message: str) -> None:
    error = refused(f"\n@pl.function({option})\n{BODY}")
    assert (error.message, error.span.begin_line, error.span.begin_column) == (message, 2, 2)


def test_an_option_of_a_program_is_checked_too() -> None:
    text = "@pl.program(strict_ssa=[])\nclass P:\n    @pl.function\n    def f(self): ...\n"
    assert refused(text).message == "strict_ssa= of the decorator takes True or False, got []"


@pytest.mark.parametrize("decorator", ["function", "inline"])
def test_what_is_no_function_is_refused_where_it_is_decorated(decorator: str) -> None:
    error = refused(f"x = 1\npl.{decorator}({{}})\n")
    assert error.message == f"@pl.{decorator} decorates a function, got {{}}"
    assert error.span.begin_line == 2


def test_what_is_no_class_is_refused_where_it_is_decorated() -> None:
    assert refused("pl.program([])\n").message == "@pl.program decorates a class, got []"


@pytest.mark.parametrize(
    "text", [f"@pl.function\nasync {BODY}", "@pl.program\nclass P:\n    @pl.function\n    async def f(self): ...\n"]
)
def test_an_async_function_is_refused_not_left_out(text: str) -> None:
    assert refused(text).message == "@pl.function does not take an async function: 'f'"


@pytest.mark.parametrize("attrs", ["10", "[]", "''"])
def test_attributes_are_a_dict(attrs: str) -> None:
    error = refused(f"@pl.function(attrs={attrs})\n{BODY}")
    assert (error.message, error.span.begin_line) == ("Function attrs= must be a dict", 1)

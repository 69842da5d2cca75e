# SPDX-License-Identifier: Apache-2.0
"""Text turned into IR, and the places and messages of what is wrong with it."""

import pytest

import pypto_build.dsl.language as pl
from pypto_build.dsl.diagnostics import (
    InvalidOperationError,
    ParserError,
    ParserSyntaxError,
    UndefinedVariableError,
    UnsupportedFeatureError,
)
from pypto_build.dsl.text import loads, parse, parse_program
from pypto_build.errors import render
from pypto_build.ir import Function, Program

FUNCTION = """
import pypto.language as pl

@pl.function
def same(x: pl.Tensor[[N, 4], pl.FP32]) -> pl.Tensor[[N, 4], pl.FP32]:
    return x
"""


def test_text_needs_no_import_and_names_in_shapes_are_dynamic_dimensions():
    function = parse(FUNCTION)
    assert isinstance(function, Function)
    assert function.params[0].type.shape[0].name_hint == "N"
    assert function.return_types[0].shape[0] is function.params[0].type.shape[0]


def test_one_dynamic_name_is_one_variable_for_all_functions_of_a_text():
    program = parse(
        "@pl.program\nclass P:\n"
        "    @pl.function\n    def a(self, x: pl.Tensor[[N], pl.FP32]):\n        return x\n"
        "    @pl.function\n    def b(self, x: pl.Tensor[[N], pl.FP32]):\n        return x\n"
    )
    first, second = (function.params[0].type.shape[0] for function in program.functions.values())
    assert first is second


def test_text_without_a_definition_is_refused():
    with pytest.raises(ValueError, match=r"No @pl\.function or @pl\.program found"):
        parse("x = 42\n")


def test_text_with_two_definitions_is_refused():
    with pytest.raises(ValueError, match="Multiple functions/programs found"):
        parse(FUNCTION + FUNCTION.replace("same", "other"))


def test_text_that_is_not_python_is_a_syntax_error_of_its_file():
    with pytest.raises(SyntaxError, match=r"Failed to compile code from kernel\.py"):
        parse("@pl.function\ndef f(x:\n", filename="kernel.py")


def test_a_function_where_a_program_is_wanted_is_refused():
    with pytest.raises(ValueError, match=r"Expected @pl\.program but found @pl\.function"):
        parse_program(FUNCTION)


def test_a_file_is_read_with_its_own_name(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(FUNCTION, encoding="utf-8")
    assert loads(path).span.filename == str(path)


def test_what_goes_wrong_while_the_text_runs_is_said_at_its_line():
    with pytest.raises(ParserSyntaxError, match="ZeroDivisionError") as caught:
        parse("\n\nx = 1 // 0\n", filename="kernel.py")
    assert caught.value.span["filename"] == "kernel.py"
    assert caught.value.span["line"] == 3


def test_a_source_map_moves_every_place_to_where_the_text_came_from():
    text = "@pl.function\ndef f(n: pl.Scalar[pl.INT64]):\n    m = n + 1\n    return m\n"
    function = parse(text, source_map={3: ("kernel.py", 12, 5)})
    assert str(function.body.stmts[0].span) == "kernel.py:12:5"


def test_columns_count_characters_not_bytes():
    text = "@pl.function\ndef f(n: pl.Scalar[pl.INT64]):\n    déjà_vu = n; é = déjà_vu + n\n    return é\n"
    function = parse(text)
    second = function.body.stmts[1]
    assert text.splitlines()[2][second.span.begin_column - 1 :].startswith("é = ")


UNSUPPORTED = [
    ("m = n if n > 0 else 1", UnsupportedFeatureError, "Unsupported expression type: IfExp"),
    ("m = [n for i in (1, 2)]", UnsupportedFeatureError, "Unsupported expression type: ListComp"),
    ("m = n @ n", UnsupportedFeatureError, "Unsupported binary operator: MatMult"),
    ("m = n < 3 < 4", ParserSyntaxError, "Only simple comparisons supported"),
    ("m = min(n, 3)", UnsupportedFeatureError, r"Unsupported function call: min\(n, 3\)"),
    ("m = n.foo", UnsupportedFeatureError, r"Standalone attribute access not supported: n\.foo"),
    ("m = 'text'", ParserError, "Unsupported constant type: <class 'str'>"),
    ("n += 1", UnsupportedFeatureError, "Unsupported statement type: AugAssign"),
    ("m = n * 1.5", ParserSyntaxError, "requires same numeric dtype category, got int64 and fp32"),
    ("m = nothing", UndefinedVariableError, "Undefined variable 'nothing'"),
    ("m = pl.nothing(n)", InvalidOperationError, r"Unknown operation 'pl\.nothing'"),
    ("m: pl.Scalar[pl.FP32] = n", ParserError, "Type annotation for 'm' has dtype fp32"),
    ("with open('x'):\n        pass", UnsupportedFeatureError, "Unsupported context manager"),
    ("m = pl.yield_(n) + 1", ParserSyntaxError, "must be a statement of its own"),
]


@pytest.mark.parametrize(("statement", "kind", "message"), UNSUPPORTED)
def test_python_that_is_not_the_language_is_named(statement, kind, message):
    with pytest.raises(kind, match=message):
        parse(f"@pl.function\ndef f(n: pl.Scalar[pl.INT64]):\n    {statement}\n")


def test_an_error_is_shown_with_its_line_and_a_caret():
    with pytest.raises(ParserError) as caught:
        parse("@pl.function\ndef f(n: pl.Scalar[pl.INT64]):\n    m = nothing\n", filename="kernel.py")
    shown = render(caught.value).splitlines()
    assert shown[0] == "kernel.py:3:9: error[E200]: Undefined variable 'nothing'"
    assert shown[1].endswith("|     m = nothing")
    assert shown[2].endswith("        ^^^^^^^")


def test_the_decorators_can_be_imported_by_the_name_of_the_language():
    assert isinstance(pl.parse("@pl.program\nclass P:\n    @pl.function\n    def f(self): ...\n"), Program)


def test_a_bug_of_ours_is_not_called_a_mistake_of_the_text(monkeypatch):
    monkeypatch.setattr("pypto_build.dsl.decorators.find_function", lambda _function: (None, None))
    with pytest.raises(AttributeError):
        parse(FUNCTION)


def test_a_long_expression_needs_no_deep_stack_of_the_caller():
    terms = " + ".join(["n"] * 3000)
    function = parse(f"@pl.function\ndef f(n: pl.Scalar[pl.INDEX]):\n    return {terms}\n")
    assert str(function).count(" + n") == 2999

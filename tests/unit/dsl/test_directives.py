# SPDX-License-Identifier: Apache-2.0
"""What is done while a source is read: printing, asserting, folding constants; and attributes of functions."""
# kernels are read, never run: their names and forms are the subject

import pytest

import pypto_build.dsl.language as pl
from pypto_build.dsl.diagnostics import ParserError, ParserSyntaxError, UnsupportedFeatureError
from pypto_build.dsl.text import parse
from pypto_build.ir import Add, Cast, ConstBool, ConstFloat, ConstInt, DataType, Lt, Max, ReturnStmt

HEAD = "@pl.function\ndef f(n: pl.Scalar[pl.INT64], m: pl.Scalar[pl.INT32]):\n"


def _value(expression):
    return parse(f"{HEAD}    return {expression}\n").body.value[0]


def test_static_print_says_what_a_value_is_and_leaves_no_trace(capsys):
    function = parse(f'{HEAD}    pl.static_print("n:", n, f"twice {{m}}")\n    return n\n', filename="k.py")
    assert capsys.readouterr().out == (
        "static_print [k.py:3]: n: n: pl.Scalar[pl.INT64] twice m: pl.Scalar[pl.INT32]\n"
    )
    assert isinstance(function.body, ReturnStmt)


def test_static_assert_holds_conditions_of_constants():
    width = 64

    @pl.function
    def fine(n: pl.Scalar[pl.INT64]):
        pl.static_assert(width > 32 and not (width < 64 or width == 65), "too narrow")
        return n

    assert isinstance(fine.body, ReturnStmt)


def test_static_assert_compares_values_that_are_no_numbers():
    @pl.function
    def kernel(n: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]:
        pl.static_assert(pl.FP16 != pl.FP32 and pl.Mem.Vec != pl.Mem.Mat, "they differ")
        return n

    assert isinstance(kernel.body, ReturnStmt)


@pytest.mark.parametrize(
    ("statement", "kind", "message"),
    [
        ("pl.static_assert(False, 'because')", ParserError, "static_assert failed: because"),
        ("pl.static_assert(n)", ParserError, "compile-time evaluable"),
        ("pl.static_assert()", ParserSyntaxError, "1 or 2 arguments"),
        ("pl.static_print()", ParserSyntaxError, "at least 1 argument"),
        ("pl.static_print(f'{n!r}')", UnsupportedFeatureError, "conversion"),
        ("pl.static_print(f'{n:3}')", UnsupportedFeatureError, "format spec"),
        ("k = n\n    pl.func_attr({'a': 1})", ParserSyntaxError, "before every other statement"),
        ("pl.func_attr({'a': 1, 'a': 2})", ParserSyntaxError, "Duplicate function attribute 'a'"),
        ("pl.func_attr({'auto_scope': 1})", ParserSyntaxError, "'auto_scope' cannot be set with pl.func_attr"),
    ],
)
def test_a_directive_used_wrongly_is_refused(statement, kind, message):
    with pytest.raises(kind, match=message):
        parse(f"{HEAD}    {statement}\n")


def test_literals_are_index_fp32_and_bool_constants():
    assert (_value("3").value, _value("3").dtype) == (3, DataType.INDEX)
    assert (_value("0.5").value, _value("0.5").dtype) == (0.5, DataType.FP32)
    assert isinstance(_value("True"), ConstBool)


def test_arithmetic_on_literals_is_done_at_once_and_comparisons_are_not():
    assert _value("(3 + 4) * 2 // 7").value == 2
    assert isinstance(_value("3 < 4"), Lt)


def test_typed_constants_are_never_folded():
    value = _value("pl.const(3, pl.INT32) + pl.const(4, pl.INT32)")
    assert isinstance(value, Add)
    assert value.dtype is DataType.INT32


def test_a_literal_beside_a_narrow_integer_makes_the_sum_wide():
    value = _value("m + 1")
    assert value.dtype is DataType.INDEX
    assert isinstance(value.left, Cast)
    assert isinstance(value.right, ConstInt)


def test_the_scalar_functions_make_scalar_expressions():
    assert isinstance(_value("pl.max(n, 3)"), Max)
    assert _value("pl.cast(m, pl.INT64)").dtype is DataType.INT64
    assert isinstance(_value("pl.const(2, pl.FP16)"), ConstFloat)


def test_methods_of_dtypes_are_computed():
    assert _value("pl.FP16.get_byte() * 4").value == 8

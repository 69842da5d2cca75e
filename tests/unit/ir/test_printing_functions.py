# SPDX-License-Identifier: Apache-2.0
"""Functions and programs as text."""

from __future__ import annotations

import ast

import pytest

from pypto_build import ir
from pypto_build.ir import FunctionType, Level, ParamDirection, Role
from pypto_build.ir.printing import python_print
from tests.unit.ir.build import assign, call, function, give, number, op, program, scalar, tensor

X = tensor("x", 64)


def decorator(**fields: object) -> str:
    return python_print(function("f", (), **fields)).splitlines()[0]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "@pl.function"),
        ({"func_type": FunctionType.Spmd}, "@pl.function(type=pl.FunctionType.Spmd)"),
        (
            {"func_type": FunctionType.InCore},
            "@pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)",
        ),
        (
            {"level": Level.HOST, "role": Role.Orchestrator},
            "@pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)",
        ),
        ({"attrs": ir.frozen_map({"auto_scope": False})}, "@pl.function(auto_scope=False)"),
        ({"attrs": ir.frozen_map({"external_source": "k.cpp"})}, '@pl.function(external_source="k.cpp")'),
    ],
)
def test_the_decorator_states_kind_level_and_role(fields: dict[str, object], text: str):
    assert decorator(**fields) == text


def test_parameters_state_their_directions():
    directions = (ParamDirection.In, ParamDirection.Out, ParamDirection.InOut)
    made = function("f", (X, tensor("y", 8), tensor("z", 8)), directions=directions)
    header = python_print(made).splitlines()[1]
    assert "x: pl.Tensor[[64], pl.FP32], y: pl.Out[pl.Tensor[[8], pl.FP32]], z: pl.InOut[pl.Tensor" in header


@pytest.mark.parametrize(
    ("results", "text"),
    [
        ((), "def f():"),
        ((X.type,), "def f() -> pl.Tensor[[64], pl.FP32]:"),
        ((ir.PTR_TYPE, ir.PTR_TYPE), "def f() -> tuple[pl.Ptr, pl.Ptr]:"),
        ((ir.TupleType((ir.PTR_TYPE,)),), "def f() -> pl.Tuple[pl.Ptr]:"),
    ],
)
def test_results_are_one_type_or_several(results: tuple[ir.Type, ...], text: str):
    assert python_print(function("f", (), results=results)).splitlines()[1] == text


def test_attributes_stand_at_the_top_of_the_body():
    attrs = ir.frozen_map({"stationary": X, "split": 1, "mark": "m"})
    text = python_print(function("f", (X,), give(X), attrs=attrs)).splitlines()
    assert text[2] == '    pl.func_attr({"stationary": x, "split": pl.SplitMode.UP_DOWN, "mark": "m"})'
    assert text[3] == "    return x"


@pytest.mark.parametrize("mode", [0, ir.SplitMode.NONE])
def test_no_split_is_no_attribute(mode: object):
    text = python_print(function("f", (), attrs=ir.frozen_map({"split": mode})))
    assert text.splitlines()[2:] == ["    pass"]


@pytest.mark.parametrize(
    ("fields", "body"),
    [
        ({}, ["    pass"]),
        ({"requires_runtime_binding": True}, ["    ..."]),
        ({"attrs": ir.frozen_map({"external_source": "k.cpp"})}, ["    ..."]),
        ({"attrs": ir.frozen_map({"tag": 1})}, ['    pl.func_attr({"tag": 1})']),
        (
            {"requires_runtime_binding": True, "attrs": ir.frozen_map({"tag": 1})},
            ['    pl.func_attr({"tag": 1})', "    ..."],
        ),
    ],
)
def test_an_empty_body_says_why(fields: dict[str, object], body: list[str]):
    assert python_print(function("f", (), **fields)).splitlines()[2:] == body


def test_a_worker_takes_no_self():
    worker = function("w", (X,), role=Role.SubWorker)
    assert "def w(x: " in python_print(program(worker))


def test_any_other_function_of_a_program_takes_self():
    assert "def f(self, x: " in python_print(program(function("f", (X,))))


def long_function() -> ir.Function:
    return function("f", tuple(tensor(f"parameter_{i}", 64) for i in range(6)))


def test_a_long_signature_has_one_parameter_per_line():
    text = python_print(long_function()).splitlines()
    assert text[1:3] == ["def f(", "    parameter_0: pl.Tensor[[64], pl.FP32],"]
    assert text[8:] == ["):", "    pass"]


def test_without_format_a_signature_is_one_line():
    assert len(python_print(long_function(), format=False).splitlines()) == 3


def test_comments_of_a_function_stand_above_it():
    made = function("f", leading_comments=("about f",))
    assert python_print(made).startswith("# about f\n@pl.function\n")


def test_a_program_is_a_module_with_one_class():
    assert python_print(program(function("f"), name="Top")).splitlines() == [
        "# pypto.program: Top",
        "import pypto.language as pl",
        "",
        "@pl.program",
        "class Top:",
        "    @pl.function",
        "    def f(self):",
        "        pass",
    ]


def test_an_empty_program_is_a_valid_module():
    text = python_print(program(name=""))
    assert text.startswith("# pypto.program\nimport pypto.language as pl\n")
    assert text.endswith("class Program:\n    pass")


def test_the_distributed_language_is_imported_where_it_is_used():
    made = program(function("f", (ir.Var("d", ir.DistributedTensorType(ir.dims((8,)), ir.DataType.FP32)),)))
    assert "\nimport pypto.language.distributed as pld\n" in python_print(made)
    assert "distributed" not in python_print(program(function("f")))


@pytest.mark.parametrize(
    ("prefix", "line"),
    [("language", "from pypto import language"), ("lang", "from pypto import language as lang")],
)
def test_another_prefix_is_imported_under_its_name(prefix: str, line: str):
    assert line in python_print(program(function("f")), prefix).splitlines()


def names_in_order(*functions: ir.Function) -> list[str]:
    tree = ast.parse(python_print(program(*functions)))
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def test_functions_come_after_those_that_they_call():
    top = function("a", (X,), ir.EvalStmt(call("m", X)), ir.EvalStmt(ir.Submit(ir.GlobalVar("z"), (X,), ())))
    middle = function("m", (X,), ir.EvalStmt(call("z", X)))
    assert names_in_order(top, middle, function("z", (X,))) == ["z", "m", "a"]


def test_functions_that_call_each_other_are_all_printed():
    one, two = function("a", (), ir.EvalStmt(call("b"))), function("b", (), ir.EvalStmt(call("a")))
    assert names_in_order(one, two) == ["b", "a"]


def test_a_long_chain_of_calls_is_no_limit():
    chain = [function(f"f{i:04}", (), ir.EvalStmt(call(f"f{i + 1:04}"))) for i in range(2_000)]
    assert names_in_order(*chain)[0] == "f1999"


def test_a_printed_program_is_valid_python():
    body = (assign(scalar("y"), number(1)), ir.InlineStmt("if y:\n    pass"), ir.EvalStmt(op("tile.and", X, X)))
    ast.parse(python_print(program(function("f", (X,), *body), name="class")))

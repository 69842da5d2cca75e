# SPDX-License-Identifier: Apache-2.0
"""The digest sees every field but places and comments, and nothing of the process that computes it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pypto_build import ir
from pypto_build.errors import InternalError, Span
from pypto_build.ir import canonical_form
from pypto_build.ir.node import Entity, FieldRole
from tests.unit.ir.build import INDEX, number, scalar
from tests.unit.ir.changes import CLASSES, FIELDS, SAMPLES, changed

IGNORED = [(cls, row.name) for cls in CLASSES for row in cls.FIELDS if row.role is FieldRole.IGNORED]
PLACE = Span("kernel.py", 3, 5)
PROCESS = """
from pypto_build.dsl.text import parse_program
from pypto_build.ir import program_digest

TEXT = '''
@pl.program
class P:
    @pl.function
    def f(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 16], pl.FP32]):
        m = n * 2 + 1
        return m
'''
print(program_digest(parse_program(TEXT)))
"""


def ids(case: tuple[type[Entity], str]) -> str:
    return f"{case[0].__name__}.{case[1]}"


SINGLE = (ir.InlineStmt, "language")  # an enumeration of one member has no other value


@pytest.mark.parametrize("case", [case for case in FIELDS if case != SINGLE], ids=ids)
def test_another_value_of_a_field_is_another_digest(case: tuple[type[Entity], str]):
    cls, field = case
    assert canonical_form(changed(cls, field)) != canonical_form(SAMPLES[cls])


@pytest.mark.parametrize("case", IGNORED, ids=ids)
def test_places_and_comments_do_not_count(case: tuple[type[Entity], str]):
    cls, field = case
    if cls is ir.Program and field == "functions":
        pytest.skip("functions are encoded by name")
    value: object = PLACE if field == "span" else ("a comment",)
    assert canonical_form(SAMPLES[cls].replace(**{field: value})) == canonical_form(SAMPLES[cls])


def test_the_functions_of_a_program_count_whatever_their_order():
    f, g = (ir.Function(name, (), (), (), ir.SeqStmts(())) for name in "fg")
    digests = {ir.program_digest(ir.Program(functions, "P")) for functions in ((f, g), (g, f))}  # type: ignore[arg-type]
    assert len(digests) == 1
    assert ir.program_digest(ir.Program((f,), "P")) not in digests  # type: ignore[arg-type]


def test_variables_count_by_first_appearance_and_name():
    x, y = scalar("x"), scalar("x")
    assert canonical_form(ir.Add(x, x, INDEX)) == canonical_form(ir.Add(y, y, INDEX))
    assert canonical_form(ir.Add(x, y, INDEX)) != canonical_form(ir.Add(x, x, INDEX))
    assert canonical_form(scalar("x")) != canonical_form(scalar("y"))


def test_a_type_that_two_variables_share_counts_as_one_each():
    shared = ir.TensorType(ir.dims((8, 8)), ir.DataType.FP32)
    apart = [ir.Var(name, ir.TensorType(ir.dims((8, 8)), ir.DataType.FP32)) for name in "ab"]
    together = [ir.Var(name, shared) for name in "ab"]
    assert canonical_form(ir.MakeTuple(tuple(together))) == canonical_form(ir.MakeTuple(tuple(apart)))


def test_a_type_with_a_symbol_is_written_with_the_number_that_the_symbol_has():
    n, m = scalar("n"), scalar("n")
    kind, other = (ir.TensorType((symbol,), ir.DataType.FP32) for symbol in (n, m))
    same = ir.MakeTuple((n, m, ir.Var("a", kind), ir.Var("b", kind)))
    mixed = ir.MakeTuple((n, m, ir.Var("a", kind), ir.Var("b", other)))
    assert canonical_form(same) != canonical_form(mixed)


def test_a_value_that_no_program_may_hold_is_our_bug():
    with pytest.raises(InternalError, match="object"):
        canonical_form(ir.EvalStmt(number(1)).replace(expr=object()))


@pytest.mark.parametrize("seed", ["1", "2"])
def test_another_process_computes_the_same_digest(seed: str):
    command = [sys.executable, "-c", PROCESS]
    runs = [
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": value}, capture_output=True, text=True, check=True
        ).stdout
        for value in ("0", seed)
    ]
    assert len(runs[0]) == 65
    assert runs[0] == runs[1]

# SPDX-License-Identifier: Apache-2.0
"""A call of every operation reads back as it was printed."""

from __future__ import annotations

import pytest

from pypto_build import ir
from pypto_build.dsl.text import parse
from pypto_build.ir.equal import assert_structural_equal
from pypto_build.ir.printing import python_print
from tests.unit.ir.build import function, program
from tests.unit.ir.kernel_ops import registry
from tests.unit.ir.operation_examples import example

NEVER_MADE = {"test.deduce_raises_internal", "test.deduce_raises_type"}
HOST_ONLY = {"pld.system.world_size", "pld.tensor.alloc_window_buffer"}
NAMES = [name for name in registry().names if name not in NEVER_MADE]


def around(made: ir.Call) -> ir.Program:
    """A program whose only statement is the call."""
    unknown = isinstance(made.type, ir.UnknownType)
    stmt = ir.EvalStmt(made) if unknown else ir.AssignStmt(ir.Var("r", made.type), made)
    params = tuple(dict.fromkeys(ir.collect(made, ir.Var)))
    fields = {"level": ir.Level.HOST, "role": ir.Role.Orchestrator} if made.op.name in HOST_ONLY else {}
    return program(function("f", params, **fields).replace(body=stmt))


@pytest.mark.parametrize("name", NAMES)
def test_a_call_reads_back(name: str):
    made = example(name)
    assert made is not None, "no operands fit: add some to the examples"
    first = parse(python_print(around(made)))  # as the front end makes it, defaults included
    text = python_print(first)
    again = parse(text)
    assert_structural_equal(first, again)
    assert python_print(again) == text

# SPDX-License-Identifier: Apache-2.0
"""ConvertToSSA as a whole: its contract, what it leaves alone, and what it refuses."""

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA

from pypto_build import ir
from pypto_build.dsl.diagnostics import SSAViolationError
from pypto_build.dsl.text import parse
from pypto_build.errors import InternalError
from pypto_build.passes import FunctionPass, IRProperty
from tests.passes import programs
from tests.passes.ssa_programs import assert_converted, body, converted, violations
from tests.unit.ir.build import assign, function, give, number, program, scalar

MIXED = """
    v = a
    for i in pl.range(a, b):
        if i < b:
            v = v + i
        else:
            w = v
        w = v + 1
    while v < b:
        v = v + 1
    return v + w
"""


def test_its_contract():
    """SSA-1: no property is required, so nothing keeps it from running."""
    assert issubclass(ConvertToSSA, FunctionPass)
    assert ConvertToSSA.name == "ConvertToSSA"
    assert ConvertToSSA.requires == frozenset()
    assert ConvertToSSA.produces == {IRProperty.SSAForm}
    assert ConvertToSSA.invalidates == {IRProperty.NormalizedStmtStructure}


def test_a_function_in_ssa_form_keeps_its_structure():
    """SSA-2: only its names gain versions."""
    before = """
        v = a + 1
        for i, (s,) in pl.range(4, init_values=(v,)):
            if flag:
                t = pl.yield_(s + i)
            else:
                t = pl.yield_(s)
            r = pl.yield_(t)
        return r
    """
    assert_converted(before, before)


def test_a_function_with_versioned_names_is_the_same_object():
    """SSA-2."""
    once = converted(MIXED)
    assert converted(ir.Program([once])) is once


def test_the_result_passes_the_verifier():
    """SSA-3: what goes in does not."""
    assert violations(body(MIXED))
    assert violations(ir.Program([converted(MIXED)])) == []


def test_no_sequence_has_a_single_child():
    """SSA-63."""
    before = """
        if flag:
            a = a + 1
        for i in pl.range(4):
            x = pl.tensor.adds(x, 1.0)
        return a
    """
    assert all(len(seq.stmts) != 1 for seq in ir.collect(converted(before), ir.SeqStmts))


def test_the_result_does_not_depend_on_where_objects_lie():
    """SSA-68: Vars hash by identity, so that each reading gives the tables another order."""
    texts = {str(ir.Program([converted(MIXED)])) for _ in range(12)}
    assert len(texts) == 1


@pytest.mark.parametrize("text", ["a = a + 1\nreturn a", "v = a\nv = b\nreturn v"])
def test_strict_ssa_refuses_a_reassignment_when_the_source_is_read(text):
    """SSA-21."""
    strict = "@pl.function(strict_ssa=True)\ndef f(a: pl.Scalar[pl.INT64], b: pl.Scalar[pl.INT64]):\n"
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    with pytest.raises(SSAViolationError, match=r"Variable '[av]' is already defined"):
        parse(strict + lines)
    assert parse(strict.replace("strict_ssa=True", "") + lines).name == "f"


def test_a_yield_before_the_end_is_our_bug_and_shown_at_its_line():
    """SSA-60."""
    before = """
        for i, (s,) in pl.range(4, init_values=(a,)):
            r = pl.yield_(s)
            b = b + 1
        return r
    """
    source = body(before)
    place = next(iter(ir.collect(source, ir.YieldStmt))).span
    with pytest.raises(InternalError, match="YieldStmt at position 0 of 2 is not the last") as caught:
        converted(source)
    assert caught.value.span.begin_line == place.begin_line == 7


def test_a_host_sub_worker_is_skipped():
    """SSA-61."""
    worker = """
        @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
        def worker(x: pl.Tensor[[64], pl.FP32]):
            total = sum(range(3))
            total = total + 1
    """
    programs.assert_unchanged(ConvertToSSA(), programs.program(worker))


OTHERS = [(ir.Level.CHIP, ir.Role.SubWorker), (ir.Level.HOST, ir.Role.Orchestrator)]


@pytest.mark.parametrize(("level", "role"), OTHERS)
def test_any_other_function_is_not_skipped(level, role):
    """SSA-61: what is below the host, or is no sub-worker, has a body to convert."""
    n = scalar("n")
    made = converted(program(function("f", (n,), assign(n, number(1)), give(n), level=level, role=role)))
    assert [var.name_hint for var in ir.defined_vars([made])] == ["n__ssa_v0", "n__ssa_v1"]


KINDS = [(ir.Level.HOST, ir.Role.Orchestrator, ir.FunctionType.Opaque), (None, None, ir.FunctionType.Orchestration)]


@pytest.mark.parametrize(("level", "role", "kind"), KINDS)
def test_kind_level_role_and_attributes_survive(level, role, kind):
    """SSA-62: given levels and roles, which do not follow from the kind, and those that do."""
    attrs = {"mark": 3}
    kept = {"level": level, "role": role, "func_type": kind}
    n = scalar("n")
    before = function("f", (n,), assign(n, number(1)), give(n), attrs=ir.frozen_map(attrs), **kept)
    made = converted(program(before))
    assert made is not before
    assert {name: getattr(made, name) for name in kept} == {name: getattr(before, name) for name in kept}
    assert dict(made.attrs) == attrs


DYNAMIC = """
@pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
def f(self, x: pl.Tensor[[{size}, 16], pl.FP32], y: pl.Tensor[[{size}, 16], pl.FP32]):
    x = pl.tensor.add(x, y)
    x = pl.tensor.add(x, y)
    return x
"""


def test_a_symbol_of_parameter_shapes_is_one_variable_everywhere():
    """SSA-64."""
    made = converted(programs.program(DYNAMIC.format(size="N")))
    symbols = {var for kind in (var.type for var in ir.defined_vars([made])) for var in kind.shape[:1]}
    calls = {call.type.shape[0] for call in ir.collect(made, ir.Call)}
    assert len(symbols) == 1
    assert calls == symbols


@pytest.mark.parametrize("size", ["N", "N * 2", "N // 4 + M"])
def test_computed_shapes_of_parameters_pass_the_verifier(size):
    """SSA-65."""
    made = converted(programs.program(DYNAMIC.format(size=size)))
    assert violations(ir.Program([made])) == []

# SPDX-License-Identifier: Apache-2.0
"""UnrollLoops: iterations in a row."""

import pytest
from pypto_passes.unroll_loops import UnrollLoops

from pypto_build.errors import UserError
from pypto_build.ir import Call, EvalStmt, ForKind, IterArg, collect
from pypto_build.passes import apply_pass
from tests.passes import programs
from tests.unit.ir.build import function, loop, number, op, program, scalar

HEAD = "@pl.function\ndef f(self, n: pl.Scalar[pl.INDEX], out: pl.Tensor[[64], pl.INDEX]):"


def body(text):
    return programs.body(HEAD, text)


@pytest.mark.parametrize(
    ("bounds", "values"), [("3", (0, 1, 2)), ("1, 6, 2", (1, 3, 5)), ("4, 0, -2", (4, 2)), ("2, 2", ())]
)
def test_each_iteration_is_written_out_with_its_index(bounds, values):
    before = body(f"for i in pl.unroll({bounds}):\n    pl.tensor.write(out, [i], n)\npl.tensor.write(out, [9], n)")
    expected = body("\n".join(f"pl.tensor.write(out, [{value}], n)" for value in (*values, 9)))
    programs.assert_unchanged(UnrollLoops(), programs.assert_becomes(UnrollLoops(), before, expected))


def unrolled(var, stop, *stmts):
    return loop(var, stop, *stmts, kind=ForKind.Unroll)


def test_an_inner_loop_may_count_up_to_the_outer_index():
    outer, inner = scalar("i"), scalar("j")
    both = op("test.use", outer, inner)
    of = program(function("f", (), unrolled(outer, number(3), unrolled(inner, outer, EvalStmt(both)))))
    calls = collect(programs.method(apply_pass(UnrollLoops(), of), "f"), Call)
    assert [tuple(arg.value for arg in call.args) for call in calls] == [(1, 0), (2, 0), (2, 1)]


def test_other_loops_stay():
    programs.assert_unchanged(UnrollLoops(), body("for i in pl.range(3):\n    pl.tensor.write(out, [i], n)"))


@pytest.mark.parametrize(
    ("bounds", "code", "message"),
    [
        ("0, 3, 0", "UNROLL003", "pl.unroll needs a step that is not zero"),
        ("1025", "UNROLL004", "pl.unroll of 1025 iterations exceeds maximum allowed (1024)"),
    ],
)
def test_bounds_that_cannot_be_written_out_are_refused(bounds, code, message):
    with pytest.raises(UserError) as caught:
        apply_pass(UnrollLoops(), body(f"for i in pl.unroll({bounds}):\n    pl.tensor.write(out, [i], n)"))
    assert (caught.value.code, caught.value.message) == (code, message)


def test_a_bound_that_is_known_only_at_run_time_is_refused():
    limit = scalar("n")
    of = program(function("f", (limit,), unrolled(scalar("i"), limit)))
    with pytest.raises(UserError, match=r"pl\.unroll needs a constant stop, but got n"):
        apply_pass(UnrollLoops(), of)


def test_values_carried_from_iteration_to_iteration_are_refused():
    carried = IterArg("s", scalar("n").type, init_value=number(0))
    made = loop(scalar("i"), number(2), iter_args=(carried,), return_vars=(scalar("r"),), kind=ForKind.Unroll)
    with pytest.raises(UserError, match=r"pl\.unroll carries no values from iteration to iteration"):
        apply_pass(UnrollLoops(), program(function("f", (), made)))

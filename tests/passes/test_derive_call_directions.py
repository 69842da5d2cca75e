# SPDX-License-Identifier: Apache-2.0
"""DeriveCallDirections: what the task that a call launches does with each argument."""

from __future__ import annotations

import pytest
from pypto_passes.derive_call_directions import DIRECTIONS, DeriveCallDirections, verify_call_directions

from pypto_build.ir import ArgDirection, Call, GlobalVar, ParamDirection, Program, Submit, collect, frozen_map, rebuilt
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs
from tests.passes.carries import T, orchestration

SHORT = {
    ArgDirection.Input: "in",
    ArgDirection.OutputExisting: "out",
    ArgDirection.InOut: "inout",
    ArgDirection.NoDep: "nodep",
    ArgDirection.Scalar: "scalar",
}
FRESH = "m = pl.tensor.create([16], dtype=pl.FP32)\n"


def derived(text: str) -> Program:
    """An orchestration with directions, which another run leaves as they are."""
    made = apply_pass(DeriveCallDirections(), orchestration(text))
    programs.assert_unchanged(DeriveCallDirections(), made)
    assert problems(made) == []
    return made


def directions(text: str) -> list[str]:
    """The directions of each call in order."""
    calls = collect(programs.method(derived(text), "main"), Call, Submit)
    return [" ".join(SHORT[one] for one in call.attrs[DIRECTIONS]) for call in calls if isinstance(call.op, GlobalVar)]


def problems(made: Program) -> list[str]:
    """What the verifier says."""
    return [found.message for found in verify_call_directions(made, PassContext())]


def test_a_parameter_that_is_read_is_an_input_and_a_fresh_one_that_is_written_an_output():
    assert directions(FRESH + "c = self.copy(x, m)") == ["in out"]


def test_an_argument_that_is_read_and_written_stays_so():
    assert directions(FRESH + "c = self.grow(x, m)") == ["in inout"]


def test_an_output_behind_another_writer_of_the_buffer_is_ordered_after_it():
    assert directions(FRESH + "c = self.copy(x, m)\nd = self.copy(x, m)") == ["in out", "in inout"]


def test_the_result_of_a_call_is_the_buffer_that_it_wrote():
    assert directions(FRESH + "c = self.copy(x, m)\nd = self.copy(x, c)") == ["in out", "in inout"]


def test_another_buffer_has_no_writer_before():
    again = FRESH.replace("m =", "k =")
    assert directions(FRESH + again + "c = self.copy(x, m)\nd = self.copy(x, k)") == ["in out", "in out"]


def test_an_output_in_a_sequential_loop_is_ordered_after_the_iteration_before():
    assert directions(FRESH + "for i in pl.range(4):\n    c = self.copy(x, m)") == ["in inout"]


def test_an_output_in_a_parallel_loop_is_not():
    assert directions(FRESH + "for i in pl.parallel(4):\n    c = self.copy(x, m)") == ["in out"]


def test_an_output_behind_a_loop_that_writes_the_buffer_is_ordered_after_it():
    text = "for i in pl.parallel(4):\n    c = self.copy(x, m)\nd = self.copy(x, m)"
    assert directions(FRESH + text) == ["in out", "in inout"]


def test_branches_do_not_see_each_other_but_what_follows_sees_both():
    text = "if n == 0:\n    c = self.copy(x, m)\nelse:\n    d = self.copy(x, m)\ne = self.copy(x, m)"
    assert directions(FRESH + text) == ["in out", "in out", "in inout"]


def test_a_buffer_that_the_caller_wants_updated_is_never_a_plain_output():
    assert directions("c = self.copy(x, a)") == ["in inout"]


def test_a_launch_is_a_call_too():
    assert directions(FRESH + "c, task = pl.submit(self.copy, x, m)") == ["in out"]


def test_an_argument_without_dependency_is_marked():
    assert directions(FRESH + "c = self.copy(pl.no_dep(x), m)") == ["nodep out"]


KERNEL = f"""
@pl.function(type=pl.FunctionType.InCore)
def shift(self, x: {T}, by: pl.Scalar[pl.INDEX], out: pl.Out[{T}]) -> {T}:
    return out
"""
GROUP = f"""
@pl.function(type=pl.FunctionType.Group)
def both(self, x: {T}, by: pl.Scalar[pl.INDEX], out: {T}) -> {T}:
    r = self.shift(x, by, out)
    return r
"""


def test_a_scalar_is_a_scalar():
    main = f"@pl.function(type=pl.FunctionType.Orchestration)\ndef main(self, x: {T}, n: pl.Scalar[pl.INDEX]):\n"
    text = main + "    m = pl.tensor.create([16], dtype=pl.FP32)\n    r = self.shift(x, n, m)"
    made = apply_pass(DeriveCallDirections(), programs.program(KERNEL, text))
    calls = [call for call in collect(programs.method(made, "main"), Call) if isinstance(call.op, GlobalVar)]
    assert [SHORT[one] for one in calls[0].attrs[DIRECTIONS]] == ["in", "scalar", "out"]


def test_a_wrapper_writes_what_its_calls_write():
    made = apply_pass(DeriveCallDirections(), programs.program(KERNEL, GROUP))
    known = (ParamDirection.In, ParamDirection.In, ParamDirection.Out)
    assert programs.method(made, "both").param_directions == known


def test_a_wrapper_that_hides_what_it_writes_is_reported():
    made = programs.program(KERNEL, GROUP)
    text = "wrapper function 'both' has stale param_directions_: a call in it writes a parameter"
    assert problems(made)[0] == text


def test_directions_that_are_there_stay():
    given = orchestration(FRESH + "c = self.copy(x, m)")
    first = apply_pass(DeriveCallDirections(), given)
    assert programs.method(first, "copy") is programs.method(given, "copy")
    programs.assert_unchanged(DeriveCallDirections(), first)


def with_directions(*given: ArgDirection) -> Program:
    """One call of `copy` with these directions."""
    made = derived(FRESH + "c = self.copy(x, m)")
    main = programs.method(made, "main")
    create, call = main.body.stmts
    value = rebuilt(call.value, {"attrs": frozen_map({DIRECTIONS: given})})
    body = rebuilt(main.body, {"stmts": (create, rebuilt(call, {"value": value}))})
    kernels = [one for one in made.functions.values() if one.name != "main"]
    return made.with_functions([*kernels, rebuilt(main, {"body": body})])


D = ArgDirection


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((D.Input,), "Call attrs['arg_directions'] size (1) != args_ size (2)"),
        ((D.Scalar, D.InOut), "tensor argument at index 0 has ArgDirection::Scalar"),
        ((D.Input, D.Input), "argument at index 1 has ArgDirection::Input but callee param direction is Out"),
        ((D.InOut, D.InOut), "argument at index 0 has ArgDirection::InOut but callee param direction is In"),
    ],
)
def test_directions_that_the_callee_does_not_allow_are_reported(given: tuple[ArgDirection, ...], message: str):
    assert problems(with_directions(*given)) == [f"in function 'main', call to 'copy': {message}"]


def test_calls_without_directions_are_reported_where_they_stand():
    made = orchestration("c = self.copy(x, a)")
    (found,) = verify_call_directions(made, PassContext())
    assert found.message.endswith("size (0) != args_ size (2)")
    assert found.span == programs.method(made, "main").body.value.span

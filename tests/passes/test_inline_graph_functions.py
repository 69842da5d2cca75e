# SPDX-License-Identifier: Apache-2.0
"""InlineGraphFunctions: the tasks of a Graph function are submitted where it is called."""

import pytest
from pypto_passes.inline_graph_functions import InlineGraphFunctions

from pypto_build.errors import UserError
from pypto_build.ir import FunctionType, Role, defined_vars
from pypto_build.passes import apply_pass
from tests.passes import programs

T = "pl.Tensor[[4], pl.FP32]"
COPY = f"""
@pl.function(type=pl.FunctionType.InCore)
def copy(self, x: {T}, out: pl.Out[{T}]) -> {T}:
    return pl.store(pl.load(x, [0], [4]), [0], out)
"""


def graph(name, params, text, results=T):
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    return f"@pl.function(type=pl.FunctionType.Graph)\ndef {name}(self, {params}) -> {results}:\n{lines}\n"


def main(text, results=T):
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    params = f"a: {T}, b: pl.Out[{T}], c: pl.Out[{T}], n: pl.Scalar[pl.INDEX]"
    return f"@pl.function(type=pl.FunctionType.Orchestration)\ndef main(self, {params}) -> {results}:\n{lines}\n"


LAYER = graph("layer", f"x: {T}, out: pl.Out[{T}]", "done = self.copy(x, out)\nreturn done")


def assert_inlined(before, expected, *graphs):
    made = programs.assert_becomes(
        InlineGraphFunctions(), programs.program(COPY, *graphs, main(*before)), programs.program(COPY, main(*expected))
    )
    programs.assert_unchanged(InlineGraphFunctions(), made)
    return made


def test_the_caller_submits_the_tasks_and_reads_what_the_body_returns():
    expected = ("d = self.copy(a, b)\ne = self.copy(d, c)\nreturn e",)
    assert_inlined(("d = self.layer(a, b)\ne = self.layer(d, c)\nreturn e",), expected, LAYER)


def test_the_variables_of_a_copy_carry_its_number():
    made = assert_inlined(
        ("d = self.layer(a, b)\ne = self.layer(d, c)\nreturn e",),
        ("d = self.copy(a, b)\ne = self.copy(d, c)\nreturn e",),
        LAYER,
    )
    names = [var.name_hint for var in defined_vars([programs.method(made, "main").body])]
    assert names == ["done_inline0", "done_inline1"]


def test_a_returned_call_returns_what_the_body_returns():
    assert_inlined(("return self.layer(a, b)",), ("d = self.copy(a, b)\nreturn d",), LAYER)


def test_results_are_read_without_a_tuple():
    text = "one = self.copy(x, first)\ntwo = self.copy(one, second)\nreturn two, one"
    both = graph("both", f"x: {T}, first: pl.Out[{T}], second: pl.Out[{T}]", text, f"tuple[{T}, {T}]")
    pair = f"tuple[{T}, {T}]"
    expected = ("one = self.copy(a, b)\ntwo = self.copy(one, c)\ne = two\nd = one\nreturn d, e", pair)
    assert_inlined(("e, d = self.both(a, b, c)\nreturn d, e", pair), expected, both)


def test_a_loop_of_the_body_stands_in_the_loop_of_the_caller():
    params = f"x: {T}, start: pl.Scalar[pl.INDEX], out: pl.InOut[{T}]"
    text = (
        "for i, (inner,) in pl.range(2, init_values=(out,)):\n"
        "    pl.tensor.write(inner, [start + i], pl.tensor.read(x, [start + i]))\n"
        "    last = self.copy(x, inner)\n"
        "    rest = pl.yield_(last)\n"
        "return rest"
    )
    before = (
        "for j, (outer,) in pl.range(3, init_values=(b,)):\n"
        "    next = self.rows(a, j * 2, outer)\n"
        "    end = pl.yield_(next)\n"
        "return end"
    )
    expected = (
        "for j, (outer,) in pl.range(3, init_values=(b,)):\n"
        "    for i, (inner,) in pl.range(2, init_values=(outer,)):\n"
        "        pl.tensor.write(inner, [j * 2 + i], pl.tensor.read(a, [j * 2 + i]))\n"
        "        last = self.copy(a, inner)\n"
        "        rest = pl.yield_(last)\n"
        "    end = pl.yield_(rest)\n"
        "return end"
    )
    assert_inlined((before,), (expected,), graph("rows", params, text))


def test_graphs_may_call_each_other():
    text = (
        "between = pl.create_tensor([4], dtype=pl.FP32)\nfirst = self.layer(x, between)\nreturn self.layer(first, out)"
    )
    expected = "m = pl.create_tensor([4], dtype=pl.FP32)\nd = self.copy(a, m)\ne = self.copy(d, b)\nreturn e"
    twice = graph("twice", f"x: {T}, out: pl.Out[{T}]", text)
    assert_inlined(("return self.twice(a, b)",), (expected,), LAYER, twice)


def test_an_opaque_function_that_calls_a_graph_becomes_an_orchestration():
    opaque = main("return self.layer(a, b)").replace("(type=pl.FunctionType.Orchestration)", "")
    other = opaque.replace("def main", "def other").replace("layer", "copy")
    made = apply_pass(InlineGraphFunctions(), programs.program(COPY, LAYER, opaque, other))
    kinds = {name: programs.method(made, name).func_type for name in ("main", "other")}
    assert kinds == {"main": FunctionType.Orchestration, "other": FunctionType.Opaque}
    assert programs.method(made, "main").role is Role.Orchestrator


def test_a_program_without_graphs_stays_the_same_object():
    programs.assert_unchanged(InlineGraphFunctions(), programs.program(COPY, main("return self.copy(a, b)")))


def test_a_graph_that_contains_itself_is_refused():
    loop = graph("loop", f"x: {T}, out: pl.Out[{T}]", "return self.loop(x, out)")
    with pytest.raises(UserError, match="Cycle detected among Graph functions: loop -> loop") as caught:
        apply_pass(InlineGraphFunctions(), programs.program(loop, main("return self.loop(a, b)")))
    assert caught.value.code == "INLINE001"


def test_a_graph_that_is_launched_as_a_task_is_refused():
    launched = main("d, task = pl.submit(self.layer, a, b)\nreturn d")
    with pytest.raises(UserError, match="Graph function 'layer' cannot be launched as a task") as caught:
        apply_pass(InlineGraphFunctions(), programs.program(COPY, LAYER, launched))
    assert caught.value.span.is_valid()

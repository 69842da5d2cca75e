# SPDX-License-Identifier: Apache-2.0
"""NormalizeReturnOrder: a returned tensor that is a parameter becomes the parameter itself."""

import pytest

from pypto_build import ir
from pypto_build.analysis.return_lineage import ReturnLineage
from pypto_build.ops import builtin_registry
from tests.passes.programs import method
from tests.passes.return_order_programs import (
    KERNEL,
    assert_normalized,
    assert_unchanged,
    normalized,
    pair,
    program,
    returned,
    violations,
)

ONE = "InCore kernel(x: T32, a: Out[T32]) -> T32"
WRAP = "Group wrap(x: T32, p: Out[T32], q: Out[T32]) -> T32, T32"
MATRIX = "pl.Tensor[[64, 64], pl.FP32]"


def names(made, function):
    """What a function returns: the name of a parameter, or a dash for anything else."""
    of = method(made, function)
    return [value.name_hint if value in of.params else "-" for value in returned(of)]


@pytest.mark.parametrize("kind", ["InCore", "AIC", "AIV", "Group", "Spmd", "Graph"])
def test_an_alias_becomes_the_parameter_itself(kind):
    """NRO-8 and NRO-11."""
    made = normalized(program((ONE.replace("InCore", kind), "c = a\nd = c\nreturn d")))
    kernel = method(made, "kernel")
    assert returned(kernel)[0] is kernel.params[1]


@pytest.mark.parametrize("kind", ["Orchestration", "Opaque"])
def test_other_functions_return_what_their_author_wrote(kind):
    """NRO-8."""
    assert_unchanged(program((ONE.replace("InCore", kind), "c = a\nreturn c")))


def test_what_the_kernel_makes_itself_keeps_its_expression():
    """NRO-9."""
    assert_unchanged(program((ONE, "own = pl.create_tensor([64], dtype=pl.FP32)\nreturn own")))


def test_a_scalar_is_never_replaced():
    """NRO-10."""
    head = "InCore kernel(n: pl.Scalar[pl.INT64], a: Out[T32]) -> pl.Scalar[pl.INT64], T32"
    before = program((head, "m = n\ns = a\nreturn m, s"))
    assert_normalized(before, program((head, "m = n\ns = a\nreturn m, a")))


def test_a_scalar_that_a_loop_carries_is_never_replaced():
    """NRO-10 and NRO-13."""
    head = "InCore kernel(n: pl.Scalar[pl.INT64]) -> pl.Scalar[pl.INT64]"
    assert_unchanged(program((head, "for i, (s,) in pl.range(4, init_values=(n,)):\n    r = pl.yield_(s)\nreturn r")))


@pytest.mark.parametrize(
    "loop",
    [
        "for i, (s,) in pl.range(4, init_values=(a,)):",
        "for i, (s,) in pl.parallel(4, init_values=(a,)):",
        "for (s,) in pl.while_(init_values=(a,)):\n    pl.cond(flag)",
    ],
    ids=["range", "parallel", "while"],
)
def test_a_loop_result_is_the_initial_value(loop):
    """NRO-12."""
    head = "InCore kernel(x: T32, flag: pl.Scalar[pl.BOOL], a: Out[T32]) -> T32"
    text = (
        f"{loop}\n    t = pl.tile.load(x, [0], [64])\n    w = pl.tile.store(t, [0], s)\n    r = pl.yield_(w)\nreturn "
    )
    assert_normalized(program((head, f"{text}r")), program((head, f"{text}a")))


def test_a_carry_is_followed_through_nested_loops():
    """NRO-12."""
    text = """
        for i, (s,) in pl.range(4, init_values=(a,)):
            for j, (t,) in pl.range(4, init_values=(s,)):
                u = pl.yield_(t)
            r = pl.yield_(u)
        return {}
    """
    assert_normalized(program((ONE, text.format("r"))), program((ONE, text.format("a"))))


WRITES = {
    "tile.store": "t = pl.tile.load(x, [0, 0], [64, 64])\nr = pl.tile.store(t, [0, 0], a)",
    "tensor.assemble": "r = pl.tensor.assemble(a, x, [0, 0])",
    "tile.mscatter": "t = pl.tile.load(x, [0, 0], [16, 16])\nj = pl.tile.load(i, [0, 0], [16, 16])\n"
    "r = pl.tile.mscatter(t, j, a)",
    "tensor.set_validshape": "r = pl.tensor.set_validshape(a, 64, 64)",
}


@pytest.mark.parametrize("text", WRITES.values(), ids=WRITES.keys())
def test_operations_that_write_into_an_input_lead_to_it(text):
    """NRO-14."""
    head = f"InCore kernel(x: {MATRIX}, i: pl.Tensor[[16, 16], pl.INT32], a: Out[{MATRIX}]) -> {MATRIX}"
    assert_normalized(program((head, f"{text}\nreturn r")), program((head, f"{text}\nreturn a")))


@pytest.mark.parametrize("view", ["pl.tensor.view(a, [64], [0])", "pl.tensor.slice(a, [64], [0])"])
def test_operations_that_make_a_view_end_the_search(view):
    """NRO-15: the type of a view would keep it as well, so the search itself is asked."""
    before = program((ONE, f"v = {view}\nreturn v"))
    kernel = method(before, "kernel")
    assert ReturnLineage(kernel, builtin_registry(), lambda _: None).root(returned(kernel)[0]) is None
    assert_unchanged(before)


def test_the_elements_of_a_call_lead_to_the_arguments_that_the_callee_returns():
    """NRO-16 and NRO-18."""
    text = "r = self.kernel(x, q, p)\nu = r[0]\nv = r[1]\nreturn {}"
    kernel = (KERNEL, "return a, b")
    assert_normalized(program(kernel, (WRAP, text.format("v, u"))), program(kernel, (WRAP, text.format("p, q"))))


@pytest.mark.parametrize("kind", ["Group", "Spmd"])
def test_a_call_with_one_result_leads_to_its_argument(kind):
    """NRO-17 and NRO-18."""
    wrap = f"{kind} wrap(x: T32, p: Out[T32]) -> T32"
    kernel, text = (ONE, "return a"), "r = self.kernel(x, p)\nreturn {}"
    assert_normalized(program(kernel, (wrap, text.format("r"))), program(kernel, (wrap, text.format("p"))))


def test_an_updated_parameter_that_is_not_returned_moves_no_other():
    """NRO-19."""
    head = "InCore kernel(x: T32, both: InOut[T32], a: Out[T32]) -> T32"
    wrap = "Group wrap(x: T32, both: InOut[T32], p: Out[T32]) -> T32"
    text = "r = self.kernel(x, both, p)\nreturn {}"
    kernel = (head, "return a")
    assert_normalized(program(kernel, (wrap, text.format("r"))), program(kernel, (wrap, text.format("p"))))


def test_functions_that_call_each_other_are_untraceable():
    """NRO-20."""
    first, second = (ONE.replace("kernel", name) for name in ("first", "second"))
    before = program((first, "r = self.second(x, a)\nreturn r"), (second, "r = self.first(x, a)\nreturn r"))
    assert_unchanged(before)
    assert violations(before) == []


def test_a_return_is_found_where_it_is_nested():
    """NRO-21."""
    text = "with pl.cluster(name_hint='g'):\n    c = a\n    return {}"
    assert_normalized(program((ONE, text.format("c"))), program((ONE, text.format("a"))))


def test_of_several_returns_the_last_names_its_parameters():
    """NRO-21: one inside a branch is not the outermost."""
    head = ONE.replace("x: T32", "x: T32, flag: pl.Scalar[pl.BOOL]")
    text = "if flag:\n    return x\nc = a\nreturn {}"
    assert_normalized(program((head, text.format("c"))), program((head, text.format("a"))))


def test_a_whole_tuple_becomes_its_parameters_where_several_results_are_declared():
    """NRO-22."""
    kernel, text = (KERNEL, "return a, b"), "r = self.kernel(x, q, p)\nreturn {}"
    assert_normalized(program(kernel, (WRAP, text.format("r"))), program(kernel, (WRAP, text.format("q, p"))))


def test_a_tuple_with_an_element_that_is_no_parameter_stays_whole():
    """NRO-22."""
    kernel = (KERNEL, "own = pl.tensor.adds(x, 1.0)\nreturn a, own")
    assert_unchanged(program(kernel, (WRAP, "r = self.kernel(x, p, q)\nreturn r")))


def test_a_call_in_the_return_itself_keeps_its_effect():
    """NRO-22: the results become parameters, and the call becomes a statement."""
    kernel, wrap = (KERNEL, "return a, b"), "return self.kernel(x, p, q)"
    expected = program(kernel, (WRAP, "self.kernel(x, p, q)\nreturn p, q"))
    assert_normalized(program(kernel, (WRAP, wrap)), expected)


def test_a_wrapper_that_declares_one_tuple_returns_one_value():
    """NRO-23."""
    wrap = WRAP.replace("-> T32, T32", "-> pl.Tuple[T32, T32]")
    assert_unchanged(program((KERNEL, "return a, b"), (wrap, "r = self.kernel(x, p, q)\nreturn r")))


FORWARDING = "Spmd wrap(x: T32, p: Out[T32], q: Out[T32]) -> {}"
OUTER = "Group outer(x: T32, p: Out[T32], q: Out[T32]) -> T32, T32"


def test_a_wrapper_without_a_return_has_the_map_of_its_only_call():
    """NRO-24."""
    parts = (KERNEL, "return a, b"), (FORWARDING.format("T32, T32"), "r = self.kernel(x, q, p)")
    made = normalized(program(*parts, (OUTER, "r = self.wrap(x, p, q)\nreturn r")))
    assert names(made, "outer") == ["q", "p"]


def test_a_wrapper_without_a_return_may_have_one_result():
    """NRO-24."""
    parts = (ONE, "return a"), (FORWARDING.format("T32"), "r = self.kernel(x, q)")
    made = normalized(program(*parts, ("Group outer(x: T32, p: Out[T32]) -> T32", "r = self.wrap(x, x, p)\nreturn r")))
    assert names(made, "outer") == ["p"]


def test_a_wrapper_without_a_return_has_no_map_with_two_such_calls():
    """NRO-24."""
    calls = "r = self.kernel(x, p, q)\ns = self.kernel(x, q, p)"
    parts = (KERNEL, "return a, b"), (FORWARDING.format("T32, T32"), calls)
    made = normalized(program(*parts, (OUTER, "u, v = self.wrap(x, p, q)\nreturn u, v")))
    assert names(made, "outer") == ["-", "-"]


def test_a_graph_names_its_parameters_in_its_own_order():
    """NRO-25."""
    head = KERNEL.replace("InCore", "Graph")
    text = "c = b\nd = a\nreturn {}"
    assert_normalized(program((head, text.format("c, d"))), program((head, text.format("b, a"))))


def test_the_caller_of_a_graph_finds_the_tensors_behind_its_results():
    """NRO-25."""
    graph = (KERNEL.replace("InCore", "Graph").replace("kernel", "graph"), "c = b\nd = a\nreturn c, d")
    made = normalized(program(graph, (WRAP, "r = self.graph(x, p, q)\nreturn r")))
    assert names(made, "wrap") == ["q", "p"]


def test_the_sorted_order_of_a_callee_is_what_its_wrapper_sees():
    """NRO-16: the wrapper was written against the order of before."""
    made = normalized(program((KERNEL, "return b, a"), (WRAP, "u, v = self.kernel(x, p, q)\nreturn u, v")))
    assert names(made, "wrap") == ["q", "p"]


def test_a_caller_in_order_is_left_alone():
    """NRO-8."""
    before = pair("return a, b", "u, v = self.kernel(x, p, q)\nreturn u, v")
    made = normalized(before)
    assert made is before
    assert len(ir.collect(method(made, "main"), ir.TupleGetItemExpr)) == 2

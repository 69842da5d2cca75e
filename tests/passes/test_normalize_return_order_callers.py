# SPDX-License-Identifier: Apache-2.0
"""NormalizeReturnOrder: callers of a sorted kernel keep meaning the same buffers."""

import pytest

from pypto_build import ir
from tests.passes.programs import method
from tests.passes.return_order_programs import KERNEL, MAIN, assert_normalized, normalized, pair, program, returned

FLAGGED = MAIN.replace("x: T32", "x: T32, flag: pl.Scalar[pl.BOOL]")
SWAPPED, SORTED = "return b, a", "return a, b"


def assert_follows(main, expected, head=MAIN):
    """What becomes of the caller of a kernel whose two results are swapped."""
    before = program((KERNEL, SWAPPED), (head, main))
    assert_normalized(before, program((KERNEL, SORTED), (head, expected)))


@pytest.mark.parametrize("kind", ["Orchestration", "Opaque"])
def test_an_element_becomes_the_element_to_which_it_moved(kind):
    """NRO-51."""
    main = "r = self.kernel(x, p, q)\nu = r[{}]\nv = r[{}]\nreturn u, v"
    assert_follows(main.format(0, 1), main.format(1, 0), MAIN.replace("Orchestration", kind))


def test_an_element_taken_from_the_call_itself_follows():
    """NRO-51."""
    main = "u = self.kernel(x, p, q)[{}]\nreturn u, u"
    assert_follows(main.format(0), main.format(1))


def test_a_name_stays_bound_to_its_buffer():
    """NRO-54: `first` was stored into the second output, and is read from its place."""
    made = normalized(pair(SWAPPED, "first, second = self.kernel(x, p, q)\nreturn first, second"))
    bound = {stmt.var.name_hint: stmt.value for stmt in ir.collect(method(made, "main"), ir.AssignStmt)}
    assert (bound["first"].index, bound["second"].index) == (1, 0)


SUBMIT = "r = pl.submit(self.kernel, x, p, q{})\nu = r[{}]\nv = r[{}]\nt = r[2]\nreturn u, v"


def test_the_results_of_a_submit_follow_and_its_task_stays():
    """NRO-52 and NRO-53."""
    assert_follows(SUBMIT.format("", 0, 1), SUBMIT.format("", 1, 0))


def test_dependencies_and_launch_options_of_a_submit_stay():
    """NRO-53."""
    before = "d = pl.system.task_dummy(deps=[])\n" + SUBMIT
    options = ", deps=[d], allow_early_resolve=True"
    assert_follows(before.format(options, 0, 1), before.format(options, 1, 0))


def test_a_variable_that_is_assigned_something_else_is_no_longer_renumbered():
    """NRO-55 and NRO-58."""
    main = "r = self.kernel(x, p, q)\nu = r[0]\nr = (p, q)\nv = r[1]\nreturn u, v"
    expected = "n = self.kernel(x, p, q)\nr = (n[1], n[0])\nu = r[0]\nr = (p, q)\nv = r[1]\nreturn u, v"
    assert_follows(main, expected)


MIXED = "InCore kernel(x: T32, a: Out[T16], b: Out[T32]) -> {}"
MIXED_MAIN = "Orchestration main(x: T32, p: Out[T16], q: Out[T32]) -> T32, T16"


def test_the_types_of_call_binding_and_elements_are_moved():
    """NRO-56: the outputs differ in dtype."""
    main = "r = self.kernel(x, p, q)\nu = r[{}]\nv = r[{}]\nreturn u, v"
    before = program((MIXED.format("T32, T16"), SWAPPED), (MIXED_MAIN, main.format(0, 1)))
    expected = program((MIXED.format("T16, T32"), SORTED), (MIXED_MAIN, main.format(1, 0)))
    assert_normalized(before, expected)


def test_the_binding_of_the_call_is_a_new_variable():
    """NRO-56 and NRO-61: the old one keeps its type."""
    before = program((MIXED.format("T32, T16"), SWAPPED), (MIXED_MAIN, "r = self.kernel(x, p, q)\nreturn r"))
    old, new = (ir.collect(method(of, "main"), ir.AssignStmt)[0] for of in (before, normalized(before)))
    assert old.var is not new.var
    assert [kind.dtype for kind in old.var.type.types] == [ir.DataType.FP32, ir.DataType.FP16]
    assert [kind.dtype for kind in new.var.type.types] == [ir.DataType.FP16, ir.DataType.FP32]
    assert new.value.type == new.var.type


def test_the_callers_own_symbols_stay_in_the_moved_type():
    """NRO-57: N is a symbol of the kernel, M one of its caller."""
    kind, other = "pl.Tensor[[M], pl.FP32]", "pl.Tensor[[N], pl.FP32]"
    main = f"Orchestration main(x: {kind}, p: Out[{kind}], q: Out[{kind}]) -> {kind}, {kind}"
    kernel = KERNEL.replace("T32", other)
    made = method(normalized(program((kernel, SWAPPED), (main, "u, v = self.kernel(x, p, q)\nreturn u, v"))), "main")
    moved = ir.collect(made, ir.AssignStmt)[0].var.type.types
    assert all(element.shape[0] is made.params[0].type.shape[0] for element in moved)


def test_a_variable_with_several_definitions_keeps_its_identity():
    """NRO-58: sorted calls and a plain assignment, in branches."""
    main = """
        r = self.kernel(x, p, q)
        if flag:
            r = self.kernel(x, q, p)
        else:
            r = (p, q)
        u = r[0]
        v = r[1]
        return u, v
    """
    expected = """
        n = self.kernel(x, p, q)
        r = (n[1], n[0])
        if flag:
            m = self.kernel(x, q, p)
            r = (m[1], m[0])
        else:
            r = (p, q)
        u = r[0]
        v = r[1]
        return u, v
    """
    assert_follows(main, expected, FLAGGED)


def test_whole_uses_see_one_tuple_in_the_order_of_the_author():
    """NRO-59: it is made once, where the call is, so that every branch can see it; the call is not repeated."""
    main = """
        r = self.kernel(x, p, q)
        if flag:
            s = r
        w = r
        u = w[0]
        v = r[1]
        return u, v
    """
    expected = """
        n = self.kernel(x, p, q)
        r = (n[1], n[0])
        if flag:
            s = r
        w = r
        u = w[0]
        v = n[0]
        return u, v
    """
    assert_follows(main, expected, FLAGGED)


def test_a_tuple_that_is_an_argument_is_in_the_order_of_the_author():
    """NRO-59."""
    other = ("Opaque other(both: pl.Tuple[T32, T32])", "return")
    main = "{}self.other(r)\nu = {}\nreturn u, u"
    before = main.format("r = self.kernel(x, p, q)\n", "r[0]")
    expected = main.format("n = self.kernel(x, p, q)\nr = (n[1], n[0])\n", "n[1]")
    made = program((KERNEL, SORTED), other, (MAIN, expected))
    assert_normalized(program((KERNEL, SWAPPED), other, (MAIN, before)), made)


def test_a_tuple_that_is_returned_as_one_value_is_in_the_order_of_the_author():
    """NRO-59."""
    head = MAIN.replace("-> T32, T32", "-> pl.Tuple[T32, T32]")
    assert_follows("r = self.kernel(x, p, q)\nreturn r", "n = self.kernel(x, p, q)\nr = (n[1], n[0])\nreturn r", head)


def test_a_tuple_that_is_returned_as_several_values_is_taken_apart():
    """NRO-60."""
    assert_follows("r = self.kernel(x, p, q)\nreturn r", "r = self.kernel(x, p, q)\nreturn r[1], r[0]")


def test_a_call_in_the_return_itself_is_taken_apart():
    """NRO-60."""
    assert_follows("return self.kernel(x, p, q)", "r = self.kernel(x, p, q)\nreturn r[1], r[0]")


def test_a_call_whose_results_nobody_reads_has_the_moved_type():
    """NRO-56."""
    main = MIXED_MAIN.replace(" -> T32, T16", "")
    before = program((MIXED.format("T32, T16"), SWAPPED), (main, "self.kernel(x, p, q)"))
    assert_normalized(before, program((MIXED.format("T16, T32"), SORTED), (main, "self.kernel(x, p, q)")))


def test_what_went_in_is_not_changed():
    """NRO-61."""
    before = pair(SWAPPED, "u, v = self.kernel(x, p, q)\nreturn u, v")
    text = str(before)
    assert normalized(before) is not before
    assert str(before) == text


def test_callers_of_other_functions_are_the_same_objects():
    """NRO-61: only what calls a sorted kernel is built anew."""
    other = ("Orchestration other(x: T32, p: Out[T32]) -> T32", "return p")
    before = program((KERNEL, SWAPPED), (MAIN, "u, v = self.kernel(x, p, q)\nreturn u, v"), other)
    assert method(normalized(before), "other") is method(before, "other")


ROUND = ("InCore kernel(x: T32, a: Out[T16], b: Out[T32], c: Out[T8]) -> {}", "return {}")
ROUND_MAIN = "Orchestration main(x: T32, p: Out[T16], q: Out[T32], r: Out[T8]) -> T8, T16, T32"


def assert_goes_round(main, expected):
    """What becomes of the caller of a kernel whose three results change places in a circle: `c, a, b`."""
    head, text = ROUND
    before = program((head.format("T8, T16, T32"), text.format("c, a, b")), (ROUND_MAIN, main))
    made = program((head.format("T16, T32, T8"), text.format("a, b, c")), (ROUND_MAIN, expected))
    assert_normalized(before, made)


def test_three_results_that_go_round_are_found_where_they_went():
    """NRO-49, NRO-51 and NRO-56: the way back is another permutation than the way there."""
    main = "n = self.kernel(x, p, q, r)\nu = n[{}]\nv = n[{}]\nw = n[{}]\nreturn u, v, w"
    assert_goes_round(main.format(0, 1, 2), main.format(2, 0, 1))


def test_three_results_that_go_round_are_returned_in_the_order_of_the_author():
    """NRO-60."""
    main = "n = self.kernel(x, p, q, r)\nreturn {}"
    assert_goes_round(main.format("n"), main.format("n[2], n[0], n[1]"))


def test_a_wrapper_sees_three_results_that_go_round_where_they_went():
    """NRO-16: the results of the wrapper still are the parameters that its author meant."""
    kernel = "InCore kernel(a: Out[T32], b: Out[T32], c: Out[T32]) -> T32, T32, T32"
    wrap = "Group wrap(p: Out[T32], q: Out[T32], r: Out[T32]) -> T32, T32, T32"
    top = wrap.replace("Group wrap", "Group top")
    call, inner = "u = self.{}(p, q, r)\nreturn u[0], u[1], u[2]", "u, v, w = self.{}(p, q, r)\nreturn u, v, w"
    made = normalized(program((kernel, "return c, a, b"), (wrap, inner.format("kernel")), (top, call.format("wrap"))))
    for name in ("wrap", "top"):
        assert [var.name_hint for var in returned(method(made, name))] == ["r", "p", "q"]

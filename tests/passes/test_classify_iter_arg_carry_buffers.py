# SPDX-License-Identifier: Apache-2.0
"""ClassifyIterArgCarry: which values share a buffer with the carry that they are yielded for."""

import pytest
from pypto_passes.classify_iter_arg_carry import AliasForest, ClassifyIterArgCarry
from pypto_passes.derive_call_directions import DIRECTIONS, DeriveCallDirections

from pypto_build import ir
from pypto_build.passes import apply_pass
from tests.passes.carries import loops, orchestration, plan, plans
from tests.unit.ir.build import assign, seq, tensor


def test_a_slot_is_trivial_exactly_when_its_own_buffer_is_yielded_for_it():
    """CIC-6: the same two results, each for its own slot and then each for the other one."""
    loop = """
        for i, (p, q) in pl.range(4, init_values=(a, b)):
            p1 = self.grow(x, p)
            q1 = self.grow(x, q)
            p2, q2 = pl.yield_({})
    """
    assert plans(loop.format("p1, q1")) == ["trivial trivial"]
    assert plans(loop.format("q1, p1")) == ["rebind rebind"]


def test_a_tensor_that_the_body_creates_is_a_rebind():
    """CIC-7."""
    text = """
        for i, (p,) in pl.range(4, init_values=(a,)):
            fresh = pl.tensor.create([16], dtype=pl.FP32)
            p2 = pl.yield_(fresh)
    """
    assert plans(text) == ["rebind"]


def test_what_is_assembled_shares_the_buffer_that_is_written_into():
    """CIC-9: the first argument, not the second."""
    loop = """
        for i, (p,) in pl.range(4, init_values=(a,)):
            p1 = pl.tensor.assemble({}, [0])
            p2 = pl.yield_(p1)
    """
    assert plans(loop.format("p, b")) == ["trivial"]
    assert plans(loop.format("b, p")) == ["rebind"]


def test_a_result_shares_the_buffer_of_the_parameter_that_is_returned():
    """CIC-10: a scratch output before the returned one does not take its place."""
    loop = """
        for i, (p,) in pl.range(4, init_values=(a,)):
            p1 = self.late({})
            p2 = pl.yield_(p1)
    """
    assert plans(loop.format("x, b, p")) == ["trivial"]
    assert plans(loop.format("x, p, b")) == ["rebind"]


def test_without_a_map_of_returns_the_first_output_is_taken():
    """CIC-11."""
    loop = """
        for i, (p,) in pl.range(4, init_values=(a,)):
            p1 = self.hidden({})
            p2 = pl.yield_(p1)
    """
    assert plans(loop.format("x, p, b")) == ["trivial"]
    assert plans(loop.format("x, b, p")) == ["rebind"]


def test_an_element_of_a_tuple_shares_the_output_at_its_position():
    """CIC-12: inputs between the outputs do not count."""
    loop = """
        for i, (p, q) in pl.range(4, init_values=(a, b)):
            p1, q1 = self.pair(p, x, q)
            p2, q2 = pl.yield_({})
    """
    assert plans(loop.format("p1, q1")) == ["trivial trivial"]
    assert plans(loop.format("q1, p1")) == ["rebind rebind"]


SINGLE = "one = self.hidden(x, b, p, {})"
ELEMENT = "made = self.pair(b, x, p, {})\n    one = made[1]"


def stated(call: str, *directions: str) -> list[str]:
    """What is said of the carry `p` of a loop that yields `one`, where the author gave the directions of the call."""
    given = ", ".join(f"pl.adir.{name}" for name in directions)
    lines = call.format(f"attrs={{'arg_directions': [{given}]}}")
    return plans(f"for i, (p,) in pl.range(4, init_values=(a,)):\n    {lines}\n    p2 = pl.yield_(one)")


@pytest.mark.parametrize("before", ["output", "input", "no_dep"])
@pytest.mark.parametrize("direction", ["output_existing", "inout"])
def test_without_a_map_arguments_of_other_directions_are_passed_over(before: str, direction: str):
    """CIC-11: what the runtime allocates is nobody's buffer before the call."""
    assert stated(SINGLE, "input", before, direction) == ["trivial"]


def test_without_a_map_an_output_that_exists_is_the_first():
    """CIC-11."""
    assert stated(SINGLE, "input", "output_existing", "inout") == ["rebind"]


@pytest.mark.parametrize("first", ["output", "output_existing", "inout"])
@pytest.mark.parametrize("second", ["output", "output_existing", "inout"])
def test_every_direction_of_an_output_counts_for_the_place_in_a_tuple(first: str, second: str):
    """CIC-12."""
    assert stated(ELEMENT, first, "input", second) == ["trivial"]


def test_an_input_does_not_count_for_the_place_in_a_tuple():
    """CIC-12: there is one output, the first, and none for the second element."""
    assert stated(ELEMENT, "input", "input", "inout") == ["rebind"]
    assert stated(ELEMENT.replace("[1]", "[0]"), "input", "input", "inout") == ["trivial"]


def test_an_element_of_a_launched_task_s_results_shares_an_output_too():
    """CIC-12, for a Submit."""
    text = """
        for i, (p, q) in pl.range(4, init_values=(a, b)):
            p1, q1, task = pl.submit(self.pair, p, x, q)
            p2, q2 = pl.yield_(p1, q1)
    """
    assert plans(text) == ["trivial trivial"]


def test_without_directions_an_element_shares_nothing():
    """CIC-13."""
    text = """
        for i, (p, q) in pl.range(4, init_values=(a, b)):
            p1, q1 = self.pair(p, x, q)
            p2, q2 = pl.yield_(p1, q1)
    """
    assert plans(text, directions=False) == ["rebind rebind"]


def test_what_a_nested_loop_hands_out_is_what_went_in():
    """CIC-14."""
    text = """
        for i, (p,) in pl.range(4, init_values=(a,)):
            for j, (q,) in pl.range(2, init_values=(p,)):
                q1 = self.grow(x, q)
                q2 = pl.yield_(q1)
            p2 = pl.yield_(q2)
    """
    assert plans(text) == ["trivial", "trivial"]


def test_the_array_of_a_nested_loop_is_another_one():
    """CIC-15: each level has its own array, and the outer one is copied into."""
    text = """
        ids = pl.array.create(4, pl.TASK_ID)
        for i, (p,) in pl.range(4, init_values=(ids,)):
            for j, (q,) in pl.parallel(4, init_values=(p,)):
                total, task = pl.submit(self.grow, x, a)
                q1 = pl.array.update_element(q, j, task)
                q2 = pl.yield_(q1)
            p2 = pl.yield_(q2)
    """
    assert plans(text)[0] == "rebind"


class Counting(dict[ir.Var, ir.Var]):
    """A map that counts how often it is asked."""

    asked = 0

    def __getitem__(self, var: ir.Var) -> ir.Var:
        self.asked += 1
        return super().__getitem__(var)


def test_asking_for_every_name_of_a_chain_walks_it_once():
    """CIC-16: a thousand questions about a chain of a thousand names take a thousand steps."""
    names = [tensor(f"v{index}", 16) for index in range(1001)]
    parents = Counting(zip(names[1:], names, strict=False))
    forest = AliasForest(parents)
    assert all(forest.is_alias(name, names[0]) for name in reversed(names))
    assert parents.asked == 1000


def test_a_name_with_two_sources_keeps_the_first():
    """CIC-16: at most one source, so the sources form a forest."""
    text = """
        for i, (p,) in pl.range(4, init_values=(a,)):
            p1 = self.grow(x, p)
            p1 = self.grow(x, b)
            p2 = pl.yield_(p1)
    """
    assert plans(text) == ["trivial"]


def test_a_built_in_operation_has_no_argument_directions():
    """CIC-17: so what is assembled is never looked at as the result of a call with outputs."""
    text = "p1 = pl.tensor.assemble(a, b, [0])\np2 = self.grow(x, p1)"
    made = apply_pass(DeriveCallDirections(), orchestration(text))
    calls = {call.op.name: call for call in ir.collect(made.functions[ir.GlobalVar("main")], ir.Call)}
    assert {name: DIRECTIONS in call.attrs for name, call in calls.items()} == {"tensor.assemble": False, "grow": True}


def test_a_carry_is_no_name_of_the_value_that_it_starts_from():
    """CIC-18: an inner carry that is yielded to the outer loop is not followed to where the inner one began."""
    text = """
        for i, (p,) in pl.range(4, init_values=(a,)):
            for j, (q,) in pl.range(2, init_values=(p,)):
                q2 = pl.yield_(p)
            p2 = pl.yield_(q2)
    """
    assert plans(text) == ["trivial", "rebind"]


def test_a_copy_shares_nothing():
    """CIC-19."""
    text = """
        for i, (p,) in pl.range(4, init_values=(a,)):
            p1 = self.grow(x, p)
            same = p1
            p2 = pl.yield_(same)
    """
    assert plans(text) == ["rebind"]


def test_a_value_that_branches_merge_shares_nothing():
    """CIC-19."""
    text = """
        for i, (p,) in pl.range(4, init_values=(a,)):
            if i == n:
                p1 = self.grow(x, p)
                merged = pl.yield_(p1)
            else:
                merged = pl.yield_(p)
            p2 = pl.yield_(merged)
    """
    assert plans(text) == ["rebind"]


def test_the_map_of_returns_comes_before_the_first_output():
    """CIC-20: `late` has two outputs, the first of which would be taken without the map."""
    text = """
        for i, (p, q) in pl.range(4, init_values=(a, b)):
            made = self.late(x, p, q)
            p2, q2 = pl.yield_(made, made)
    """
    assert plans(text) == ["rebind trivial"]


def test_an_expression_is_a_rebind():
    """CIC-21."""
    text = """
        for i, (k,) in pl.range(4, init_values=(n,)):
            k2 = pl.yield_(k + 1)
    """
    assert plans(text) == ["rebind"]


@pytest.mark.parametrize("scopes", [["scope"], ["manual_scope"], ["scope", "scope"]])
def test_the_yield_is_found_inside_scopes(scopes: list[str]):
    """CIC-22."""
    lines = ["for i, (p,) in pl.range(4, init_values=(a,)):", *(f"with pl.{scope}():" for scope in scopes)]
    lines += ["p2 = pl.yield_(fresh)"]
    text = "fresh = pl.tensor.create([16], dtype=pl.FP32)\n"
    assert plans(text + "\n".join("    " * depth + line for depth, line in enumerate(lines))) == ["rebind"]


def with_body(stmt: ir.Stmt) -> list[str]:
    """What is said of the carry of a loop around a statement."""
    made = orchestration("for i, (p,) in pl.range(4, init_values=(a,)):\n    p2 = pl.yield_(b)")
    (loop,) = loops(made)
    main = ir.rebuilt(made.functions[ir.GlobalVar("main")], {"body": ir.rebuilt(loop, {"body": stmt})})
    return plan(loops(apply_pass(ClassifyIterArgCarry(), ir.Program((main,), "P")))[0])


def test_the_yield_is_found_inside_sequences_of_one():
    """CIC-22."""
    other = ir.YieldStmt((tensor("other", 16),))
    assert with_body(seq(other)) == with_body(seq(seq(other))) == ["rebind"]


def test_without_a_yield_every_slot_is_trivial():
    """CIC-23."""
    assert with_body(seq(assign(tensor("c", 16), tensor("d", 16)))) == ["trivial"]

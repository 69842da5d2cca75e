# SPDX-License-Identifier: Apache-2.0
"""NormalizeReturnOrder: tensors that an `if` merged, and views that are narrowed and restored on the way."""

import pytest

from pypto_build import ir
from pypto_build.analysis.return_lineage import ReturnLineage
from pypto_build.ops import builtin_registry
from tests.passes.programs import method
from tests.passes.return_order_programs import assert_normalized, assert_unchanged, normalized, program, returned

FLAG = "flag: pl.Scalar[pl.BOOL]"
HEAD = f"InCore kernel(x: T32, {FLAG}, a: Out[T32], b: Out[T32]) -> T32"
MATRIX = "pl.Tensor[[64, 64], pl.FP32]"
WIDE = f"InCore kernel(x: {MATRIX}, {FLAG}, a: Out[{MATRIX}]) -> {MATRIX}"


def merge(then, other):
    """A tensor `y` that is one value or another."""
    return f"if flag:\n    y = pl.yield_({then})\nelse:\n    y = pl.yield_({other})\n"


STORED = """
    t = pl.tile.load(x, [0], [64])
    if flag:
        u = pl.tile.store(t, [0], a)
        y = pl.yield_(u)
    else:
        y = pl.yield_(a)
    return {}
"""


def test_branches_that_lead_to_one_parameter_give_that_parameter():
    """NRO-26."""
    assert_normalized(program((HEAD, STORED.format("y"))), program((HEAD, STORED.format("a"))))


def test_the_merge_of_merges_is_traced():
    """NRO-26."""
    text = """
        if flag:
            if flag:
                z = pl.yield_(a)
            else:
                z = pl.yield_(a)
            y = pl.yield_(z)
        else:
            y = pl.yield_(a)
        return {}
    """
    assert_normalized(program((HEAD, text.format("y"))), program((HEAD, text.format("a"))))


UNPROVEN = {
    "two parameters": merge("a", "b"),
    "an allocation": "own = pl.create_tensor([64], dtype=pl.FP32)\n" + merge("a", "own"),
    "an input of another value": "own = pl.tensor.adds(x, 1.0)\n" + merge("own", "a"),
    "a view": "own = pl.tensor.view(a, [64], [0])\n" + merge("a", "own"),
}


@pytest.mark.parametrize("text", UNPROVEN.values(), ids=UNPROVEN.keys())
def test_branches_that_do_not_agree_keep_the_merged_value(text):
    """NRO-27."""
    assert_unchanged(program((HEAD, f"{text}return y")))


def test_a_branch_that_narrows_the_view_keeps_the_merged_value():
    """NRO-27 and NRO-29: the merged value has the look of the branches, not of the parameter."""
    text = "own = pl.tensor.set_validshape(a, 16, 16)\n" + merge("own", "a")
    assert_unchanged(program((WIDE, f"{text}return y")))


NARROWED = "n = pl.tensor.set_validshape(a, 16, 16)\nm = pl.tensor.set_validshape(a, 16, 16)\n" + merge("n", "m")


def test_what_both_branches_narrow_and_the_end_restores_is_the_parameter():
    """NRO-28: where it is stored was never in doubt."""
    text = f"{NARROWED}w = pl.tensor.set_validshape(y, 64, 64)\nreturn "
    assert_normalized(program((WIDE, f"{text}w")), program((WIDE, f"{text}a")))


def test_what_branches_narrow_differently_and_the_end_restores_is_the_parameter():
    """NRO-28: branches that disagree about the look still agree about the storage."""
    text = NARROWED.replace("16, 16", "8, 8", 1) + "w = pl.tensor.assemble(y, x, [0, 0])\nreturn "
    made = normalized(program((WIDE, f"{text}w")))
    assert returned(method(made, "kernel"))[0] is method(made, "kernel").params[2]


def test_a_valid_shape_that_stays_narrow_keeps_the_returned_value():
    """NRO-30."""
    assert_unchanged(program((WIDE, f"{NARROWED}return y")))


@pytest.mark.parametrize("order", ["w, b", "b, w"])
def test_a_valid_shape_set_after_the_merge_keeps_the_returned_value(order):
    """NRO-30: whatever stands beside it."""
    head = f"InCore kernel({FLAG}, a: Out[{MATRIX}], b: Out[{MATRIX}]) -> {MATRIX}, {MATRIX}"
    made = normalized(program((head, f"{merge('a', 'a')}w = pl.tensor.set_validshape(y, 16, 16)\nreturn {order}")))
    kernel = method(made, "kernel")
    first, second = returned(kernel)
    assert first.type.tensor_view.valid_shape[0].value == 16
    assert second is kernel.params[2]


RESTORED = """
    n = pl.tensor.set_validshape(a, 16, 16)
    w = pl.tensor.assemble(n, x, [0, 0])
    return {}
"""


def test_a_chain_of_writes_is_judged_by_its_last_value():
    """NRO-31."""
    assert_normalized(program((WIDE, RESTORED.format("w"))), program((WIDE, RESTORED.format("a"))))


@pytest.mark.parametrize(("order", "expected"), [("w, n", "a, n"), ("n, w", "n, a")])
def test_a_restored_value_beside_a_narrow_one_is_the_parameter(order, expected):
    """NRO-31."""
    head = f"{WIDE}, {MATRIX}"
    assert_normalized(program((head, RESTORED.format(order))), program((head, RESTORED.format(expected))))


def test_a_wrapper_of_a_merged_write_names_the_parameter():
    """NRO-32."""
    wrap = f"Group wrap(x: T32, {FLAG}, p: Out[T32], q: Out[T32]) -> T32"
    text = "r = self.kernel(x, flag, p, q)\nreturn {}"
    before = program((HEAD, STORED.format("y")), (wrap, text.format("r")))
    assert_normalized(before, program((HEAD, STORED.format("a")), (wrap, text.format("p"))))


SYMBOLS = """
    if flag:
        u = self.fill(x, p)
        y = pl.yield_(u)
    else:
        v = self.fill(x, p)
        y = pl.yield_(v)
    return {}
"""


def test_a_merged_call_has_the_shape_of_the_caller():
    """NRO-29 and NRO-57: N is a symbol of the callee, M one of the caller."""
    fill = (
        "InCore fill(x: pl.Tensor[[N], pl.FP32], a: Out[pl.Tensor[[N], pl.FP32]]) -> pl.Tensor[[N], pl.FP32]",
        "return a",
    )
    kind = "pl.Tensor[[M], pl.FP32]"
    wrap = f"Group wrap(x: {kind}, {FLAG}, p: Out[{kind}]) -> {kind}"
    made = normalized(program(fill, (wrap, SYMBOLS.format("y"))))
    function = method(made, "wrap")
    merged = ir.collect(function, ir.IfStmt)[0].return_vars[0]
    assert returned(function)[0] is function.params[2]
    assert merged.type.shape[0] is function.params[0].type.shape[0]


def test_a_graph_does_not_follow_merges():
    """NRO-33."""
    assert_unchanged(program((HEAD.replace("InCore", "Graph"), merge("a", "a") + "return y")))


def conditional_writes(count):
    """Write-backs in a row, each in both branches of an `if`."""
    step = """
if flag:
    u{0} = pl.tile.store(t, [0], y{0})
    y{1} = pl.yield_(u{0})
else:
    v{0} = pl.tile.store(t, [0], y{0})
    y{1} = pl.yield_(v{0})
"""
    steps = "".join(step.format(number, number + 1) for number in range(count))
    return f"t = pl.tile.load(x, [0], [64])\ny0 = a{steps}"


class CountingOps:
    """The registry of operations, which counts how often somebody asks for one."""

    def __init__(self):
        self.asked = 0

    def has(self, name):
        self.asked += 1
        return builtin_registry().has(name)

    def get(self, name):
        return builtin_registry().get(name)


def test_conditional_writes_in_a_row_cost_no_more_than_their_number():
    """NRO-34: each of the 96 stores is looked at once, for all branches and all returned values."""
    head = f"{HEAD}, T32"
    function = method(program((head, f"{conditional_writes(48)}return y48, y47")), "kernel")
    ops = CountingOps()
    lineage = ReturnLineage(function, ops, lambda _: None)
    assert [lineage.root(value).param for value in returned(function)] == [2, 2]
    assert ops.asked == 96


def test_failures_are_shared_as_well():
    """NRO-34."""
    text = conditional_writes(48).replace("y0 = a", "y0 = pl.create_tensor([64], dtype=pl.FP32)")
    function = method(program((HEAD, f"{text}return y48")), "kernel")
    ops = CountingOps()
    assert ReturnLineage(function, ops, lambda _: None).root(returned(function)[0]) is None
    assert ops.asked <= 96


def test_conditional_writes_inside_a_loop_cost_no_more_than_their_number():
    """NRO-34: what the loop carries is an assumption until its yield is known."""
    inner = conditional_writes(24).replace("y0 = a", "y0 = s").replace("\n", "\n    ")
    text = f"for i, (s,) in pl.range(4, init_values=(a,)):\n    {inner}r = pl.yield_(y24)\nreturn r"
    function = method(program((HEAD, text)), "kernel")
    ops = CountingOps()
    assert ReturnLineage(function, ops, lambda _: None).root(returned(function)[0]).param == 2
    assert ops.asked == 48

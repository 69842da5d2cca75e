# SPDX-License-Identifier: Apache-2.0
"""ConvertToSSA: how versions are named, and which uses are one variable."""

import pytest

from pypto_build import ir
from pypto_build.analysis.names import base_name
from pypto_build.dsl.text import parse_program
from tests.passes.ssa_programs import assert_converted, converted
from tests.unit.ir.build import assign, function, give, number, op, program, scalar, seq, tensor

EVERY_ROLE = """
    v = a
    for i in pl.range(10):
        if flag:
            v = v + i
    return v
"""


def names(made, base):
    """The names of the versions of a variable, in the order in which they are bound."""
    found = [var.name_hint for var in ir.defined_vars([made]) if var.name_hint.split("__")[0] == base]
    return sorted(found, key=lambda name: int(name.rsplit("_v")[-1]))


def test_a_version_is_named_by_what_it_is():
    """SSA-4 and SSA-5: one counter serves all roles."""
    made = converted(EVERY_ROLE)
    assert names(made, "v") == ["v__ssa_v0", "v__iter_v1", "v__ssa_v2", "v__phi_v3", "v__rv_v4"]
    assert names(made, "i") == ["i__idx_v0"]


def test_a_converted_name_keeps_its_base_when_it_is_converted_again():
    """SSA-6."""
    text = str(ir.Program([converted(EVERY_ROLE)])).replace(
        "return v__rv_v4", "v__ssa_v0 = v__rv_v4\n        return v__ssa_v0"
    )
    made = converted(parse_program(text))
    assert all(var.name_hint.count("__") == 1 for var in ir.defined_vars([made]))
    assert names(made, "v")[-1] == "v__ssa_v5"


def test_the_base_of_a_versioned_name_is_what_its_author_wrote():
    """SSA-6."""
    assert [base_name(name) for name in ("v__ssa_v0", "v__rv_v12", "v", "v_1", "t__tmp_v3")] == [
        "v",
        "v",
        "v",
        "v_1",
        "t",
    ]


def test_a_name_with_the_reserved_delimiter_is_refused():
    """SSA-7."""
    with pytest.raises(ValueError, match=r"variable name 'my__name' contains the reserved delimiter '__'"):
        converted("my__name = a\nreturn my__name")


@pytest.mark.parametrize("pair", [("x_1", "x_2"), ("tmp_0", "tmp_1"), ("v1", "v")])
def test_numbers_at_the_end_of_names_mean_nothing(pair):
    """SSA-8."""
    first, second = pair
    before = f"{first} = a\n{second} = b\n{first} = {second} + 1\nreturn {first} + {second}"
    made = converted(before)
    assert names(made, first) == [f"{first}__ssa_v0", f"{first}__ssa_v1"]
    assert names(made, second) == [f"{second}__ssa_v0"]


def test_one_name_for_two_objects_is_two_variables():
    """SSA-9: neither branch assigns what the other one does."""
    flag, first, second = scalar("flag", ir.DataType.BOOL), tensor("t", 8), tensor("t", 16)
    uses = [assign(tensor("u", 1), op("any.op", var)) for var in (first, second)]
    then, other = (
        seq(assign(var, op("any.op", type=var.type)), use) for var, use in zip((first, second), uses, strict=True)
    )
    made = converted(program(function("f", (flag,), ir.IfStmt(flag, then, other, ()), give(number(0)))))
    assert made.body.stmts[0].return_vars == ()
    assert made.body.stmts[0].else_body.stmts[1].value.args[0] is made.body.stmts[0].else_body.stmts[0].var


def test_variables_count_independently():
    """SSA-12."""
    made = converted("v = a\nw = b\nv = v + w\nv = v + w\nw = v\nreturn w")
    assert names(made, "v") == ["v__ssa_v0", "v__ssa_v1", "v__ssa_v2"]
    assert names(made, "w") == ["w__ssa_v0", "w__ssa_v1"]


def test_names_do_not_matter_to_what_comes_out():
    """SSA-9."""
    before = "v = a\nv = v + 1\nreturn v"
    assert_converted(before, before.replace("v = v + 1", "w = v + 1").replace("return v", "return w"))

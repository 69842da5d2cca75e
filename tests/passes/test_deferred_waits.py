# SPDX-License-Identifier: Apache-2.0
"""OutlineIncoreScopes: scopes that register deferred waits, and what they must not do."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.deferred_waits import MOST_CONDITIONS, WAITER
from pypto_passes.outline_incore_scopes import OutlineIncoreScopes

from pypto_build.errors import UserError
from pypto_build.ir import Function, FunctionType, Program
from pypto_build.passes import apply_pass
from tests.passes import programs

HEAD = """
@pl.function(type=pl.FunctionType.InCore)
def helper(self, n: pl.Scalar[pl.INT32]) -> pl.Scalar[pl.INT32]:
    return n

@pl.function(type=pl.FunctionType.Orchestration)
def main(self, signal: pld.DistributedTensor[[99, 1], pl.INT32], data: pl.Tensor[[99], pl.INT32],
         rank: pl.Scalar[pl.INT32], epoch: pl.Scalar[pl.INT32], n: pl.Scalar[pl.INDEX]):
"""


def outlined(text: str) -> Program:
    """The program with its scopes outlined; WAIT(..) registers, AT(..) is a scope on a core."""
    lines = dedent(text).strip("\n").replace("AT(", "with pl.at(level=pl.Level.CORE_GROUP, ")
    lines = lines.replace("WAIT(", "pld.system.defer_wait(signal, cmp=pld.WaitCmp.Ge, ")
    before = programs.program(HEAD + indent(lines, "    "))
    return apply_pass(OutlineIncoreScopes(), apply_pass(ConvertToSSA(), before))


def waiter(text: str) -> Function:
    """The kernel of the scope that is called `wait`."""
    return programs.method(outlined("AT(name_hint='wait'):\n" + indent(dedent(text).strip("\n"), "    ")), "wait")


def assert_refused(text: str, code: str, message: str) -> None:
    """The scope cannot be a task that is complete later."""
    with pytest.raises(UserError, match=message) as caught:
        outlined(text)
    assert caught.value.code == code
    assert caught.value.span.begin_line > 1


ONE = "WAIT(offsets=[0, 0], expected=epoch)"
ACCEPTED = {
    "one condition": ONE,
    "a read before": "wanted = pl.read(data, [0])\nWAIT(offsets=[0, 0], expected=wanted)",
    "a loop with a branch": "for i in pl.range(8):\n    if i != rank:\n        WAIT(offsets=[i, 0], expected=epoch)",
    "arithmetic between": f"{ONE}\ntwice = epoch * 2\nWAIT(offsets=[1, 0], expected=twice)",
    "a merged threshold": f"if rank == 0:\n    e = epoch\nelse:\n    e = rank\n{ONE.replace('epoch', 'e')}",
    "a carried threshold": "e = epoch\nfor i in pl.range(4):\n    WAIT(offsets=[i, 0], expected=e)\n    e = e + rank",
    "a loop that registers nothing": f"e = epoch\nfor i in pl.range(n):\n    e = e + rank\n{ONE.replace('epoch', 'e')}",
    "as many as there may be": f"for i in pl.range({MOST_CONDITIONS}):\n    WAIT(offsets=[i, 0], expected=epoch)",
    "as many in two ways": f"if rank == 0:\n    {ONE}\nelse:\n    for i in pl.range(64):\n        {ONE}",
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_a_scope_that_registers_conditions_becomes_a_marked_kernel(text: str):
    made = waiter(text)
    assert (made.func_type, made.attrs[WAITER]) == (FunctionType.InCore, True)


def test_a_scope_without_deferred_waits_has_no_mark():
    made = programs.method(outlined("AT(name_hint='read'):\n    e = pl.read(data, [0])"), "read")
    assert WAITER not in made.attrs


def test_a_task_may_be_waited_for_inside_a_manual_scope():
    made = outlined(f"with pl.manual_scope():\n    AT(name_hint='wait') as t:\n        {ONE}\n")
    assert programs.method(made, "wait").attrs[WAITER] is True


def test_the_program_with_a_waiter_is_the_same_object_when_it_is_outlined_again():
    programs.assert_unchanged(OutlineIncoreScopes(), outlined(f"AT(name_hint='wait'):\n    {ONE}"))


@pytest.mark.parametrize("text", [ONE, f"with pl.cluster():\n    AT(name_hint='wait'):\n        {ONE}"])
def test_a_wait_outside_of_a_launch_of_its_own_is_refused(text: str):
    assert_refused(text, "WAIT001", "must be in a task-level")


def test_a_waiting_task_cannot_resolve_early():
    text = f"AT(allow_early_resolve=True) as t:\n    {ONE}"
    assert_refused(text, "WAIT002", "cannot use allow_early_resolve=True")


BAD = {
    "too many": (
        "for i in pl.range(65):\n    WAIT(offsets=[i, 0], expected=1)",
        "WAIT003",
        "at most 64 conditions, but here are 65",
    ),
    "too many in nested loops": (f"for i in pl.range(9):\n    for j in pl.range(8):\n        {ONE}", "WAIT003", "72"),
    "an unknown number": (f"for i in pl.range(n):\n    {ONE}", "WAIT004", "known positive trip count"),
    "never": (f"for i in pl.range(0):\n    {ONE}", "WAIT004", "known positive trip count"),
    "until a condition": (f"e = n\nwhile e < 3:\n    {ONE}\n    e = e + 1", "WAIT004", "known positive trip count"),
    "a read in the loop": (
        "for i in pl.range(2):\n    e = pl.read(data, [i])\n    WAIT(offsets=[i, 0], expected=e)",
        "WAIT005",
        "may execute tensor reads",
    ),
    "a read after": (f"{ONE}\ne = pl.read(data, [0])", "WAIT005", "after the registration"),
    "a read in a branch after": (f"{ONE}\nif rank > 0:\n    e = pl.read(data, [0])", "WAIT005", "after the reg"),
    "a tensor": (f"d = data\n{ONE}", "WAIT006", "cannot create or update payload tensors"),
    "a notification": (
        f"{ONE}\npld.system.notify(signal, peer=rank, offsets=[0, 0], value=1, op=pld.NotifyOp.Set)",
        "WAIT006",
        "only a pre-registration tensor.read",
    ),
    "a call": (f"e = self.helper(epoch)\n{ONE}", "WAIT006", "only a pre-registration tensor.read"),
}


@pytest.mark.parametrize(("text", "code", "message"), BAD.values(), ids=BAD.keys())
def test_what_would_have_to_run_after_the_task_has_ended_is_refused(text: str, code: str, message: str):
    assert_refused(f"AT(name_hint='wait'):\n{indent(text, '    ')}", code, message)

# SPDX-License-Identifier: Apache-2.0
"""CtrlFlowTransform: no break and no continue in kernels, and the same results."""

from textwrap import dedent, indent

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.ctrl_flow_transform import CtrlFlowTransform
from pypto_passes.verifiers.ssa_form import verify_ssa_form
from pypto_passes.verifiers.structured_ctrl_flow import verify_structured_ctrl_flow

from pypto_build import ir
from pypto_build.errors import UserError
from pypto_build.passes import PassContext, apply_pass
from tests.passes import programs

HEAD = """
@pl.function(type=pl.FunctionType.{kind})
def f(self, n: pl.Scalar[pl.INT64], out: pl.Tensor[[64], pl.INT64]):
"""


def body(text, kind="InCore"):
    return programs.body(HEAD.format(kind=kind), text)


def assert_becomes(before, expected):
    made = programs.assert_becomes(CtrlFlowTransform(), body(before), body(expected))
    programs.assert_unchanged(CtrlFlowTransform(), made)


def test_what_follows_a_continue_moves_into_the_other_branch():
    assert_becomes(
        """
        for i in pl.range(8):
            if i > 5:
                continue
            pl.tensor.write(out, [i], n)
        """,
        """
        for i in pl.range(8):
            if i > 5:
                pass
            else:
                pl.tensor.write(out, [i], n)
        """,
    )


def test_a_continue_in_the_else_branch_moves_the_rest_into_the_then_branch():
    assert_becomes(
        """
        for i in pl.range(8):
            if i > 5:
                pl.tensor.write(out, [0], n)
            else:
                continue
            pl.tensor.write(out, [i], n)
        """,
        """
        for i in pl.range(8):
            if i > 5:
                pl.tensor.write(out, [0], n)
                pl.tensor.write(out, [i], n)
        """,
    )


def test_a_loop_with_break_asks_a_flag_and_counts_itself():
    assert_becomes(
        """
        for i in pl.range(8):
            if i > 5:
                break
            pl.tensor.write(out, [i], n)
        """,
        """
        i: pl.Scalar[pl.INDEX] = 0
        stop: pl.Scalar[pl.BOOL] = False
        while i < 8 and not stop:
            if i > 5:
                stop = True
                pl.yield_()
            else:
                pl.tensor.write(out, [i], n)
                pl.yield_()
            if not stop:
                i = i + 1
        """,
    )


def test_a_bound_that_the_body_changes_is_read_once():
    assert_becomes(
        """
        for i in pl.range(n):
            n = n - 1
            break
        """,
        """
        held: pl.Scalar[pl.INT64] = n
        i: pl.Scalar[pl.INDEX] = 0
        stop: pl.Scalar[pl.BOOL] = False
        while i < held and not stop:
            n = n - 1
            stop = True
            if not stop:
                i = i + 1
        """,
    )


PROGRAMS = {
    "a continue deep in a branch skips the rest of the iteration": """
        for i in pl.range(6):
            if i > 1:
                if i < 4:
                    continue
                count = count + 1
            count = count + 10
        """,
    "a break deep in a branch skips the rest of the loop": """
        for i in pl.range(6):
            if i > 1:
                if i == 4:
                    break
                count = count + 1
            count = count + 10
        """,
    "break and continue in one loop": """
        for i in pl.range(9):
            if i % 2 == 0:
                continue
            if i > 6:
                break
            count = count + i
        """,
    "inner loops keep their own jumps": """
        for i in pl.range(4):
            for j in pl.range(9):
                if j == i:
                    break
                count = count + 1
            if i == 2:
                continue
            count = count + 100
        """,
    "counting down": """
        for i in pl.range(9, 0, -2):
            if i < 4:
                break
            count = count + i
        """,
    "a while loop": """
        while count < 50:
            count = count + 7
            if count % 2 == 0:
                continue
            if count > 30:
                break
            count = count + 1
        """,
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_the_result_stays_the_same(text):
    before = body(f"count: pl.Scalar[pl.INDEX] = 0\n{_dedented(text)}\npl.tensor.write(out, [0], count)")
    made = apply_pass(CtrlFlowTransform(), before)
    assert not list(verify_structured_ctrl_flow(made, PassContext()))
    assert _count(made) == _count(before)


BOUND_BESIDE_A_JUMP = {
    "of a nested branch": """
        for i in pl.range(6):
            if i > 1:
                if i == 4:
                    continue
                step = i
            else:
                step = 10
            count = count + step
        """,
    "of the other kind": """
        for i in pl.range(9):
            if i == 7:
                break
            else:
                if i % 2 == 0:
                    continue
                else:
                    step = i
                if step == 5:
                    break
            count = count + step
        """,
    "after two jumps": """
        for i in pl.range(9):
            if i < 8:
                if i == 6:
                    break
                if i < 2:
                    continue
                step = i + 1
            else:
                step = 1
            if step > 3:
                count = count + step
        """,
}


@pytest.mark.parametrize("text", BOUND_BESIDE_A_JUMP.values(), ids=BOUND_BESIDE_A_JUMP)
def test_what_is_bound_beside_a_jump_is_read_behind_it(text):
    before = body(f"count: pl.Scalar[pl.INDEX] = 0\n{_dedented(text)}\npl.tensor.write(out, [0], count)")
    made = apply_pass(CtrlFlowTransform(), before)
    assert _count(made) == _count(before)
    assert not list(verify_ssa_form(apply_pass(ConvertToSSA(), made), PassContext()))


def test_a_tile_that_is_bound_beside_a_jump_starts_as_one_that_nothing_is_written_into():
    text = """
        for i in pl.range(6):
            if i > 1:
                if i == 4:
                    continue
                t = pl.tile.full([8, 8], dtype=pl.FP32, value=1.0)
            else:
                t = pl.tile.full([8, 8], dtype=pl.FP32, value=2.0)
            u = pl.tile.add(t, t)
        """
    made = apply_pass(CtrlFlowTransform(), body(_dedented(text)))
    assert next(call.op.name for call in ir.collect(made, ir.Call)) == "tile.create"


def test_a_jump_deep_in_a_branch_that_hands_on_values_is_refused_at_the_branch():
    text = """
        for i in pl.range(8):
            if n > 3:
                if i > 2:
                    break
                k = pl.yield_(n)
            else:
                k = pl.yield_(n + 1)
            pl.tensor.write(out, [i], k)
        """
    with pytest.raises(UserError, match="a BreakStmt stands deep in a branch that hands on values") as caught:
        apply_pass(CtrlFlowTransform(), body(_dedented(text)))
    assert (caught.value.code, caught.value.span.begin_line) == ("CTRL001", 6)


def test_orchestration_keeps_jumps_that_leave_nothing_behind():
    text = "for i in pl.range(8):\n    if i > 5:\n        break\n    pl.tensor.write(out, [i], n)"
    programs.assert_unchanged(CtrlFlowTransform(), body(text, kind="Orchestration"))


LEFT_BEHIND = {
    "an assignment": "for i in pl.range(8):\n    n = n + 1\n    if i > 5:\n        break",
    "one branch": "for i in pl.range(8):\n    if i > 5:\n        n = n + 1\n        continue\n    n = n - 1",
    "a loop": "for i in pl.range(8):\n    for j in pl.range(2):\n        n = n + 1\n    if i > 5:\n        break",
    "the other branch": "for i in pl.range(8):\n    if i > 5:\n        break\n    else:\n        m = n + 1",
    "a while loop": "while n < 50:\n    n = n + 7\n    if n % 2 == 0:\n        continue\n    n = n + 1",
}


@pytest.mark.parametrize("text", LEFT_BEHIND.values(), ids=LEFT_BEHIND)
def test_orchestration_hands_on_what_an_iteration_has_bound_before_a_jump(text):
    made = apply_pass(CtrlFlowTransform(), body(text, kind="Orchestration"))
    assert not ir.collect(made, ir.BreakStmt, ir.ContinueStmt)


def test_a_scope_that_becomes_a_kernel_has_no_jumps_left():
    loop = "for i in pl.range(8):\n    if i > 5:\n        break\n    pl.tensor.write(out, [i], n)"
    text = f"with pl.at(level=pl.Level.CORE_GROUP):\n{indent(loop, '    ')}\n{loop}"
    made = apply_pass(CtrlFlowTransform(), body(text, kind="Orchestration"))
    assert not ir.collect(ir.collect(made, ir.InCoreScopeStmt)[0], ir.BreakStmt)
    assert len(ir.collect(made, ir.BreakStmt)) == 1


def test_a_jump_out_of_a_scope_is_no_jump_any_more():
    text = "for i in pl.range(8):\n    with pl.at(level=pl.Level.CORE_GROUP):\n        if i > 5:\n            break"
    made = apply_pass(CtrlFlowTransform(), body(text, kind="Orchestration"))
    assert not ir.collect(made, ir.BreakStmt)


def test_values_that_a_loop_carries_are_handed_on_at_each_jump():
    made = apply_pass(
        CtrlFlowTransform(),
        body(
            """
            for i, (s,) in pl.range(8, init_values=(n,)):
                if i > 5:
                    continue
                t: pl.Scalar[pl.INT64] = s + 1
                s = pl.yield_(t)
            pl.tensor.write(out, [0], s)
            """
        ),
    )
    loop = programs.method(made, "f").body.stmts[0]
    branch, last = loop.body.stmts
    assert branch.then_body.value == loop.iter_args
    assert last.value == branch.return_vars


def _dedented(text):
    return dedent(text).strip()


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class _Run:
    """Runs scalar code as Python would."""

    def __init__(self):
        self.values = {}

    def run(self, stmt):
        match stmt:
            case ir.SeqStmts():
                for inner in stmt.stmts:
                    self.run(inner)
            case ir.AssignStmt():
                self.values[stmt.var] = self.value(stmt.value)
            case ir.IfStmt():
                self.run(stmt.then_body if self.value(stmt.condition) else stmt.else_body or ir.SeqStmts(()))
            case ir.ForStmt():
                self._loop(stmt, range(*(self.value(part) for part in (stmt.start, stmt.stop, stmt.step))))
            case ir.WhileStmt():
                self._loop(stmt, iter(lambda: self.value(stmt.condition), False))
            case ir.BreakStmt():
                raise _Break
            case ir.ContinueStmt():
                raise _Continue

    def _loop(self, stmt, turns):
        for index in turns:
            if isinstance(stmt, ir.ForStmt):
                self.values[stmt.loop_var] = index
            try:
                self.run(stmt.body)
            except _Continue:
                continue
            except _Break:
                return

    def value(self, expr):
        match expr:
            case ir.ConstInt() | ir.ConstBool():
                return expr.value
            case ir.Var():
                return self.values[expr]
            case ir.UnaryExpr():
                return not self.value(expr.operand) if isinstance(expr, ir.Not) else -self.value(expr.operand)
            case _:
                return _OPERATORS[type(expr)](self.value(expr.left), self.value(expr.right))


_OPERATORS = {
    ir.Add: lambda a, b: a + b,
    ir.FloorMod: lambda a, b: a % b,
    ir.Lt: lambda a, b: a < b,
    ir.Gt: lambda a, b: a > b,
    ir.Eq: lambda a, b: a == b,
    ir.And: lambda a, b: a and b,
}


def _count(of):
    """The value that the program writes last."""
    run, stmts = _Run(), programs.method(of, "f").body.stmts
    run.run(ir.SeqStmts(stmts[:-1]))
    return run.value(stmts[-1].expr.args[2])

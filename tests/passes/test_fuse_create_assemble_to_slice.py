# SPDX-License-Identifier: Apache-2.0
"""FuseCreateAssembleToSlice: what is created to be assembled once is a window of the tensor that it goes into."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.fuse_create_assemble_to_slice import FuseCreateAssembleToSlice

from pypto_build.ir import Call, ForStmt, IfStmt, Program, WhileStmt, collect
from tests.passes import programs
from tests.passes.tensor_programs import assert_same_answers, operations

X = "pl.Tensor[[4, 8], pl.FP32]"
ROW = "pl.Tensor[[1, 8], pl.FP32]"
KERNELS = f"""
@pl.function(type=pl.FunctionType.InCore)
def fill(self, x: {X}, r: pl.Scalar[pl.INDEX], out: pl.Out[{ROW}]) -> {ROW}:
    t = pl.load(x, [r, 0], [1, 8])
    done = pl.store(t, [0, 0], out)
    return done

@pl.function(type=pl.FunctionType.InCore)
def total(self, x: {X}, out: pl.Out[{ROW}]) -> {ROW}:
    t = pl.load(x, [0, 0], [1, 8])
    s = pl.load(x, [1, 0], [1, 8])
    u = pl.tile.add(t, s)
    done = pl.store(u, [0, 0], out)
    return done
"""


def source(text: str, kind: str = "Orchestration") -> Program:
    """Orchestration around the kernels."""
    head = f"@pl.function(type=pl.FunctionType.{kind})"
    params = f"x: {X}, y: pl.InOut[{X}], z: pl.InOut[{ROW}]"
    body = indent(dedent(text).strip(), "    ")
    return programs.program(KERNELS, f"{head}\ndef main(self, {params}) -> {X}:\n{body}")


def fused(text: str) -> Program:
    """The program after the pass, which computes what it did, and which a second run leaves alone."""
    made = assert_same_answers(FuseCreateAssembleToSlice(), source(text))
    programs.assert_unchanged(FuseCreateAssembleToSlice(), made)
    return made


def assert_left_alone(text: str, kind: str = "Orchestration") -> None:
    """The pass does nothing."""
    programs.assert_unchanged(FuseCreateAssembleToSlice(), source(text, kind))


ONE = """
    row = pl.create_tensor([1, 8], dtype=pl.FP32)
    made = self.fill(x, 2, row)
    y2 = pl.assemble(y, made, [1, 0])
    return y2
"""


def test_a_tensor_that_is_assembled_once_is_a_window_from_the_start():
    assert operations(fused(ONE), "main") == ["tensor.slice", "fill"]


def test_a_carry_that_only_handed_the_tensor_on_goes():
    made = fused("""
        for i, (acc,) in pl.range(4, init_values=(y,)):
            for j, (inner,) in pl.range(1, init_values=(acc,)):
                row = pl.create_tensor([1, 8], dtype=pl.FP32)
                filled = self.fill(x, i, row)
                longer = pl.assemble(inner, filled, [i, 0])
                last = pl.yield_(longer)
            done = pl.yield_(last)
        return done
    """)
    assert [len(loop.iter_args) for loop in collect(programs.method(made, "main"), ForStmt)] == [0, 0]
    window = next(call for call in collect(made, Call) if call.op.name == "tensor.slice")
    assert window.args[0] is programs.method(made, "main").params[1]


def test_a_while_loop_keeps_the_carries_that_count():
    made = fused("""
        n: pl.Scalar[pl.INDEX] = 0
        for i, acc in pl.while_(init_values=(n, y)):
            pl.cond(i < 4)
            row = pl.create_tensor([1, 8], dtype=pl.FP32)
            filled = self.fill(x, i, row)
            longer = pl.assemble(acc, filled, [i, 0])
            more = i + 1
            last, done = pl.yield_(more, longer)
        return done
    """)
    assert [len(loop.iter_args) for loop in collect(programs.method(made, "main"), WhileStmt)] == [1]


def test_in_a_branch_the_merge_stays():
    made = fused("""
        for i, (acc,) in pl.range(4, init_values=(y,)):
            if i < 2:
                row = pl.create_tensor([1, 8], dtype=pl.FP32)
                filled = self.fill(x, i, row)
                longer = pl.assemble(acc, filled, [i, 0])
                met = pl.yield_(longer)
            else:
                met = pl.yield_(acc)
            done = pl.yield_(met)
        return done
    """)
    assert "tensor.assemble" not in operations(made, "main")
    assert len(collect(programs.method(made, "main"), IfStmt)) == 1


def test_windows_that_are_apart_may_be_filled_in_any_order():
    made = fused("""
        a = pl.create_tensor([1, 8], dtype=pl.FP32)
        b = pl.create_tensor([1, 8], dtype=pl.FP32)
        fa = self.fill(x, 0, a)
        fb = self.fill(x, 1, b)
        y2 = pl.assemble(y, fa, [2, 0])
        y3 = pl.assemble(y2, fb, [3, 0])
        return y3
    """)
    assert operations(made, "main") == ["tensor.slice", "tensor.slice", "fill", "fill"]


def test_a_window_of_a_window_is_fused_twice():
    made = fused("""
        whole = pl.create_tensor([1, 8], dtype=pl.FP32)
        row = pl.create_tensor([1, 8], dtype=pl.FP32)
        filled = self.fill(x, 3, row)
        part = pl.assemble(whole, filled, [0, 0])
        y2 = pl.assemble(y, part, [2, 0])
        return y2
    """)
    assert operations(made, "main") == ["tensor.slice", "tensor.slice", "fill"]


LEFT = {
    "assembled twice": ONE.replace("return y2", "y3 = pl.assemble(y2, made, [2, 0])\n    return y3"),
    "added": ONE.replace("[1, 0])", "[1, 0], atomic=pl.AtomicType.Add)"),
    "never assembled": "row = pl.create_tensor([1, 8], dtype=pl.FP32)\nmade = self.fill(x, 2, row)\nreturn y",
    "not created here": "y2 = pl.assemble(y, z, [1, 0])\nreturn y2",
    "filled from the start": ONE.replace("dtype=pl.FP32)", "dtype=pl.FP32, init_value=1.0)"),
    "used afterwards": ONE.replace("return y2", "z2 = self.total(y2, made)\n    return y2"),
    "the other tensor is read in between": """
        row = pl.create_tensor([1, 8], dtype=pl.FP32)
        made = self.fill(x, 2, row)
        summed = self.total(y, z)
        y2 = pl.assemble(y, made, [1, 0])
        return y2
    """,
    "windows that overlap": """
        a = pl.create_tensor([1, 8], dtype=pl.FP32)
        b = pl.create_tensor([1, 8], dtype=pl.FP32)
        fb = self.fill(x, 1, b)
        fa = self.fill(x, 0, a)
        y2 = pl.assemble(y, fa, [2, 0], atomic=pl.AtomicType.Add)
        y3 = pl.assemble(y2, fb, [2, 0])
        return y3
    """,
    "the place is known too late": """
        row = pl.create_tensor([1, 8], dtype=pl.FP32)
        made = self.fill(x, 2, row)
        n = pl.tensor.dim(x, 0)
        k = n - 1
        y2 = pl.assemble(y, made, [k, 0])
        return y2
    """,
    "created outside of the loop": """
        row = pl.create_tensor([1, 8], dtype=pl.FP32)
        for i, (acc,) in pl.range(4, init_values=(y,)):
            made = self.fill(x, i, row)
            longer = pl.assemble(acc, made, [i, 0])
            done = pl.yield_(longer)
        return done
    """,
    "a carry that is another tensor the second time": """
        first = pl.create_tensor([1, 8], dtype=pl.FP32)
        begun = self.fill(x, 3, first)
        for i, (acc, row) in pl.range(4, init_values=(y, begun)):
            longer = pl.assemble(acc, row, [i, 0])
            fresh = pl.create_tensor([1, 8], dtype=pl.FP32)
            filled = self.fill(x, i, fresh)
            done, last = pl.yield_(longer, filled)
        return done
    """,
}


@pytest.mark.parametrize("case", LEFT)
def test_anything_else_is_left_alone(case: str):
    assert_left_alone(LEFT[case])


def test_only_orchestration_is_looked_at():
    assert_left_alone(ONE, "Opaque")

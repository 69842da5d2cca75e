# SPDX-License-Identifier: Apache-2.0
"""Matrix products: operands in their memories, accumulators that are operand and destination, conditions, phases."""

from __future__ import annotations

import pytest

from pypto_build.ir import Program
from tests.targets.pto.emitting import ARCHITECTURES, last, lines, program

PARAMS = "x: pl.Tensor[[16, 16], pl.FP32], v: pl.Tensor[[1, 16], pl.FP32], c: pl.Scalar[pl.BOOL]"
HEAD = """
m = pl.tile.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)
n = pl.tile.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)
one = pl.tile.load(v, [0, 0], [1, 16], target_memory=pl.Mem.Mat)
l = pl.tile.move(m, target_memory=pl.Mem.Left)
b = pl.tile.move(n, target_memory=pl.Mem.Right)
vector = pl.tile.move(one, target_memory=pl.Mem.Left)
bias = pl.tile.move(one, target_memory=pl.Mem.Bias)
"""
L, R, A = "left f32[16,16]", "right f32[16,16]", "acc f32[16,16]"
ROWS = [
    ("r = pl.tile.matmul(l, b)", f"pto.tmatmul ins(%l, %b : {L}, {R}) outs(%r : {A})"),
    (
        "r = pl.tile.matmul_bias(l, b, bias)",
        f"pto.tmatmul.bias ins(%l, %b, %bias : {L}, {R}, bias f32[1,16]) outs(%r : {A})",
    ),
    (
        "a = pl.tile.matmul(l, b)\nr = pl.tile.matmul_acc(a, l, b)",
        f"pto.tmatmul.acc ins(%r, %l, %b : {A}, {L}, {R}) outs(%r : {A})",
    ),
    (
        "a = pl.tile.matmul(l, b)\nr = pl.tile.matmul_acc(a, l, b, init_cond=True)",
        f"pto.tmatmul ins(%l, %b : {L}, {R}) outs(%r : {A})",
    ),
    (
        "a = pl.tile.matmul(l, b)\nr = pl.tile.matmul_acc(a, l, b, init_cond=False)",
        f"pto.tmatmul.acc ins(%r, %l, %b : {A}, {L}, {R}) outs(%r : {A})",
    ),
]


def cube(body: str) -> Program:
    return program(HEAD + body, params=PARAMS, kind="AIC")


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize(("body", "line"), ROWS)
def test_the_product_becomes_its_instruction(body: str, line: str, arch: str):
    assert last(cube(body), arch) == line


@pytest.mark.parametrize("phase", ["partial", "final"])
def test_the_phase_of_a_vector_product_stands_behind_the_destination(phase: str):
    line = last(cube(f"r = pl.tile.gemv(vector, b, acc_phase='{phase}')"))
    assert line.startswith("pto.tgemv ins(%vector, %b : ")
    assert line.endswith(f"{{accPhase = #pto<acc_phase {phase}>}}")


def test_a_condition_that_is_computed_chooses_at_run_time():
    body = "a = pl.tile.matmul(l, b)\nr = pl.tile.matmul_acc(a, l, b, init_cond=c)"
    found = lines(cube(body))
    assert found[found.index("scf.if %arg2 {") :][:5] == [
        "scf.if %arg2 {",
        f"pto.tmatmul ins(%l, %b : {L}, {R}) outs(%r : {A})",
        "} else {",
        f"pto.tmatmul.acc ins(%r, %l, %b : {A}, {L}, {R}) outs(%r : {A})",
        "}",
    ]


SCALED = "a: pl.Tensor[[16, 64], pl.FP8E4M3FN], s: pl.Tensor[[16, 2], pl.FP8E8M0, pl.MX_A_ZZ]"


def test_a_load_of_scales_says_how_they_lie():
    body = "t = pl.tile.load(s, [0, 0], [16, 2], target_memory=pl.Mem.Mat)"
    assert last(program(body, params=SCALED, kind="AIC"), "a5").endswith("{layout = #pto.layout<mx_a_zz>}")


def test_the_address_of_scales_is_that_of_their_operand():
    body = """
    t = pl.tile.load(s, [0, 0], [16, 2], target_memory=pl.Mem.Mat)
    w = pl.tile.load(a, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
    l = pl.tile.move(w, target_memory=pl.Mem.Left)
    ls = pl.tile.move(t, target_memory=pl.Mem.LeftScale)
    r = pl.tile.tget_scale_addr(ls, l)
    """
    line = last(program(body, params=SCALED, kind="AIC"), "a5")
    assert line == "pto.tget_scale_addr ins(%l : left f8E4M3FN[16,64]) outs(%ls : scaling f8E8M0[16,2])"

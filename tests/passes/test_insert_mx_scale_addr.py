# SPDX-License-Identifier: Apache-2.0
"""InsertMxScaleAddr: every scaled product binds its scales anew, right before it."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.expand_mixed_kernel import ExpandMixedKernel
from pypto_passes.flatten_call_expr import FlattenCallExpr
from pypto_passes.infer_tile_memory_space import InferTileMemorySpace
from pypto_passes.insert_mx_scale_addr import InsertMxScaleAddr

from pypto_build.errors import UserError
from pypto_build.ir import AssignStmt, Call, Program, Rewriter, collect, rebuilt
from pypto_build.passes import apply_pass
from tests.passes import programs

PARAMS = (
    "a: pl.Tensor[[16, 64], pl.FP8E4M3FN], a_s: pl.Tensor[[16, 2], pl.FP8E8M0, pl.MX_A_ZZ], "
    "b: pl.Tensor[[64, 32], pl.FP8E4M3FN], b_s: pl.Tensor[[2, 32], pl.FP8E8M0, pl.MX_B_NN]"
)
LOADS = """
l = pl.load(a, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
ls = pl.load(a_s, [0, 0], [16, 2], target_memory=pl.Mem.Mat)
r = pl.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Mat)
rs = pl.load(b_s, [0, 0], [2, 32], target_memory=pl.Mem.Mat)
"""
PRODUCT = "c = pl.matmul_mx(l, ls, r, rs)\n"


def kernel(text: str) -> Program:
    """A kernel whose tiles have their memories."""
    body = indent(dedent(text).strip("\n"), "    ")
    made = programs.program(f"@pl.function(type=pl.FunctionType.InCore)\ndef kernel(self, {PARAMS}):\n{body}")
    for one in (ConvertToSSA(), FlattenCallExpr(), InferTileMemorySpace()):
        made = apply_pass(one, made)
    return made


def bound(text: str) -> list[tuple[str, list[str]]]:
    """The operations of the kernel behind its loads and moves, each with what it takes."""
    made = apply_pass(InsertMxScaleAddr(), kernel(text))
    calls = [call for stmt in collect(made, AssignStmt) for call in collect(stmt, Call)]
    named = [(call.op.name.partition(".")[2], [getattr(arg, "name_hint", "") for arg in call.args]) for call in calls]
    return [row for row in named if row[0] not in ("load", "move")]


def test_scales_are_bound_to_their_operands_in_front_of_the_product():
    (left, right, product) = bound(LOADS + PRODUCT)
    assert (left[0], right[0], product[0]) == ("tget_scale_addr", "tget_scale_addr", "matmul_mx")
    assert product[1] == [left[1][1], f"{left[1][0]}_bound", right[1][1], f"{right[1][0]}_bound"]


def test_every_product_binds_anew():
    made = bound(LOADS + PRODUCT + "d = pl.matmul_mx_acc(c, l, ls, r, rs)")
    assert [name for name, _ in made] == [
        "tget_scale_addr",
        "tget_scale_addr",
        "matmul_mx",
        "tget_scale_addr",
        "tget_scale_addr",
        "matmul_mx_acc",
    ]


def test_a_product_alone_in_a_branch_binds_there():
    made = bound(f"{LOADS}if pl.tile.get_block_idx() > 0:\n    {PRODUCT}")
    assert [name for name, _ in made][-3:] == ["tget_scale_addr", "tget_scale_addr", "matmul_mx"]


def test_a_kernel_without_such_products_stays_as_it_is():
    programs.assert_unchanged(InsertMxScaleAddr(), kernel(LOADS))


def test_an_operand_lies_in_the_memory_that_goes_with_its_scales():
    swapped = Swapping().visit(kernel(LOADS + PRODUCT))
    with pytest.raises(UserError, match="has an operand in Right and its scales in LeftScale") as caught:
        apply_pass(InsertMxScaleAddr(), swapped)
    assert caught.value.code == "MX001"


class Swapping(Rewriter):
    """Exchanges the left operand of products for the right one."""

    def visit_call(self, call: Call) -> Call:
        mixed = call.op.name == "tile.matmul_mx"
        return rebuilt(call, {"args": (call.args[2], *call.args[1:])}) if mixed else call


def test_a_chip_without_such_products_refuses_them():
    with pytest.raises(UserError, match=r"tile\.matmul_mx is only supported by chips like Ascend950") as caught:
        apply_pass(ExpandMixedKernel(), kernel(LOADS + PRODUCT))
    assert caught.value.code == "CORE006"

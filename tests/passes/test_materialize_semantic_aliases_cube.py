# SPDX-License-Identifier: Apache-2.0
"""MaterializeSemanticAliases on accumulators, which cannot be moved within their memory."""

import pytest
from pypto_passes.init_mem_ref import InitMemRef
from pypto_passes.materialize_semantic_aliases import MaterializeSemanticAliases

from pypto_build.errors import InternalError
from pypto_build.passes import apply_pass
from tests.passes.test_materialize_semantic_aliases import aliased
from tests.passes.tile_places import kernel, sharing

OPERANDS = """
    ma: Mat16 = pl.tile.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)
    l: pl.Tile[[16, 16], pl.FP32, pl.Mem.Left] = pl.tile.move(ma, target_memory=pl.Mem.Left)
    q: Right16 = pl.tile.move(ma, target_memory=pl.Mem.Right)
"""


def test_a_chain_of_accumulations_stays_in_the_accumulator():
    made = aliased(
        OPERANDS
        + """
    a: Acc16 = pl.tile.matmul(l, q)
    for i, (acc,) in pl.range(4, init_values=(a,)):
        b: Acc16 = pl.tile.matmul_acc(acc, l, q)
        y: Acc16 = pl.yield_(b)
    STORE(y)
"""
    )
    assert sharing(made) == "ma / l / q / a acc y b"


SEED = """
    p: Acc16 = pl.tile.matmul(l, q)
    if c < 1:
        s: Acc16 = pl.tile.matmul(l, q)
        m: Acc16 = pl.yield_(s)
    else:
        b: Acc16 = pl.tile.matmul_acc(p, l, q)
        m: Acc16 = pl.yield_(b)
    STORE(m)
"""


def test_the_first_product_of_a_branch_is_made_in_the_accumulator_of_the_other():
    assert sharing(aliased(OPERANDS + SEED)) == "ma / l / q / p m s b"


def test_an_accumulator_that_would_need_a_move_is_refused():
    outside = """
    s: Acc16 = pl.tile.matmul(l, q)
    p: Acc16 = pl.tile.matmul(l, q)
    if c < 1:
        m: Acc16 = pl.yield_(s)
    else:
        b: Acc16 = pl.tile.matmul_acc(p, l, q)
        m: Acc16 = pl.yield_(b)
    STORE(m)
"""
    before = apply_pass(InitMemRef(), kernel(OPERANDS + outside))
    with pytest.raises(InternalError, match="cannot reconcile divergent L0C accumulator buffers: 'm'") as error:
        apply_pass(MaterializeSemanticAliases(), before)
    assert error.value.span.begin_line == 11

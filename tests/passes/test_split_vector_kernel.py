# SPDX-License-Identifier: Apache-2.0
"""SplitVectorKernel: divided kernels run on both vector cores; of undivided ones the second core replays messages."""

from __future__ import annotations

from textwrap import dedent, indent

import numpy as np
import pytest
from pypto_passes.convert_to_ssa import ConvertToSSA
from pypto_passes.expand_mixed_kernel import ExpandMixedKernel
from pypto_passes.flatten_call_expr import FlattenCallExpr
from pypto_passes.infer_tile_memory_space import InferTileMemorySpace
from pypto_passes.split_vector_kernel import SplitVectorKernel

from pypto_build.ir import IfStmt, Program, collect
from pypto_build.passes import ASCEND950, PassContext, apply_pass
from tests.passes import programs
from tests.simulators.running import simulate

T = "pl.Tensor[[16, 16], pl.FP32]"
SETUP = """
ring = pl.system.import_peer_buffer(name="ring", peer_func="cube")
pl.system.aiv_initialize_pipe(0, ring, dir_mask=2, slot_size=1024)
"""
WORK = """
a = pl.tile.load(x, [0, 0], [16, 16])
b = pl.tile.adds(a, 1.0)
pl.tile.tpush_to_aic(b, split=0)
end = pl.tile.store(b, [0, 0], out)
return end
"""
IDLE = """
a2: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[0, 0])] = pl.tile.create([16, 16], dtype=pl.FP32)
b2 = pl.tile.adds(a2, 1.0)
pl.tile.tpush_to_aic(b2, split=0)
end2: pl.Tensor[[16, 16], pl.FP32] = out
return out
"""


def kernel(text: str, attrs: str = '{"dual_aiv_dispatch": True}') -> Program:
    """A vector kernel in SSA form."""
    body = indent(dedent(text).strip("\n"), "    ")
    header = f"@pl.function(type=pl.FunctionType.AIV)\ndef kernel(self, x: {T}, out: pl.Out[{T}]) -> {T}:\n"
    return apply_pass(ConvertToSSA(), programs.program(f"{header}    pl.func_attr({attrs})\n{body}"))


def attributes(made: Program) -> dict[str, object]:
    """The attributes of the kernel."""
    return dict(programs.method(made, "kernel").attrs)


def test_the_second_core_replays_the_messages_with_empty_tiles_and_stores_nothing():
    branches = f"if lane == 0:{indent(WORK, '    ')}else:{indent(IDLE, '    ')}"
    expected = kernel(f"lane = pl.tile.get_subblock_idx()\n{SETUP}{branches}")
    made = programs.assert_becomes(SplitVectorKernel(), kernel(SETUP + WORK), expected)
    programs.assert_unchanged(SplitVectorKernel(), made)


def test_a_kernel_that_asks_for_both_cores_and_says_what_they_do_is_left_alone():
    programs.assert_unchanged(SplitVectorKernel(), kernel(f"lane = pl.tile.get_subblock_idx()\n{SETUP}{WORK}"))


def test_a_kernel_of_one_core_is_left_alone():
    programs.assert_unchanged(SplitVectorKernel(), kernel(WORK, "{}"))


def test_where_the_cores_are_connected_nobody_replays():
    programs.assert_unchanged(SplitVectorKernel(), kernel(SETUP + WORK), PassContext(ASCEND950))


@pytest.mark.parametrize(
    ("attrs", "text"),
    [
        ('{"split_aiv": True}', WORK),
        ('{"split": pl.SplitMode.UP_DOWN}', WORK.replace("split=0", "split=1")),
        ('{"split": pl.SplitMode.UP_DOWN}', f"lane = pl.tile.get_subblock_idx()\n{WORK}"),
    ],
)
def test_a_divided_kernel_is_dispatched_to_both_cores_as_it_is(attrs: str, text: str):
    before = kernel(SETUP + text, attrs)
    made = apply_pass(SplitVectorKernel(), before)
    assert attributes(made) == {**attributes(before), "dual_aiv_dispatch": True}
    assert programs.method(made, "kernel").body is programs.method(before, "kernel").body


def test_a_region_of_a_divided_kernel_is_opened():
    store = "pl.store(pl.load(x, [half * 8, 0], [8, 16]), [half * 8, 0], out)\n"
    region = f"for half in pl.split_aiv(2, mode=pl.SplitMode.NONE):\n    {store}return out"
    opened = f"half = pl.tile.get_subblock_idx()\n{store}return out"
    expected = kernel(opened, '{"split_aiv": True, "dual_aiv_dispatch": True}')
    programs.assert_becomes(SplitVectorKernel(), kernel(region, '{"split_aiv": True}'), expected)


def test_a_kernel_that_was_not_divided_says_so_and_is_replayed():
    context = PassContext()
    made = apply_pass(SplitVectorKernel(), kernel(SETUP + WORK, '{"split": pl.SplitMode.UP_DOWN}'), context)
    assert attributes(made) == {"dual_aiv_dispatch": True}
    assert len(collect(made, IfStmt)) == 1
    (warning,) = context.sink.take()
    assert warning.message == "pl.split of kernel 'kernel' has no effect: one vector core does all the work"


def test_a_kernel_that_was_not_divided_runs_on_one_core_where_the_cores_are_connected():
    made = apply_pass(SplitVectorKernel(), kernel(SETUP + WORK, '{"split": 1}'), PassContext(ASCEND950))
    assert attributes(made) == {}
    assert collect(made, IfStmt) == []


CARRIED = f"""
@pl.function(type=pl.FunctionType.InCore)
def kernel(self, x: {T}, out: pl.InOut[{T}]) -> {T}:
    acc = pl.tile.full([16, 16], dtype=pl.FP32, value=0.0)
    right = pl.move(pl.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
    for i in pl.range(3):
        sent = pl.move(pl.add(pl.load(x, [0, 0], [16, 16]), 1.0), target_memory=pl.Mem.Mat)
        product = pl.matmul(pl.move(sent, target_memory=pl.Mem.Left), right)
        if i > 0:
            acc = pl.add(acc, product)
    out = pl.store(acc, [0, 0], out, atomic=pl.AtomicType.Add)
    return out
"""


def test_both_cores_together_store_once_what_the_kernel_computes():
    x = np.arange(256, dtype=np.float32).reshape(16, 16) / 256
    made = programs.program(CARRIED)
    passes = (ConvertToSSA(), FlattenCallExpr(), InferTileMemorySpace(), ExpandMixedKernel(), SplitVectorKernel())
    for one in passes:
        made = apply_pass(one, made)
    result = simulate(made, {"x": x, "out": np.ones_like(x)}, entry="kernel").outputs["out"]
    assert np.allclose(result, 1 + 2 * ((x + 1) @ x))
